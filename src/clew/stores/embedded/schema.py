"""Tables of the truth. Times are microseconds since 1970 in UTC; sets and tuples are JSON.

Ids are hashes of content, so two collections may hold the same one: every key starts with the
collection. Rows that are large or arrive in bulk live in rowid tables, where an insert appends;
small ones are clustered by their key, where a read of one owner is one range.

`statements` holds what edges rest on: a span of a chunk (`word` is -1), or the word of an origin
(`chunk` is -1, `word` the origin). `edges` and `nodes` are materialised from `statements` and
`mentions` in the transaction that changes those; a node is in `nodes` exactly while it lives.
`surfaces` counts the mentions that
keep a node alive by surface, kind and label ("=Person", or "" for none), so that a name that
thousands of chunks use is not counted anew with each of them.
`mentions.edge` is the id of the MENTIONS edge of chunk and node. `edges.superseded_at` is the
retirement that was written, `retired_at` the one that follows from all rows.

The tables `past_*` hold what stood until `retired_at`: the columns of the table of that name, and
the vector of a chunk that left with its version (NULL where the chunk stayed, and with it its
vector). Nothing but `history` reads them. `recorded_at` says when a row became known, NULL where
nobody knows.
"""

from __future__ import annotations

import sqlite3

SCHEMA_VERSION = 2
APPLICATION_ID = 0x434C4557
PAGE_BYTES = 8192
"""A vector of 384 float32 fits a page of this size without an overflow page."""

