"""Files of derived data, written so that a full disk is an error that says so."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_SYSTEM_ERROR = re.compile(r"os error (\d+)")
_SIGNS = ("IO error", "write error", "No space left", "failed: ")


def save_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array file; `numpy.save` does not say of a full disk that it is full."""
    whole = np.ascontiguousarray(array)
    with path.open("wb") as file:
        write_header(file, whole, rows=len(whole))
        if whole.size:
            file.write(whole.reshape(-1).view(np.uint8).data)


def write_header(file: IO[bytes], array: NDArray[Any], *, rows: int) -> None:
    """Write the head of an array file with the type of `array` and its shape, but for `rows`."""
    head = np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(file, {**head, "shape": (rows, *array.shape[1:])})


@contextmanager
def system_errors(path: Path) -> Iterator[None]:
    """Turn what tantivy and FAISS raise when they cannot write into `OSError`.

    They raise ValueError and RuntimeError for that too; other errors of these kinds pass.
    """
    try:
        yield
    except (ValueError, RuntimeError) as error:
        message = str(error)
        if not any(sign in message for sign in _SIGNS):
            raise
        found = _SYSTEM_ERROR.search(message)
        number = int(found.group(1)) if found else errno.EIO
        if "No space left" in message:
            number = errno.ENOSPC
        raise OSError(number, message, str(path)) from error
