"""All routers of the server, in the order in which paths are matched; a new one goes in here."""

from __future__ import annotations

from fastapi import APIRouter

from clew.serve.rest.routes import (
    algorithms,
    chats,
    collections,
    documents,
    exporting,
    graph,
    health,
    jobs,
    openai,
    questions,
    rag,
)

ROUTERS: tuple[APIRouter, ...] = (
    health.router,
    rag.router,
    openai.router,
    collections.router,
    documents.router,
    exporting.router,
    jobs.router,
    questions.router,
    chats.router,
    graph.router,
    algorithms.router,
)
