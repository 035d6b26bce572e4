"""Pages from a real server: what is read, and every way in which one is refused."""

from __future__ import annotations

import shutil
import socket
import subprocess
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.errors import FetchError
from clew.core.jobs import FileOutcome
from clew.ingest.sources import SourceFailure, SourceItem, read_sources
from clew.ingest.web.addresses import refusal
from clew.ingest.web.content_types import ContentType, read_content_type, suffix_of, transcoded
from clew.ingest.web.fetching import WebLimits, fetch_page, page_name
from clew.ingest.web.locations import is_web_address, other_scheme, without_credentials
from clew.ingest.web.network import resolve_name
from tests.ingest.web_server import PAGE, serving

HERE = WebLimits(allow_private_addresses=True, seconds=20, max_bytes=100_000)


@pytest.fixture(scope="module")
def site():
    with serving() as opened:
        yield opened


def get(site, path, limits=HERE, host="127.0.0.1", **options):
    return fetch_page(f"http://{host}:{site.port}/{path}", limits, **options)


def reason(site, path, limits=HERE, **options):
    with pytest.raises(FetchError) as caught:
        get(site, path, limits, **options)
    assert str(caught.value).startswith("http://")
    return caught.value.reason


def test_a_page_comes_with_its_address_and_the_suffix_of_its_type(site):
    page = get(site, "?q=1#part")
    assert page.data.decode() == PAGE
    assert page.suffix == ".html"
    assert page.address == f"http://127.0.0.1:{site.port}/?q=1"


@pytest.mark.parametrize(
    ("path", "suffix"),
    [("notes.md", ".md"), ("records", ".jsonl"), ("bytes", ".html"), ("latin", ".html")],
)
def test_the_content_type_decides_then_the_address_then_the_content(site, path, suffix):
    assert get(site, path).suffix == suffix


@pytest.mark.parametrize("path", ["latin", "gzip", "wrong-charset", "twice-moved"])
def test_charset_compression_and_redirects_lead_to_the_same_text(site, path):
    assert get(site, path).data.decode("utf-8") == PAGE


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("gone", "http-status"),
        ("loop", "redirects"),
        ("to-file", "bad-address"),
        ("huge", "too-large"),
        ("stated-huge", "too-large"),
        ("bomb", "too-large"),
        ("twice", "bad-answer"),
        ("cut", "bad-answer"),
        ("nonsense", "bad-answer"),
        ("short", "bad-answer"),
        ("reset", "unreachable"),
        ("image", "unsupported"),
    ],
)
def test_what_cannot_be_read_says_why(site, path, expected):
    assert reason(site, path) == expected


def test_redirects_are_counted(site):
    none = WebLimits(allow_private_addresses=True, max_redirects=1)
    assert reason(site, "twice-moved", none) == "redirects"
    assert get(site, "once-moved", none).data.decode() == PAGE


@pytest.mark.parametrize("path", ["drip", "slow-head", "silent"])
def test_drops_that_never_end_end_at_the_deadline(site, path):
    short = WebLimits(allow_private_addresses=True, seconds=0.4)
    assert reason(site, path, short) == "time-out"


def test_a_name_server_that_is_silent_ends_at_the_deadline(site):
    short = WebLimits(seconds=0.2)

    def silent(host, port):
        site.ending.wait(5)
        return []

    assert reason(site, "", short, host="pages.test", resolve=silent) == "time-out"


def test_what_is_not_public_is_refused_before_anything_is_sent(site):
    before = len(site.seen)
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433"):
        assert reason(site, "", WebLimits(), host=host) == "refused-address"
    assert len(site.seen) == before


def pretending(*answers):
    """Return a resolver that gives one answer after the other, and the list of what was asked."""
    asked: list[str] = []

    def resolve(host, port):
        asked.append(host)
        return list(answers[min(len(asked), len(answers)) - 1])

    return resolve, asked


class Routed:
    """The system's sockets, but a public address of documentation leads to this machine."""

    PUBLIC = "93.184.215.14"

    def __init__(self, monkeypatch, port):
        self.connected: list[str] = []
        real = socket.create_connection

        def connect(address, *args, **kwargs):
            self.connected.append(address[0])
            host = "127.0.0.1" if address[0] == self.PUBLIC else address[0]
            return real((host, port), *args, **kwargs)

        monkeypatch.setattr(socket, "create_connection", connect)


def test_the_checked_address_is_the_one_that_is_connected_to(site, monkeypatch):
    """A name that is public once and private at the second look (DNS rebinding)."""
    routed = Routed(monkeypatch, site.port)
    resolve, asked = pretending([Routed.PUBLIC], ["127.0.0.1"])
    page = get(site, "", WebLimits(), host="pages.test", resolve=resolve)
    assert page.data.decode() == PAGE
    assert asked == ["pages.test"]
    assert routed.connected == [Routed.PUBLIC]
    assert site.seen[-1] == (f"pages.test:{site.port}", "/")


