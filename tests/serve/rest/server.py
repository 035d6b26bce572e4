"""A store with two documents, served in this process or by a real uvicorn in a thread."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager

import uvicorn
from fastapi.testclient import TestClient

from clew.engine.components import open_store
from clew.engine.library import Library
from clew.serve.access.key_file import KeyFile
from clew.serve.rest.app import create_app
from clew.settings.model import ServeSettings, Settings
from clew.testing.fakes import HashingEmbedder
from tests.engine.stand_ins import PatternExtractor

LOCAL = "http://127.0.0.1"
ACME = "Acme Corp acquired Beta Labs. Ada Moreau leads Acme Corp."
BETA = "Beta Labs supplies Gamma Partners."


class Server:
    """A library in a folder of its own, and clients of it."""

    def __init__(self, folder, **settings):
        self.store = open_store(folder / "kb.clew", create=True)
        self.settings = ServeSettings(**settings)
        self.library = Library(
            self.store,
            settings=Settings(serve=self.settings),
            embedder=HashingEmbedder(),
            extractor=PatternExtractor(),
            owns_store=True,
        )
        self.keys = KeyFile(folder / "kb.keys.json")

    def fill(self, collection="default", *, acl=()):
        clew = self.library.create(collection)
        clew.add(
            [{"source": "acme", "text": ACME, "acl": list(acl)}, {"source": "beta", "text": BETA}]
        )
        return clew

    def app(self, **options):
        return create_app(self.library, keys=self.keys, **options)

    def client(self, secret=None, **options):
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        return TestClient(
            self.app(**options), base_url=LOCAL, raise_server_exceptions=False, headers=headers
        )

    def key(self, *rights, **scope):
        return self.keys.add("test", rights=rights, **scope)[1]

    def listening(self, **options):
        """Give the address of a real server."""
        return running(self.app(**options))


@contextmanager
def running(app, *, lifespan="off"):
    """Give the address of a real server of an application."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan=lifespan))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"{LOCAL}:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


def problem(response, status):
    """Return the problem that a response is."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    assert body["type"] == "about:blank"
    assert body["title"]
    assert body["request_id"] == response.headers["x-request-id"]
    assert "Traceback" not in response.text
    return body


def events(text):
    """Return name and data of the server-sent events in a body."""
    found = []
    for block in text.replace("\r\n", "\n").strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found
