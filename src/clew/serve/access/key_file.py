"""The file of API keys: JSON that only its owner may read, replaced whole at every change."""

from __future__ import annotations

import hmac
import json
import os
import secrets
import tempfile
import threading
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from clew.core.errors import NotFoundError, SettingsError
from clew.serve.access.api_key import ApiKey, Right, digest_of, new_secret

_FORMAT = 1
_OWNER_ONLY = 0o600


def key_file_of(store: Path) -> Path:
    """Return where the keys of a store are kept unless the settings say otherwise."""
    return store.with_name(f"{store.name.removesuffix('.clew')}.keys.json")


class KeyFile:
    """The keys in the file `path`; a missing file holds none.

    Changes by other processes are seen by the next call. Safe to use from several threads.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._keys: tuple[ApiKey, ...] = ()

    def keys(self) -> tuple[ApiKey, ...]:
        """Return all keys, oldest first.

        Raises:
            SettingsError: the file cannot be read; then nobody is let in.
        """
        with self._lock:
            stamp = self._current_stamp()
            if stamp != self._stamp:
                self._keys = () if stamp is None else self._read()
                self._stamp = stamp
            return self._keys

    def find(self, secret: str) -> ApiKey | None:
        """Return the key whose secret this is; every key is compared, in constant time each."""
        digest, found = digest_of(secret), None
        for key in self.keys():
            if hmac.compare_digest(key.digest, digest):
                found = key
        return found

    def add(
        self,
        name: str,
        *,
        rights: Iterable[Right] = (Right.READ,),
        collections: Iterable[str] | None = None,
        groups: Iterable[str] | None = None,
    ) -> tuple[ApiKey, str]:
        """Make a key and return it with its secret, which is kept nowhere."""
        secret = new_secret()
        key = ApiKey(
            id=secrets.token_hex(4),
            name=name,
            digest=digest_of(secret),
            rights=frozenset(rights),
            created_at=datetime.now(UTC),
            collections=None if collections is None else frozenset(collections),
            groups=None if groups is None else frozenset(groups),
        )
        self._write((*self.keys(), key))
        return key, secret

    def remove(self, identifier: str) -> ApiKey:
        """Remove a key by its id.

        Raises:
            NotFoundError: there is no such key.
        """
        keys = self.keys()
        found = next((key for key in keys if key.id == identifier), None)
        if found is None:
            raise NotFoundError(f"{self.path} has no key {identifier!r}; see: clew keys list")
        self._write(tuple(key for key in keys if key is not found))
        return found

    def _current_stamp(self) -> tuple[int, int, int] | None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error) from error
        return found.st_mtime_ns, found.st_ino, found.st_size

    def _read(self) -> tuple[ApiKey, ...]:
        try:
            held = json.loads(self.path.read_text(encoding="utf-8"))
            if held["format"] != _FORMAT:
                raise SettingsError(f"{self.path} has the format {held['format']}, not {_FORMAT}")
            return tuple(_key(record) for record in held["keys"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._unreadable(error) from error

    def _write(self, keys: tuple[ApiKey, ...]) -> None:
        text = json.dumps({"format": _FORMAT, "keys": [_record(key) for key in keys]}, indent=2)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=self.path.name, dir=self.path.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(_OWNER_ONLY)
            Path(name).replace(self.path)
        except OSError as error:
            raise SettingsError(f"cannot write the key file {self.path}: {error}") from error

    def _unreadable(self, error: Exception) -> SettingsError:
        return SettingsError(f"cannot read the key file {self.path}: {error}")


def _record(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "digest": key.digest,
        "rights": sorted(key.rights),
        "created_at": key.created_at.isoformat(),
        "collections": None if key.collections is None else sorted(key.collections),
        "groups": None if key.groups is None else sorted(key.groups),
    }


def _key(record: Mapping[str, object]) -> ApiKey:
    return ApiKey(
        id=str(record["id"]),
        name=str(record["name"]),
        digest=str(record["digest"]),
        rights=frozenset(Right(right) for right in _texts(record["rights"])),
        created_at=datetime.fromisoformat(str(record["created_at"])),
        collections=_several(record["collections"]),
        groups=_several(record["groups"]),
    )


def _several(value: object) -> frozenset[str] | None:
    return None if value is None else frozenset(_texts(value))


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is no list")
    return [str(each) for each in value]
