"""A real web server on this machine whose pages misbehave in every way that a page can."""

from __future__ import annotations

import gzip
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

PAGE = (
    "<!doctype html><html><head><title>Kestrel</title></head><body><p>Ana é só.</p></body></html>"
)
BOMB = gzip.compress(bytes(50_000_000))


class Site(ThreadingHTTPServer):
    """Remembers the Host header and the path of every request, and who it says is asking."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Pages)
        self.seen: list[tuple[str, str]] = []
        self.authorization: list[str | None] = []
        self.ending = threading.Event()

    @property
    def port(self) -> int:
        return self.server_address[1]

    def handle_error(self, request, client_address):
        """Say nothing: clients break off on purpose."""


class Pages(BaseHTTPRequestHandler):
    server: Site
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *args):
        """Say nothing."""

    def do_GET(self):
        self.server.seen.append((self.headers["Host"], self.path))
        self.server.authorization.append(
            self.headers["Authorization"] or self.headers["Proxy-Authorization"]
        )
        name = urlsplit(self.path).path.strip("/").replace(".", "_").replace("-", "_")
        getattr(self, f"page_{name}", self.page_missing)()

    def answer(self, body: bytes, kind: str | None = "text/html", status: int = 200, **headers):
        self.send_response(status)
        if kind is not None:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def to(self, location: str):
        self.answer(b"", status=302, Location=location)

    def page_(self):
        self.answer(PAGE.encode(), "text/html; charset=utf-8")

    def page_latin(self):
        self.answer(PAGE.encode("latin-1"), "text/html; charset=ISO-8859-1")

    def page_wrong_charset(self):
        self.answer(PAGE.encode("utf-8"), "text/html; charset=us-ascii")

    def page_notes_md(self):
        self.answer(b"---\ntitle: Notes\n---\nText *here*.", "text/plain")

    def page_records(self):
        self.answer(b'{"id": 1, "text": "one"}\n{"id": 2, "text": "two"}\n', "application/x-ndjson")

    def page_bytes(self):
        self.answer(b"<html><body>Sniffed.</body></html>", None)

    def page_image(self):
        self.answer(b"\x89PNG", "image/png")

    def page_gzip(self):
        self.answer(gzip.compress(PAGE.encode()), Content_Encoding="gzip")

    def page_twice(self):
        self.answer(gzip.compress(gzip.compress(b"x")), Content_Encoding="gzip, gzip")

    def page_cut(self):
        self.answer(gzip.compress(PAGE.encode())[:-12], Content_Encoding="gzip")

    def page_bomb(self):
        self.answer(BOMB, Content_Encoding="gzip")

    def page_missing(self):
        self.answer(b"gone", status=404)

    def page_loop(self):
        self.to("/loop")

    def page_twice_moved(self):
        self.to("/once-moved")

    def page_once_moved(self):
        self.to("/")

    def page_to_file(self):
        self.to("file:///etc/hostname")

    def page_to_metadata(self):
        self.to("http://user:secret@169.254.169.254/latest/meta-data/")

    def page_to_localhost(self):
        self.to(f"http://127.0.0.1:{self.server.port}/inside")

    def page_huge(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Connection", "close")
        self.end_headers()
        for _ in range(1_000_000):
            self.wfile.write(b"x" * 65_536)

    def page_stated_huge(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(10**12))
        self.end_headers()

    def page_drip(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while not self.server.ending.wait(0.02):
            self.wfile.write(b"x")

    def page_slow_head(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.server.ending.wait(0.02):
            self.wfile.write(b"x")

    def page_silent(self):
        self.server.ending.wait(30)

    def page_short(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"x")
        self.close_connection = True

    def page_reset(self):
        self.page_short()
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def page_nonsense(self):
        self.wfile.write(b"this is no HTTP\r\n\r\n")
        self.close_connection = True


@contextmanager
def serving(certificate: Path | None = None) -> Iterator[Site]:
    """Serve until the block ends, under TLS with a certificate (its key in the same file)."""
    site = Site()
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        site.socket = context.wrap_socket(site.socket, server_side=True)
    thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield site
    finally:
        site.ending.set()
        site.shutdown()
        site.server_close()
        thread.join()