@pytest.mark.parametrize("path", ["to-localhost", "to-metadata"])
def test_a_redirect_to_what_is_not_public_is_refused(site, monkeypatch, path):
    routed = Routed(monkeypatch, site.port)

    def resolve(host, port):
        return [Routed.PUBLIC] if host == "pages.test" else resolve_name(host, port)

    with pytest.raises(FetchError) as caught:
        get(site, path, WebLimits(), host="pages.test", resolve=resolve)
    assert caught.value.reason == "refused-address"
    assert "secret" not in str(caught.value)
    assert routed.connected == [Routed.PUBLIC]
    assert site.seen[-1][1] == f"/{path}"


def test_a_name_with_one_private_address_among_public_ones_is_refused(site):
    resolve, _ = pretending([Routed.PUBLIC, "10.0.0.1"])
    assert reason(site, "", WebLimits(), host="x.test", resolve=resolve) == "refused-address"


def test_the_next_address_is_tried_where_one_does_not_answer(site):
    resolve, _ = pretending(["127.0.0.2", "127.0.0.1"])
    assert get(site, "", host="pages.test", resolve=resolve).data.decode() == PAGE


def test_unknown_names_and_closed_ports_are_unreachable(site):
    def unknown(host, port):
        raise socket.gaierror("no such name")

    assert reason(site, "", host="x.test", resolve=unknown) == "unreachable"
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(FetchError, match="nothing answers"):
        fetch_page(f"http://127.0.0.1:{port}/", HERE)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for pages.test, made now and signed by nobody."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    folder = tmp_path_factory.mktemp("certificate")
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = "-subj /CN=pages.test -addext subjectAltName=DNS:pages.test"
    files = f"-keyout {folder / 'key'} -out {folder / 'certificate'}"
    subprocess.run(
        ["openssl", *made.split(), *names.split(), *files.split()], check=True, capture_output=True
    )
    both = folder / "both.pem"
    both.write_bytes((folder / "key").read_bytes() + (folder / "certificate").read_bytes())
    return both


@pytest.mark.skip_allowed
def test_tls_is_checked_against_the_name_and_not_the_address(certificate, monkeypatch):
    resolve, _ = pretending(["127.0.0.1"])
    with serving(certificate) as secure:

        def read(host):
            address = f"https://{host}:{secure.port}/"
            return fetch_page(address, HERE, resolve=resolve)

        with pytest.raises(FetchError, match="certificate") as caught:
            read("pages.test")
        assert caught.value.reason == "tls"
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert read("pages.test").data.decode() == PAGE
        with pytest.raises(FetchError, match=r"other\.test") as caught:
            read("other.test")
        assert caught.value.reason == "tls"


def test_a_server_that_speaks_no_tls_is_a_tls_error(site):
    with pytest.raises(FetchError) as caught:
        fetch_page(f"https://127.0.0.1:{site.port}/", HERE)
    assert caught.value.reason == "tls"


