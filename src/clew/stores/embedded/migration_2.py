"""Format 2 keeps history: when rows became known, and what stood before."""

from __future__ import annotations

import sqlite3

_TIMED = ("chunks", "mentions", "statements", "claims", "merges")

_PAST_TABLES = """
CREATE TABLE past_documents (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, source TEXT NOT NULL,
    content_hash TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, authors TEXT NOT NULL,
    language TEXT, published_at INTEGER, authority REAL, metadata TEXT NOT NULL, acl TEXT NOT NULL,
    pages TEXT NOT NULL, recorded_at INTEGER, retired_at INTEGER NOT NULL,
    superseded_by INTEGER NOT NULL);
CREATE INDEX past_documents_source ON past_documents (collection, source);

CREATE TABLE past_chunks (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, document INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, stage INTEGER NOT NULL, span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL, page INTEGER, text TEXT NOT NULL, original TEXT,
    recorded_at INTEGER, retired_at INTEGER NOT NULL, source TEXT NOT NULL, vector BLOB);
CREATE INDEX past_chunks_source ON past_chunks (collection, source);

CREATE TABLE past_mentions (
    collection INTEGER NOT NULL, chunk INTEGER NOT NULL, node INTEGER NOT NULL,
    key TEXT NOT NULL, span_start INTEGER NOT NULL, span_end INTEGER NOT NULL,
    role INTEGER NOT NULL, surface TEXT NOT NULL, kind INTEGER NOT NULL, label TEXT,
    confidence REAL NOT NULL, origin INTEGER NOT NULL, edge INTEGER NOT NULL, recorded_at INTEGER,
    retired_at INTEGER NOT NULL);
CREATE INDEX past_mentions_origin ON past_mentions (collection, origin);

CREATE TABLE past_statements (
    collection INTEGER NOT NULL, edge INTEGER NOT NULL, chunk INTEGER NOT NULL,
    span_start INTEGER NOT NULL, span_end INTEGER NOT NULL, word INTEGER NOT NULL,
    origin INTEGER NOT NULL, confidence REAL NOT NULL, standing INTEGER NOT NULL,
    retired_at INTEGER, recorded_at INTEGER);
CREATE INDEX past_statements_origin ON past_statements (collection, origin);
CREATE INDEX past_statements_edge ON past_statements (collection, edge);

CREATE TABLE past_claims (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, chunk INTEGER NOT NULL, text TEXT NOT NULL,
    span_start INTEGER NOT NULL, span_end INTEGER NOT NULL, subjects TEXT NOT NULL,
    occurred_at INTEGER, valid_from INTEGER, valid_to INTEGER, status TEXT NOT NULL,
    confidence REAL NOT NULL, origin INTEGER NOT NULL, recorded_at INTEGER,
    retired_at INTEGER NOT NULL);
CREATE INDEX past_claims_origin ON past_claims (collection, origin);

CREATE TABLE past_merges (
    collection INTEGER NOT NULL, key TEXT NOT NULL, node INTEGER NOT NULL, chunk INTEGER NOT NULL,
    score REAL NOT NULL, reason TEXT NOT NULL, origin INTEGER NOT NULL, recorded_at INTEGER,
    retired_at INTEGER NOT NULL);
CREATE INDEX past_merges_origin ON past_merges (collection, origin);
"""

_COMMUNITIES = """
CREATE TABLE communities (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, level INTEGER NOT NULL, path TEXT NOT NULL,
    members TEXT NOT NULL, parent INTEGER, title TEXT NOT NULL, summary TEXT NOT NULL,
    evidence TEXT NOT NULL, acl TEXT NOT NULL, vector BLOB,
    PRIMARY KEY (collection, id)) WITHOUT ROWID
"""
"""They get a title and their evidence; those of format 1 go, since nothing wrote any yet."""

_KNOWN_SINCE = """(
    SELECT d.recorded_at FROM chunks c JOIN documents d
    ON d.collection = c.collection AND d.id = c.document
    WHERE c.collection = {table}.collection AND c.id = {table}.{chunk})"""


def keep_history(connection: sqlite3.Connection) -> None:
    """Add the columns and tables of history.

    What format 1 holds became known when the present version of its document did, at the latest;
    rows that no present chunk supports have no time and count as known since ever.
    """
    for table in _TIMED:
        connection.execute(f"ALTER TABLE {table} ADD COLUMN recorded_at INTEGER")
    for table in _TIMED:
        known = _KNOWN_SINCE.format(table=table, chunk="id" if table == "chunks" else "chunk")
        connection.execute(f"UPDATE {table} SET recorded_at = {known}")  # noqa: S608
    connection.execute(
        "UPDATE edges SET recorded_at = (SELECT min(recorded_at) FROM statements s "
        "WHERE s.collection = edges.collection AND s.edge = edges.id) WHERE recorded_at IS NULL"
    )
    connection.execute(
        "CREATE INDEX edges_superseded ON edges (collection, superseded_by) "
        "WHERE superseded_by IS NOT NULL"
    )
    connection.execute("DELETE FROM memberships")
    connection.execute("DROP TABLE communities")
    connection.execute(_COMMUNITIES)
    for statement in _PAST_TABLES.split(";"):
        if statement.strip():
            connection.execute(statement)
