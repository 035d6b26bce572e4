"""What clients of the OpenAI API have in common: address, key, and errors without the key."""

from __future__ import annotations

import os
from typing import Any

from clew.core.errors import ModelError
from clew.core.lazy import load

OPENAI_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
_NO_KEY = "none"
"""What is sent to servers that ask for no key; the client insists on one."""
_HIDDEN = "**********"
_SHOWN = 300


class OpenAIEndpoint:
    """A client of the `openai` package for one endpoint, and the words for its failures.

    Args:
        subject: what the endpoint serves, as errors name it: `embedding model 'tiny'`.
        section: the section of the settings that errors point to.
        base_url: the endpoint, up to and with `/v1`; None is OpenAI's own.
        api_key: the key; None takes OPENAI_API_KEY for OpenAI's own endpoint, and none elsewhere,
            so that the key is never sent to a server that it is not for.
        timeout: seconds that a request may take.
        retries: how often the client itself repeats a request.

    Raises:
        MissingExtraError: the package openai is not installed.
    """

    def __init__(
        self,
        subject: str,
        *,
        section: str,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        retries: int,
    ) -> None:
        self.openai: Any = load("openai", "openai", "llm")
        self.url = base_url or OPENAI_URL
        self._subject = subject
        self._section = section
        self._key = (
            api_key or (os.environ.get(KEY_VARIABLE) if base_url is None else None) or _NO_KEY
        )
        self.client: Any = self.openai.OpenAI(
            api_key=self._key, base_url=self.url, timeout=timeout, max_retries=retries
        )

    def failure(self, error: Exception) -> ModelError:
        """Return the error for a request that failed; servers may repeat the key in their text."""
        openai, section = self.openai, self._section
        if isinstance(error, openai.APITimeoutError):
            return self.error(f"it did not answer in time; raise {section}.timeout")
        if isinstance(error, openai.APIConnectionError):
            return self.error(f"it cannot be reached; check {section}.base_url")
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            variable = f"CLEW_{section.upper()}__API_KEY"
            return self.error(f"it refuses the key; set {variable} or {section}.api_key")
        if isinstance(error, openai.APIStatusError):
            return self.error(f"it answers {error.status_code}: {self._without_key(error.message)}")
        return self.error(self._without_key(error))

    def error(self, problem: str) -> ModelError:
        """Return an error that names the model and the place."""
        return ModelError(f"{self._subject} at {self.url}: {problem}")

    def _without_key(self, told: object) -> str:
        return str(told).replace(self._key, _HIDDEN)[:_SHOWN]
