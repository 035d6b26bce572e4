"""Which addresses are this machine's own, and whether a server may listen where it is told."""

from __future__ import annotations

from ipaddress import ip_address

from clew.core.errors import SettingsError


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches `host`."""
    if host.casefold() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def require_keys_for(host: str, *, there_are_keys: bool) -> None:
    """Check that a server which others can reach has keys.

    Raises:
        SettingsError: it has none.
    """
    if not is_loopback(host) and not there_are_keys:
        raise SettingsError(
            f"{host} can be reached from other machines, and there are no API keys; make one with: "
            "clew keys add NAME, or listen on 127.0.0.1"
        )
