"""A real HTTP server that speaks the chat part of the OpenAI API, and fails as it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Turn:
    """What one request is answered with: a refusal, or pieces of an answer and how they come."""

    pieces: list[str] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    message: str = ""
    pause: float = 0.0
    """Seconds before each piece."""
    cut: bool = False
    """Close the connection after the pieces, without an end."""
    silent: float = 0.0
    """Seconds of comments (": ping") in place of pieces."""
    likely: dict[str, float] = field(default_factory=dict)
    """Tokens and their log probabilities, sent with the first piece to whoever asks."""
    raw: bytes | None = None
    """Sent as the body, whatever it is."""


def said(*pieces: str, **how: Any) -> Turn:
    return Turn(list(pieces), **how)


def refused(status: int, message: str = "no", **headers: str) -> Turn:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Turn(status=status, message=message, headers=named)


class ChatServer(ThreadingHTTPServer):
    """Keeps what was asked. `turns` are given first, then what `answer` makes of the request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.turns: list[Turn] = []
        self.answer: Callable[[dict[str, Any]], Turn] = lambda request: said("Yes", ".")
        self.counts = True
        self.models: list[dict[str, Any]] = [{"id": "tiny", "object": "model"}]
        self.running = 0
        self.most_running = 0
        self.left = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        return [request["messages"][-1]["content"] for request in self.asked]


class Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_GET(self):
        self.whole(200, {}, json.dumps({"object": "list", "data": self.server.models}).encode())

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            server.asked.append(request)
            server.keys.append(self.headers["Authorization"])
            turn = server.turns.pop(0) if server.turns else server.answer(request)
            server.running += 1
            server.most_running = max(server.most_running, server.running)
        try:
            self.give(turn, request)
        except (BrokenPipeError, ConnectionResetError):
            with server.lock:
                server.left += 1
        finally:
            self.close_connection = True
            with server.lock:
                server.running -= 1

    def give(self, turn: Turn, request: dict[str, Any]) -> None:
        if turn.status != 200:
            error = json.dumps({"error": {"message": turn.message, "code": turn.status}}).encode()
            self.whole(turn.status, turn.headers, error)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        if turn.raw is not None:
            self.wfile.write(turn.raw)
            return
        end = time.monotonic() + turn.silent
        while time.monotonic() < end:
            self.wfile.write(b": ping\n\n")
            self.wfile.flush()
            time.sleep(0.02)
        for place, piece in enumerate(turn.pieces):
            time.sleep(turn.pause)
            choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
            if turn.likely and request.get("logprobs") and place == 0:
                top = [{"token": t, "logprob": p, "bytes": None} for t, p in turn.likely.items()]
                first = {"token": piece, "logprob": 0.0, "bytes": None, "top_logprobs": top}
                choice["logprobs"] = {"content": [first]}
            self.event([choice])
        if turn.cut:
            return
        self.event([{"index": 0, "delta": {}, "finish_reason": "stop"}])
        if self.server.counts and request.get("stream_options"):
            tokens = {"prompt_tokens": 11, "completion_tokens": len(turn.pieces)}
            self.event([], usage={**tokens, "total_tokens": 11 + len(turn.pieces)})
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, choices: list[dict[str, Any]], **more: Any) -> None:
        told = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}
        self.wfile.write(f"data: {json.dumps({**told, 'choices': choices, **more})}\n\n".encode())
        self.wfile.flush()

    def whole(self, status: int, headers: dict[str, str], data: bytes) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@contextmanager
def serving() -> Iterator[ChatServer]:
    served = ChatServer()
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        served.shutdown()
        thread.join()
        served.server_close()
