"""Small folders in the shapes that microsoft/graphrag and LightRAG write, with texts of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq

HARBOUR = (
    "Otto Lindqvist founded Harbour Tools in 1984. Harbour Tools makes anchors. "
    "In spring Harbour Tools bought Quay Works. Quay Works repairs cranes."
)
STORM = "The Storm of 1990 damaged Quay Works. Otto Lindqvist was abroad."
FIRST = HARBOUR[:74]
SECOND = HARBOUR[46:]


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")


def graphrag(folder: Path, *, version: str) -> Path:
    """Write the tables of version "0.3", "1.0" or "3.0"."""
    folder.mkdir(parents=True)
    older = version < "2"
    prefix = "create_final_" if older else ""
    named = "name" if version < "0.4" else "title"
    units = [("u1", FIRST, "d1"), ("u2", SECOND, "d1"), ("u3", STORM, "d2")]
    entities = [
        ("e1", "HARBOUR TOOLS", "ORGANIZATION", "Harbour Tools makes anchors", ["u1", "u2"]),
        ("e2", "OTTO LINDQVIST", "PERSON", "Otto Lindqvist founded a company", ["u1", "u3"]),
        ("e3", "QUAY WORKS", "ORGANIZATION", "Quay Works repairs cranes", ["u2"]),
        ("e4", "STORM OF 1990", "EVENT", "A storm", ["u3"]),
        ("e5", "NEVER SEEN", "GEO", "Nobody mentions it", []),
    ]
    relations = [
        (
            "r1",
            "OTTO LINDQVIST",
            "HARBOUR TOOLS",
            "Otto Lindqvist founded Harbour Tools",
            9.0,
            "u1",
        ),
        ("r2", "QUAY WORKS", "HARBOUR TOOLS", "Harbour Tools bought Quay Works", 1.0, "u2"),
        ("r3", "STORM OF 1990", "QUAY WORKS", "The storm hit the yard of Quay Works", 3.0, ""),
        ("r4", "HARBOUR TOOLS", "NEVER SEEN", "Unknown", 1.0, "u1"),
    ]
    write(
        folder,
        f"{prefix}documents",
        [
            {
                "id": "d1",
                "title": "harbour.txt",
                "raw_content" if version < "0.4" else "text": HARBOUR,
                **({} if version < "1" else {"metadata": json.dumps({"year": 1991, "x": [1]})}),
            },
            {"id": "d2", "title": "storm.txt", "raw_content" if version < "0.4" else "text": STORM},
            {"id": "d3", "title": "void.txt", "raw_content" if version < "0.4" else "text": "x"},
        ],
    )
    owner = "document_id" if version >= "3" else "document_ids"
    write(
        folder,
        f"{prefix}text_units",
        [
            {"id": key, "text": text, "n_tokens": 9, owner: held if version >= "3" else [held]}
            for key, text, held in units
        ],
    )
    quote = '"' if version < "0.4" else ""
    write(
        folder,
        f"{prefix}entities",
        [
            {
                "id": key,
                "human_readable_id": place,
                named: f"{quote}{name}{quote}",
                "type": f"{quote}{kind}{quote}",
                "description": told,
                "text_unit_ids": held,
            }
            for place, (key, name, kind, told, held) in enumerate(entities)
        ],
    )
    write(
        folder,
        f"{prefix}relationships",
        [
            {
                "id": key,
                "source": f"{quote}{source}{quote}",
                "target": f"{quote}{target}{quote}",
                "description": told,
                "weight": weight,
                "text_unit_ids": unit if version < "0.4" else [unit] * bool(unit),
            }
            for key, source, target, told, weight, unit in relations
        ],
    )
    _communities(folder, prefix, version=version)
    if version >= "3":
        write(
            folder,
            "covariates",
            [
                {
                    "id": "c1",
                    "covariate_type": "claim",
                    "type": "DAMAGE",
                    "description": "The storm damaged the works",
                    "subject_id": "STORM OF 1990",
                    "object_id": "QUAY WORKS",
                    "status": "TRUE",
                    "start_date": "1990-02-01T00:00:00",
                    "end_date": "NONE",
                    "source_text": "The Storm of 1990 damaged Quay Works.",
                    "text_unit_id": "u3",
                },
                {"id": "c2", "description": "Lost", "text_unit_id": "u9", "status": "FALSE"},
            ],
        )
    return folder


def _communities(folder: Path, prefix: str, *, version: str) -> None:
    members = {0: ["e1", "e2", "e3"], 1: ["e1", "e3"], 2: ["e5"]}
    levels, parents = {0: 0, 1: 1, 2: 0}, {0: -1, 1: 0, 2: -1}
    names = {"e1": "HARBOUR TOOLS", "e2": "OTTO LINDQVIST", "e3": "QUAY WORKS", "e5": "NEVER SEEN"}
    if version < "1":
        write(
            folder,
            f"{prefix}communities",
            [
                {"id": str(key), "title": f"Community {key}", "level": levels[key]}
                for key in members
            ],
        )
        write(
            folder,
            f"{prefix}nodes",
            [
                {"title": f'"{names[entity]}"', "community": str(key), "level": levels[key]}
                for key, held in members.items()
                for entity in held
            ],
        )
    else:
        write(
            folder,
            f"{prefix}communities",
            [
                {
                    "id": f"uuid-{key}",
                    "community": key,
                    "level": levels[key],
                    "parent": parents[key],
                    "title": f"Community {key}",
                    "entity_ids": held,
                }
                for key, held in members.items()
            ],
        )
    write(
        folder,
        f"{prefix}community_reports",
        [
            {
                "id": "x",
                "community": "0" if version < "1" else 0,
                "level": 0,
                "title": "The harbour",
                "summary": "Firms around the harbour.",
                "full_content": "# The harbour\n\nFirms around the harbour.\n\n## Anchors\n",
            },
            {
                "id": "y",
                "community": "1" if version < "1" else 1,
                "level": 1,
                "title": "Tools",
                "summary": "Two firms.",
                "full_content": None,
            },
        ],
    )


def lightrag(folder: Path, *, quoted: bool = False) -> Path:
    """Write the working folder of LightRAG; before 1.0 names stood in quotes."""
    folder.mkdir(parents=True)
    paths = {} if quoted else {"file_path": "harbour.md"}
    _json(
        folder, "kv_store_full_docs", {"doc-1": {"content": HARBOUR}, "doc-2": {"content": STORM}}
    )
    _json(
        folder,
        "kv_store_text_chunks",
        {
            "chunk-b": {
                "tokens": 20,
                "content": SECOND,
                "chunk_order_index": 1,
                "full_doc_id": "doc-1",
                **paths,
            },
            "chunk-a": {
                "tokens": 20,
                "content": FIRST,
                "chunk_order_index": 0,
                "full_doc_id": "doc-1",
                **paths,
            },
            "chunk-c": {
                "content": STORM,
                "chunk_order_index": 0,
                "full_doc_id": "doc-2",
                "file_path": "unknown_source",
            },
        },
    )
    _json(folder, "vdb_entities", {"embedding_dim": 4, "data": [], "matrix": ""})
    mark = '"' if quoted else ""
    nodes = [
        ("Harbour Tools", "organization", "It makes anchors<SEP>It is old", "chunk-a<SEP>chunk-b"),
        ("Otto Lindqvist", "person", "A founder", "chunk-a<SEP>chunk-c"),
        ("Quay Works", "organization", "It repairs cranes", "chunk-b"),
        ("Safety at Sea", "concept", "An idea & a duty", "chunk-x"),
    ]
    edges = [
        ("Otto Lindqvist", "Harbour Tools", 9.0, "He began it", "founding, trade", "chunk-a"),
        ("Harbour Tools", "Quay Works", 16.0, "One bought<SEP>Harbour Tools bought Quay Works",
         "deal<SEP>market", "chunk-b"),
        ("Harbour Tools", "Safety at Sea", 1.0, "", "", "chunk-a"),
        ("Otto Lindqvist", "Quay Works", None, "Friends", "", ""),
    ]  # fmt: skip
    lines = [
        "<?xml version='1.0' encoding='utf-8'?>",
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(
            f'<key id="d{place}" for="{"node" if place < 4 else "edge"}" attr.name="{name}" '
            f'attr.type="{"double" if name == "weight" else "string"}" />'
            for place, name in enumerate(
                "entity_id entity_type description source_id weight description keywords "
                "source_id".split()
            )
        ),
        '<graph edgedefault="undirected">',
    ]
    for name, kind, told, source in nodes:
        values = (f"{mark}{name}{mark}", f"{mark}{kind}{mark}", told, source)
        lines.append(f"<node id='{escape(values[0])}'>{_data(0, values)}</node>")
    for first, second, weight, told, keywords, source in edges:
        ends = [escape(f"{mark}{end}{mark}") for end in (first, second)]
        held = _data(4, (weight, told, keywords, source))
        lines.append(f"<edge source='{ends[0]}' target='{ends[1]}'>{held}</edge>")
    lines.append("</graph></graphml>")
    path = folder / "graph_chunk_entity_relation.graphml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return folder


def _data(first: int, values: tuple[object, ...]) -> str:
    return "".join(
        f'<data key="d{first + place}">{escape(str(value))}</data>'
        for place, value in enumerate(values)
        if value is not None
    )


def _json(folder: Path, name: str, value: object) -> None:
    (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
