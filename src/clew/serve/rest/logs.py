"""Logs of the server: one JSON object a line, with the id of the request that it is about."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

_FIELDS = ("request_id", "method", "route", "status", "milliseconds", "mode", "key")


class JsonLines(logging.Formatter):
    """Formats a record as one line; texts of questions and keys are never among its fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update((name, getattr(record, name)) for name in _FIELDS if hasattr(record, name))
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "clew.serve.rest.logs.JsonLines"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "json",
            "stream": "ext://sys.stderr",
        }
    },
    "loggers": {
        "clew.serve": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        "uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
    },
}
"""For `logging.config.dictConfig`, as uvicorn takes it."""