def test_proxies_of_the_environment_are_not_used_and_one_of_the_settings_is(site, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert get(site, "").data.decode() == PAGE
    by_proxy = WebLimits(proxy=f"http://user:secret@127.0.0.1:{site.port}")

    def unknown(host, port):
        if host == "127.0.0.1":
            return ["127.0.0.1"]
        raise socket.gaierror("only the proxy knows")

    page = fetch_page("http://elsewhere.test/", by_proxy, resolve=unknown)
    assert page.data.decode() == PAGE
    assert site.seen[-1] == ("elsewhere.test", "http://elsewhere.test/")
    assert site.authorization[-1] == "Basic dXNlcjpzZWNyZXQ="
    with pytest.raises(FetchError) as caught:
        fetch_page("http://10.0.0.1/", by_proxy, resolve=resolve_name)
    assert caught.value.reason == "refused-address"


def test_credentials_are_sent_and_never_shown(site):
    page = fetch_page(f"http://ana:s%65cret@127.0.0.1:{site.port}/", HERE)
    assert page.address == f"http://127.0.0.1:{site.port}/"
    assert site.authorization[-1] == "Basic YW5hOnNlY3JldA=="
    with pytest.raises(FetchError) as caught:
        fetch_page(f"http://ana:secret@127.0.0.1:{site.port}/gone", HERE)
    assert "secret" not in str(caught.value)
    assert "ana" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    ["http://", "http://[::1", "http://host:99999/", "http://a:se/cret@host/", "ftp://host/x"],
)
def test_malformed_addresses_are_named_without_their_secrets(address):
    with pytest.raises(FetchError) as caught:
        fetch_page(address, WebLimits())
    assert caught.value.reason == "bad-address"
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("::1", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("::", "unspecified"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("192.168.1.1", "private"),
        ("100.64.0.1", "private"),
        ("fd12::1", "private"),
        ("fec0::1", "private"),
        ("169.254.1.1", "link-local"),
        ("fe80::1%eth0", "link-local"),
        ("224.0.0.1", "multicast"),
        ("ff02::1", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("192.0.2.1", "private"),
        ("198.18.0.1", "private"),
        ("2001:db8::1", "private"),
        ("2002:7f00:1::", "a tunnel"),
        ("2001:0:1::", "a tunnel"),
        ("169.254.169.254", "a cloud metadata service"),
        ("168.63.129.16", "a cloud metadata service"),
        ("100.100.100.200", "a cloud metadata service"),
        ("fd00:ec2::254", "a cloud metadata service"),
        ("::ffff:10.0.0.1", "private"),
        ("::ffff:127.0.0.1", "loopback"),
        ("64:ff9b::127.0.0.1", "loopback"),
        ("64:ff9b::10.0.0.1", "private"),
        ("64:ff9b:1::1", "private"),
        ("8.8.8.8", None),
        ("172.32.0.1", None),
        ("2606:4700:4700::1111", None),
        ("::ffff:8.8.8.8", None),
        ("64:ff9b::8.8.8.8", None),
    ],
)
def test_which_addresses_are_public(address, kind):
    assert refusal(address) == kind


@given(st.ip_addresses(v=4))
def test_an_address_in_ipv6_dress_is_judged_as_it_is(address):
    bare = refusal(str(address))
    assert refusal(f"::ffff:{address}") == bare
    assert refusal(f"64:ff9b::{address}") == bare
    if bare is None:
        assert ip_address(str(address)).is_global


def test_web_addresses_are_told_from_texts():
    assert is_web_address(" HTTPS://x.org/a?b=c ")
    assert not is_web_address("https://x.org is a site")
    assert not is_web_address("http://")
    assert other_scheme("ftp://x/y") == "ftp"
    assert other_scheme("a text about ftp://x") is None


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://u:p@x.org/a?b=c@d", "http://x.org/a?b=c@d"),
        ("http://u@x.org", "http://x.org"),
        ("http://x.org/@user", "http://x.org/@user"),
        ("http://u:p@q@x.org/", "http://x.org/"),
    ],
)
def test_credentials_are_cut_from_an_address(address, shown):
    assert without_credentials(address) == shown
    assert page_name(address + "#part") == shown


@pytest.mark.parametrize(
    ("header", "address", "data", "suffix"),
    [
        ("text/html; charset=x-unknown", "http://x/a.pdf", b"", ".html"),
        ("application/pdf", "http://x/a", b"", ".pdf"),
        ("application/octet-stream", "http://x/a.DOCX?x=1", b"", ".docx"),
        ("text/plain", "http://x/a", b"  <!DOCTYPE html>", ".html"),
        ("text/x-python", "http://x/a", b"", ".txt"),
        ("", "http://x/", b"words", ".txt"),
        ("video/mp4", "http://x/a.txt", b"", None),
    ],
)
def test_suffixes_of_content_types(header, address, data, suffix):
    assert suffix_of(read_content_type(header), address, data) == suffix


def test_only_text_is_transcoded():
    latin = ContentType("text/plain", "iso8859-1")
    assert transcoded("é".encode("latin-1"), latin, ".txt") == "é".encode()
    assert transcoded(b"\xe9", latin, ".pdf") == b"\xe9"
    assert transcoded(b"\xe9", ContentType("text/plain", "ascii"), ".txt") == b"\xe9"
    assert read_content_type("text/html; charset=nonsense").charset is None
    read = read_content_type('Text/HTML; boundary=x ;CHARSET = "utf-8"')
    assert read == ContentType("text/html", "utf-8")


def read(site, path, limits=HERE):
    address = f"http://u:secret@127.0.0.1:{site.port}/{path}"
    items = read_sources([address], fetch=lambda each: fetch_page(each, limits))
    return [item.read() if isinstance(item, SourceItem) else item for item in items]


def test_pages_become_sources(site):
    (page,) = read(site, "latin")
    assert not isinstance(page, SourceFailure)
    assert page.source == f"http://127.0.0.1:{site.port}/latin"
    assert (page.parsed.title, page.parsed.text) == ("Kestrel", "Ana é só.")
    first, second = read(site, "records")
    assert first.source == f"http://127.0.0.1:{site.port}/records#1"
    assert second.source.endswith("#2")


def test_a_page_that_fails_is_one_failure_without_secrets(site):
    for path, limits, why in (
        ("gone", HERE, "http-status"),
        ("", WebLimits(), "refused-address"),
    ):
        (failure,) = read(site, path, limits)
        assert isinstance(failure, SourceFailure)
        assert (failure.reason, failure.outcome) == (why, FileOutcome.FAILED)
        assert "secret" not in failure.message + failure.source


def test_without_a_fetcher_the_web_is_out_of_reach():
    (failure,) = read_sources(["https://u:secret@x.org/"])
    assert isinstance(failure, SourceFailure)
    assert failure.source == "https://x.org/"
    assert "secret" not in failure.message
