"""Claims with the passages that state them or do not, in two halves that share no claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.core.documents import Chunk, Document, Span
from clew.core.errors import EvaluationError
from clew.core.ids import chunk_id, document_id, stable_id
from clew.evaluate.datasets import find_file, read_rows
from clew.reason.evidence import Passage

TUNE, REPORT = "tune", "report"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement, whether its passages support it, and these passages; `part` is its half."""

    id: str
    part: str
    text: str
    supported: bool
    passages: tuple[Passage, ...]


def load_claims(folder: Path, *, tune: int, report: int) -> list[Claim]:
    """Return `tune` claims to choose thresholds on and `report` others, each half of them true.

    `scifact`: a claim and an abstract that it cites. True: the abstract has rationales that support
    it; false: it has some that contradict it, or none. `climate-fever`: a claim and its five
    sentences; false are those refuted or without enough information, and disputed ones are left
    out. A hash of its id puts a claim in one half, and gives the order.

    Raises:
        EvaluationError: the folder is neither of the two, or holds too few claims.
    """
    readers = {"scifact": _scifact, "climate-fever": _climate}
    name = folder.resolve().name
    if name not in readers:
        raise EvaluationError(f"{folder} is neither of: {', '.join(readers)}")
    claims = sorted(readers[name](folder), key=lambda one: stable_id("claim", one.id))
    return [*_balanced(claims, TUNE, tune), *_balanced(claims, REPORT, report)]


def _balanced(claims: Sequence[Claim], part: str, count: int) -> list[Claim]:
    chosen: list[Claim] = []
    for truth in (True, False):
        found = [one for one in claims if one.part == part and one.supported is truth]
        if len(found) < count // 2:
            raise EvaluationError(
                f"the half {part!r} holds {len(found)} claims that are {truth}; ask for fewer"
            )
        chosen += found[: count // 2]
    return chosen


def _half(claim: str) -> str:
    return REPORT if stable_id("half", claim) % 2 else TUNE


def _scifact(folder: Path) -> Iterator[Claim]:
    corpus = {str(row["id"]): row for _, row in read_rows(find_file(folder, "corpus"))}
    for _, row in read_rows(find_file(folder, "claims")):
        evidence = row["evidence"]
        labels = {
            str(each["doc_id"]): str(each["label"])
            for each in (evidence if isinstance(evidence, list) else [])
        }
        cited = row["cited_doc_ids"]
        for document in cited if isinstance(cited, list) else []:
            abstract = corpus[str(document)]
            sentences = abstract["sentences"]
            text = " ".join(map(str, sentences if isinstance(sentences, list) else []))
            yield Claim(
                id=f"{row['id']}:{document}",
                part=_half(str(row["id"])),
                text=str(row["claim"]),
                supported=labels.get(str(document)) == "SUPPORT",
                passages=(_passage(str(document), str(abstract["title"]), text),),
            )


def _climate(folder: Path) -> Iterator[Claim]:
    for _, row in read_rows(find_file(folder, "climate-fever")):
        if row["claim_label"] == "DISPUTED":
            continue
        evidences = row["evidences"]
        yield Claim(
            id=str(row["claim_id"]),
            part=_half(str(row["claim_id"])),
            text=str(row["claim"]),
            supported=row["claim_label"] == "SUPPORTS",
            passages=tuple(
                _passage(str(each["evidence_id"]), str(each["article"]), str(each["evidence"]))
                for each in (evidences if isinstance(evidences, list) else [])
            ),
        )


def _passage(source: str, title: str, text: str) -> Passage:
    identifier = document_id(source, "1")
    document = Document(identifier, source, "1", title, text)
    chunk = Chunk(chunk_id(source, text, 0), identifier, 0, text, Span(0, len(text)))
    return Passage(chunk, document, relevance=1.0)
