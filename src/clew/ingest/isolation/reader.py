"""Files read by a worker process within limits; one that dies takes nothing along."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from clew.core.documents import ParsedText
from clew.core.errors import ParseError
from clew.ingest.isolation.limits import ParseLimits
from clew.ingest.isolation.messages import Failure, Request
from clew.ingest.isolation.process import ParsingWorker
from clew.ingest.parsers.harmless import may_be_harmless, parse_harmless
from clew.ingest.parsers.options import ParseOptions
from clew.ingest.parsers.registry import suffixes_read
from clew.ingest.passwords import NO_PASSWORDS, Passwords
from clew.ingest.reading import read_file

_PARSER = "clew.ingest.parsers.registry:parse_bytes"
_FILES_A_WORKER = 500
_GRACE = 5.0


class IsolatedReader:
    """Implements `FileReader` with a worker process.

    The worker starts with the first file that needs it, serves up to 500 files, and is replaced
    when it dies, is late or has run out of memory. Short UTF-8 text is parsed in this process (see
    `parsers/harmless.py`). Safe to use from several threads, which wait for each other. `parser`
    is where the worker finds its function, `module:function`.
    """

    def __init__(
        self,
        limits: ParseLimits = ParseLimits(),  # noqa: B008 - frozen
        *,
        passwords: Passwords = NO_PASSWORDS,
        ocr: bool = False,
        parser: str = _PARSER,
        files_a_worker: int = _FILES_A_WORKER,
    ) -> None:
        self._limits = limits
        self._passwords = passwords
        self._ocr = ocr
        self._parser = parser
        self._files_a_worker = files_a_worker
        self._worker: ParsingWorker | None = None
        self._lock = threading.Lock()

    @property
    def suffixes(self) -> frozenset[str]:
        """Return the suffixes of all formats that are read; pictures only with text recognition."""
        return suffixes_read(ParseOptions(ocr=self._ocr))

    def read(self, path: Path, *, name: str) -> ParsedText:
        """Return the text of a regular file; `name` stands in messages and finds its password.

        Raises:
            ParseError: there is none; carries the reason.
        """
        if may_be_harmless(path):
            data = read_file(path, name=name, limit=self._limits.file_bytes)
            return self.parse(data, name=name)
        return self._parsed(name, path=path, data=None)

    def parse(self, data: bytes, *, name: str) -> ParsedText:
        """Return the text of a file called `name` that holds `data`.

        Raises:
            ParseError: there is none; carries the reason.
        """
        harmless = parse_harmless(data, name=name)
        if harmless is not None:
            return harmless
        if len(data) > self._limits.file_bytes:
            raise ParseError(
                f"{name}: it has more than the {self._limits.file_megabytes} MiB of "
                "ingest.file_megabytes; split it or raise the setting",
                reason="too-large",
            )
        return self._parsed(name, path=None, data=data)

    def close(self) -> None:
        """End the worker; a later call starts a new one."""
        with self._lock:
            self._end_worker()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _parsed(self, name: str, *, path: Path | None, data: bytes | None) -> ParsedText:
        request = Request(
            name,
            None if path is None else str(path),
            self._limits.file_bytes,
            self._limits.seconds + _GRACE,
            self._passwords.of(name),
            self._ocr,
        )
        with self._lock:
            worker, finished = self._started(name), False
            try:
                answer = worker.ask(request, data)
                finished = worker.usable and worker.answered < self._files_a_worker
            finally:
                if not finished:
                    self._end_worker()
        if isinstance(answer, Failure):
            raise ParseError(answer.message, reason=answer.reason)
        return answer

    def _started(self, name: str) -> ParsingWorker:
        """Return the worker, started if there is none."""
        if self._worker is None:
            try:
                self._worker = ParsingWorker(self._parser, self._limits)
            except OSError as error:
                raise ParseError(
                    f"{name}: the worker that parses files cannot be started ({error}); free some "
                    "memory or processes and add the file again",
                    reason="crashed",
                ) from error
        return self._worker

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None
