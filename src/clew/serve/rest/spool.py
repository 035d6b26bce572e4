"""What jobs were asked to add, kept until they have done it: they can be tried again, also after
the server has ended."""

from __future__ import annotations

import base64
import json
import os
import tempfile
import threading
from pathlib import Path

from clew.core.errors import StoreError
from clew.core.ids import format_id, parse_id
from clew.serve.rest.models_of_documents import NewDocuments
from clew.serve.rest.orders import Order, Upload

FOLDER = "jobs"
_FORMAT = 1


class Spool:
    """Orders by the id of their job: files in a folder, or memory where there is none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._held: dict[int, Order] = {}
        self._lock = threading.Lock()

    def put(self, job: int, order: Order) -> None:
        """Keep an order.

        Raises:
            StoreError: it cannot be written.
        """
        if self._folder is None:
            with self._lock:
                self._held[job] = order
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(_record(order), file)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._file(self._folder, job))
        except OSError as error:
            raise StoreError(f"cannot keep the job in {self._folder}: {error}") from error

    def get(self, job: int) -> Order | None:
        """Return an order, None where it is done or was never kept.

        Raises:
            StoreError: it cannot be read.
        """
        if self._folder is None:
            with self._lock:
                return self._held.get(job)
        path = self._file(self._folder, job)
        try:
            return _order(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"cannot read the job {path}: {error}; delete the file") from error

    def drop(self, job: int) -> None:
        """Forget an order."""
        with self._lock:
            self._held.pop(job, None)
        if self._folder is not None:
            self._file(self._folder, job).unlink(missing_ok=True)

    def drop_collection(self, collection: str) -> None:
        """Forget all orders for a collection."""
        for job in self.jobs():
            order = self.get(job)
            if order is not None and order.collection == collection:
                self.drop(job)

    def jobs(self) -> list[int]:
        """Return the jobs whose orders are kept."""
        if self._folder is None:
            with self._lock:
                return sorted(self._held)
        return sorted(parse_id(path.stem) for path in self._folder.glob("*.json"))

    @staticmethod
    def _file(folder: Path, job: int) -> Path:
        return folder / f"{format_id(job)}.json"


def _record(order: Order) -> dict[str, object]:
    what = order.what
    told: dict[str, object] = {
        "format": _FORMAT,
        "collection": order.collection,
        "groups": None if order.groups is None else sorted(order.groups),
        "request_id": order.request_id,
    }
    if isinstance(what, Upload):
        told["upload"] = {
            "data": base64.b64encode(what.data).decode("ascii"),
            "suffix": what.suffix,
            "filename": what.filename,
            "acl": list(what.acl),
        }
    else:
        told["documents"] = what.model_dump(mode="json")
    return told


def _order(record: dict[str, object]) -> Order:
    upload, groups = record.get("upload"), record["groups"]
    what: NewDocuments | Upload
    if isinstance(upload, dict):
        data = base64.b64decode(upload["data"])
        what = Upload(data, upload["suffix"], upload["filename"], tuple(upload["acl"]))
    else:
        what = NewDocuments.model_validate(record["documents"])
    return Order(
        collection=str(record["collection"]),
        groups=frozenset(groups) if isinstance(groups, list) else None,
        request_id=str(record["request_id"]),
        what=what,
    )
