"""Background jobs of a store: one after the other in a thread, each kept in the store's log."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

from clew.core.documents import Metadata
from clew.core.errors import JobCancelledError, NotFoundError, QueryError, StoreBusyError
from clew.core.ids import format_id
from clew.core.jobs import FileOutcome, IngestReport, Job, JobState, Progress
from clew.core.ports import Store

MOST_WAITING = 16
_LEAST_SECONDS = 0.5
"""Between two states of a running job that are written."""
_INTERRUPTED = "the server ended before the job did; what was committed is kept: add it again"

Work = Callable[[Callable[[Progress], None]], IngestReport]


def _nothing(_: Job) -> None:
    """Do nothing at the end of a job."""


class Jobs:
    """Runs ingests one at a time. What another process began, and did not end, counts as failed.

    Safe to use from several threads.
    """

    def __init__(self, store: Store, *, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="clew-jobs")
        self._lock = threading.Lock()
        self._live: dict[int, Future[IngestReport] | None] = {}
        self._told_to_end: set[int] = set()
        self.closing = False

    def submit(
        self,
        collection: str,
        work: Work,
        *,
        detail: Metadata,
        explain: Callable[[object], str],
        identifier: int | None = None,
        on_end: Callable[[Job], None] = _nothing,
    ) -> Job:
        """Queue an ingest and return its job; `explain` gives the words for an error.

        `identifier` is the job's id where it has one already; `on_end` is given its last state.

        Raises:
            StoreBusyError: too many wait already.
        """
        now = self._clock()
        chosen = secrets.randbits(63) if identifier is None else identifier
        job = Job(chosen, "ingest", JobState.QUEUED, now, now, detail=detail)
        with self._lock:
            if len(self._live) > MOST_WAITING:
                raise StoreBusyError(f"{MOST_WAITING} jobs wait already; come again later")
            self._live[job.id] = None
        self._save(collection, job)
        self._queue(collection, job, work, explain, on_end)
        return job

    def resume(
        self,
        collection: str,
        job: Job,
        work: Work,
        *,
        explain: Callable[[object], str],
        on_end: Callable[[Job], None] = _nothing,
    ) -> bool:
        """Queue a job that an earlier process left unfinished, however many wait; return whether it
        was not queued here already."""
        with self._lock:
            if job.id in self._live:
                return False
            self._live[job.id] = None
        queued = replace(job, state=JobState.QUEUED, updated_at=self._clock(), error=None)
        self._save(collection, queued)
        self._queue(collection, queued, work, explain, on_end)
        return True

    def cancel(self, collection: str, identifier: int) -> Job:
        """Take a job that waits out of the queue; tell one that runs to end at its next step.

        Raises:
            NotFoundError: there is none of that id.
            QueryError: it has ended already.
        """
        job = self.one(collection, identifier)
        with self._lock:
            if identifier not in self._live:
                raise QueryError(f"the job {format_id(identifier)} has ended: {job.state.value}")
            self._told_to_end.add(identifier)
            future = self._live[identifier]
        if future is not None:
            future.cancel()
        return self.one(collection, identifier)

    def all(self, collection: str) -> tuple[Job, ...]:
        """Return the jobs of a collection, oldest first."""
        with self._lock:
            live = frozenset(self._live)
        return tuple(_as_it_stands(job, live) for job in self._store.jobs(collection))

    def one(self, collection: str, identifier: int) -> Job:
        """Return a job.

        Raises:
            NotFoundError: there is none of that id.
        """
        for job in self.all(collection):
            if job.id == identifier:
                return job
        raise NotFoundError(f"the collection {collection!r} has no job {format_id(identifier)}")

    def stored(self, collection: str, identifier: int) -> Job:
        """Return a job as the store's log has it, whoever runs it.

        Raises:
            NotFoundError: there is none of that id.
        """
        for job in self._store.jobs(collection):
            if job.id == identifier:
                return job
        raise NotFoundError(f"the collection {collection!r} has no job {format_id(identifier)}")

    def close(self) -> None:
        """Let the job that runs come to its end; those that wait stay queued in the store's log."""
        self.closing = True
        self._pool.shutdown(cancel_futures=True)

    def _queue(
        self,
        collection: str,
        job: Job,
        work: Work,
        explain: Callable[[object], str],
        on_end: Callable[[Job], None],
    ) -> None:
        done = self._pool.submit(self._run, collection, job, work)
        with self._lock:
            if job.id in self._live:
                self._live[job.id] = done
            cancelled = job.id in self._told_to_end
        if cancelled:
            done.cancel()
        done.add_done_callback(lambda ended: self._end(collection, job, ended, explain, on_end))

    def _save(self, collection: str, job: Job) -> None:
        """Keep the state of a job, unless its collection was deleted: that would bring it back."""
        if collection in self._store.collections():
            self._store.save_job(collection, job)

    def _run(self, collection: str, job: Job, work: Work) -> IngestReport:
        running = replace(job, state=JobState.RUNNING, updated_at=self._clock())
        self._save(collection, running)
        told = running.updated_at

        def tell(progress: Progress) -> None:
            nonlocal told
            if job.id in self._told_to_end:
                raise JobCancelledError("the job was cancelled; what it had committed is kept")
            now = self._clock()
            if (now - told).total_seconds() >= _LEAST_SECONDS:
                told = now
                self._save(
                    collection,
                    replace(running, updated_at=now, done=progress.done, total=progress.total),
                )

        return work(tell)

    def _end(
        self,
        collection: str,
        job: Job,
        ended: Future[IngestReport],
        explain: Callable[[object], str],
        on_end: Callable[[Job], None],
    ) -> None:
        now = self._clock()
        if ended.cancelled() and self.closing and job.id not in self._told_to_end:
            return  # it stays queued: whoever opens the store next may take it up
        if ended.cancelled() or isinstance(ended.exception(), JobCancelledError):
            last = replace(job, state=JobState.CANCELLED, updated_at=now)
        elif (error := ended.exception()) is not None:
            last = replace(job, state=JobState.FAILED, updated_at=now, error=explain(error))
        else:
            report = ended.result()
            count = len(report.files)
            last = replace(
                job,
                state=JobState.SUCCEEDED,
                updated_at=now,
                done=count,
                total=count,
                detail={**job.detail, **_summary(report)},
            )
        self._save(collection, last)
        on_end(last)
        with self._lock:
            self._live.pop(job.id, None)
            self._told_to_end.discard(job.id)


def _as_it_stands(job: Job, live: AbstractSet[int]) -> Job:
    if job.state in (JobState.QUEUED, JobState.RUNNING) and job.id not in live:
        return replace(job, state=JobState.FAILED, error=_INTERRUPTED)
    return job


def _summary(report: IngestReport) -> Metadata:
    """Return how many sources had each outcome, and the failed ones with the reason."""
    counts = {
        outcome.value: sum(file.outcome is outcome for file in report.files)
        for outcome in FileOutcome
    }
    return {
        **{name: count for name, count in counts.items() if count},
        "chunks": report.chunks,
        "failures": [f"{file.source}: {file.reason}" for file in report.failed],
    }
