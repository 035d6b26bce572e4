"""Which network addresses are public; the others lead into the caller's own network.

Ranges after the IANA special-purpose address registries (RFC 6890), as `ipaddress` knows them.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_SHARED = IPv4Network("100.64.0.0/10")
_TRANSLATED = IPv6Network("64:ff9b::/96")
_TRANSLATED_LOCALLY = IPv6Network("64:ff9b:1::/48")
_METADATA: frozenset[IPv4Address | IPv6Address] = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
    )
)
"""Where clouds tell a machine its secrets; one of them (168.63.129.16) lies in a public range."""


def refusal(address: str) -> str | None:
    """Return in a word or two why `address` (as `getaddrinfo` gives it) is not public, or None.

    An IPv6 address that stands for an IPv4 one (RFC 4291 2.5.5.2, RFC 6052) is judged by that.

    Raises:
        ValueError: it is no address.
    """
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv4Address):
        return _refusal_of_four(parsed)
    if parsed.ipv4_mapped is not None:
        return _refusal_of_four(parsed.ipv4_mapped)
    if parsed in _TRANSLATED:
        return _refusal_of_four(IPv4Address(int(parsed) & 0xFFFFFFFF))
    if parsed.sixtofour is not None or parsed.teredo is not None:
        return "a tunnel"
    if parsed.is_site_local or parsed in _TRANSLATED_LOCALLY:
        return "private"
    return _refusal_by_kind(parsed)


def _refusal_of_four(address: IPv4Address) -> str | None:
    if address in _SHARED and address not in _METADATA:
        return "private"
    return _refusal_by_kind(address)


def _refusal_by_kind(address: IPv4Address | IPv6Address) -> str | None:
    kinds = (
        ("a cloud metadata service", address in _METADATA),
        ("unspecified", address.is_unspecified),
        ("loopback", address.is_loopback),
        ("link-local", address.is_link_local),
        ("multicast", address.is_multicast),
        ("reserved", address.is_reserved),
        ("private", address.is_private or not address.is_global),
    )
    return next((kind for kind, holds in kinds if holds), None)
