"""The one place where a module is imported only when it is needed."""

from __future__ import annotations

import importlib
from types import ModuleType

from clew.core.errors import MissingExtraError, ModelError


def load(module: str, package: str, extra: str | None = None) -> ModuleType:
    """Import `module`, which needs the third party `package`, installed by the extra `extra`.

    Raises:
        MissingExtraError: the package belongs to an extra and is not installed.
        ModelError: the package belongs to the default installation and is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package.replace("-", "_"):
            raise
        if extra is not None:
            raise MissingExtraError(package, extra) from error
        raise ModelError(
            f"{package!r} is needed for this and is not installed: pip install {package}"
        ) from error