_TABLES = """
CREATE TABLE collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
    generation INTEGER NOT NULL DEFAULT 0, snapshot_seq INTEGER NOT NULL DEFAULT 0);

CREATE TABLE facts (
    collection INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (collection, name)) WITHOUT ROWID;

CREATE TABLE documents (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, source TEXT NOT NULL,
    content_hash TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, authors TEXT NOT NULL,
    language TEXT, published_at INTEGER, authority REAL, metadata TEXT NOT NULL, acl TEXT NOT NULL,
    pages TEXT NOT NULL, recorded_at INTEGER);
CREATE UNIQUE INDEX documents_id ON documents (collection, id);
CREATE UNIQUE INDEX documents_source ON documents (collection, source);

CREATE TABLE chunks (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, document INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, stage INTEGER NOT NULL, span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL, page INTEGER, text TEXT NOT NULL, original TEXT,
    recorded_at INTEGER);
CREATE UNIQUE INDEX chunks_id ON chunks (collection, id);
CREATE INDEX chunks_document ON chunks (collection, document, ordinal);
CREATE INDEX chunks_pending ON chunks (collection, document) WHERE stage < 3;

CREATE TABLE chunk_vectors (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE UNIQUE INDEX chunk_vectors_id ON chunk_vectors (collection, id);

CREATE TABLE mentions (
    collection INTEGER NOT NULL, chunk INTEGER NOT NULL, node INTEGER NOT NULL,
    key TEXT NOT NULL, span_start INTEGER NOT NULL, span_end INTEGER NOT NULL,
    role INTEGER NOT NULL, surface TEXT NOT NULL, kind INTEGER NOT NULL, label TEXT,
    confidence REAL NOT NULL, origin INTEGER NOT NULL, edge INTEGER NOT NULL, recorded_at INTEGER,
    PRIMARY KEY (collection, chunk, node, key, span_start, span_end, role)) WITHOUT ROWID;
CREATE INDEX mentions_node ON mentions (collection, node);
CREATE INDEX mentions_key ON mentions (collection, key);
CREATE INDEX mentions_origin ON mentions (collection, origin);

CREATE TABLE statements (
    collection INTEGER NOT NULL, edge INTEGER NOT NULL, chunk INTEGER NOT NULL,
    span_start INTEGER NOT NULL, span_end INTEGER NOT NULL, word INTEGER NOT NULL,
    origin INTEGER NOT NULL, confidence REAL NOT NULL, standing INTEGER NOT NULL,
    retired_at INTEGER, recorded_at INTEGER,
    PRIMARY KEY (collection, edge, chunk, span_start, span_end, word)) WITHOUT ROWID;
CREATE INDEX statements_chunk ON statements (collection, chunk);
CREATE INDEX statements_origin ON statements (collection, origin);

CREATE TABLE edges (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, source INTEGER NOT NULL,
    target INTEGER NOT NULL, kind INTEGER NOT NULL, relation TEXT NOT NULL,
    confidence REAL NOT NULL, standing INTEGER NOT NULL, negated INTEGER NOT NULL,
    occurred_at INTEGER, valid_from INTEGER, valid_to INTEGER, recorded_at INTEGER,
    retired_at INTEGER, superseded_at INTEGER, superseded_by INTEGER);
CREATE UNIQUE INDEX edges_id ON edges (collection, id);
CREATE INDEX edges_source ON edges (collection, source);
CREATE INDEX edges_target ON edges (collection, target);
CREATE INDEX edges_superseded ON edges (collection, superseded_by)
    WHERE superseded_by IS NOT NULL;

CREATE TABLE surfaces (
    collection INTEGER NOT NULL, node INTEGER NOT NULL, surface TEXT NOT NULL,
    kind INTEGER NOT NULL, label TEXT NOT NULL, uses INTEGER NOT NULL,
    PRIMARY KEY (collection, node, surface, kind, label)) WITHOUT ROWID;

CREATE TABLE nodes (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, kind INTEGER NOT NULL,
    label TEXT, aliases TEXT NOT NULL, mention_count INTEGER NOT NULL,
    embedded INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (collection, id)) WITHOUT ROWID;
CREATE INDEX nodes_not_embedded ON nodes (collection, id) WHERE embedded = 0;

CREATE TABLE node_vectors (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, name BLOB NOT NULL, search BLOB NOT NULL,
    origin INTEGER NOT NULL);
CREATE UNIQUE INDEX node_vectors_id ON node_vectors (collection, id);
CREATE INDEX node_vectors_origin ON node_vectors (collection, origin);

CREATE TABLE claims (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, chunk INTEGER NOT NULL, text TEXT NOT NULL,
    span_start INTEGER NOT NULL, span_end INTEGER NOT NULL, subjects TEXT NOT NULL,
    occurred_at INTEGER, valid_from INTEGER, valid_to INTEGER, status TEXT NOT NULL,
    confidence REAL NOT NULL, origin INTEGER NOT NULL, recorded_at INTEGER,
    PRIMARY KEY (collection, id)) WITHOUT ROWID;
CREATE INDEX claims_chunk ON claims (collection, chunk);
CREATE INDEX claims_origin ON claims (collection, origin);

CREATE TABLE merges (
    collection INTEGER NOT NULL, key TEXT NOT NULL, node INTEGER NOT NULL, chunk INTEGER NOT NULL,
    score REAL NOT NULL, reason TEXT NOT NULL, origin INTEGER NOT NULL, recorded_at INTEGER,
    PRIMARY KEY (collection, key, node, chunk)) WITHOUT ROWID;
CREATE INDEX merges_node ON merges (collection, node);
CREATE INDEX merges_chunk ON merges (collection, chunk);
CREATE INDEX merges_origin ON merges (collection, origin);

CREATE TABLE communities (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, level INTEGER NOT NULL, path TEXT NOT NULL,
    members TEXT NOT NULL, parent INTEGER, title TEXT NOT NULL, summary TEXT NOT NULL,
    evidence TEXT NOT NULL, acl TEXT NOT NULL, vector BLOB,
    PRIMARY KEY (collection, id)) WITHOUT ROWID;

CREATE TABLE memberships (
    collection INTEGER NOT NULL, node INTEGER NOT NULL, community INTEGER NOT NULL,
    level INTEGER NOT NULL, path TEXT NOT NULL,
    PRIMARY KEY (collection, node, community)) WITHOUT ROWID;
CREATE INDEX memberships_community ON memberships (collection, community);

CREATE TABLE outcomes (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, question TEXT NOT NULL,
    query_type TEXT NOT NULL, mode TEXT NOT NULL, contributions TEXT NOT NULL,
    feedback_score REAL, recorded_at INTEGER NOT NULL,
    PRIMARY KEY (collection, id)) WITHOUT ROWID;

CREATE TABLE profiles (
    collection INTEGER NOT NULL, name TEXT NOT NULL, parameters TEXT NOT NULL,
    metrics TEXT NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (collection, name)) WITHOUT ROWID;

CREATE TABLE jobs (
    collection INTEGER NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, done INTEGER NOT NULL,
    total INTEGER, detail TEXT NOT NULL, error TEXT,
    PRIMARY KEY (collection, id)) WITHOUT ROWID;

CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, kind INTEGER NOT NULL,
    id INTEGER NOT NULL);
CREATE INDEX changes_collection ON changes (collection, seq);
"""

PAST_TABLES = """
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

COLLECTION_TABLES = (
    "facts",
    "documents",
    "chunks",
    "chunk_vectors",
    "mentions",
    "statements",
    "edges",
    "surfaces",
    "nodes",
    "node_vectors",
    "claims",
    "merges",
    "communities",
    "memberships",
    "outcomes",
    "profiles",
    "jobs",
    "changes",
    "past_documents",
    "past_chunks",
    "past_mentions",
    "past_statements",
    "past_claims",
    "past_merges",
)


def create_tables(connection: sqlite3.Connection) -> None:
    """Create every table of an empty database, in the transaction that is open."""
    run_statements(connection, _TABLES)
    run_statements(connection, PAST_TABLES)


def run_statements(connection: sqlite3.Connection, script: str) -> None:
    """Run the statements of a script; unlike `executescript`, the transaction stays open."""
    for statement in script.split(";"):
        if statement.strip():
            connection.execute(statement)
