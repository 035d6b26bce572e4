"""Retrieval data sets: a folder with passages and with questions whose gold passages are known.

`corpus.jsonl.gz` holds one passage a line: `title`, `text` (or `sentences`, a list), and `id`
where titles are not unique. `questions.jsonl.gz` holds `question`, `gold_ids` or `gold_titles`,
and optionally `id` and `answer`. Uncompressed `.jsonl` files serve as well.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from clew.core.errors import EvaluationError

Row: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage to be found; `id` is unique in its data set."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the ids of all passages that its answer needs."""

    id: str
    text: str
    gold: frozenset[str]
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """Passages in the order of the file, and questions; every gold id is a passage's."""

    name: str
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]


def load_dataset(folder: Path) -> Dataset:
    """Return the data set in `folder`, named after it.

    Raises:
        EvaluationError: a file is missing or malformed, or a gold passage is not in the corpus or
            is named by a title that several passages bear; says in which file and line.
    """
    passages = tuple(read_passages(find_file(folder, "corpus")))
    questions = tuple(_read_questions(find_file(folder, "questions"), passages))
    return Dataset(folder.resolve().name, passages, questions)


def find_file(folder: Path, stem: str) -> Path:
    """Return the file of that stem, compressed or not."""
    for suffix in (".jsonl.gz", ".jsonl"):
        file = folder / f"{stem}{suffix}"
        if file.is_file():
            return file
    raise EvaluationError(f"{folder} holds no {stem}.jsonl.gz: it is no retrieval data set")


def read_rows(file: Path) -> Iterator[tuple[str, Row]]:
    """Yield (place, row) for each line that is not blank; place is "file:line"."""
    try:
        with gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    place = f"{file}:{number}"
                    yield place, _parse(line, place)
    except (OSError, EOFError, zlib.error) as error:
        raise EvaluationError(f"cannot read {file}: {error}") from error


def _parse(line: bytes, place: str) -> Row:
    try:
        row = json.loads(line.decode("utf-8"))
    except ValueError as error:
        raise EvaluationError(f"{place} is not JSON: {error}") from error
    if not isinstance(row, dict):
        raise EvaluationError(f"{place} is not a JSON object")
    return row


def read_passages(file: Path) -> Iterator[Passage]:
    """Yield the passages of a corpus."""
    seen: set[str] = set()
    for place, row in read_rows(file):
        title = str(row.get("title") or "")
        identifier = str(row.get("id", title))
        if not identifier:
            raise EvaluationError(f"{place} has neither 'id' nor 'title': give one")
        if identifier in seen:
            raise EvaluationError(
                f"{place} repeats the passage {identifier!r}: ids (titles, where there is no id) "
                "must be unique"
            )
        seen.add(identifier)
        yield Passage(identifier, title, _text(row, place))
    if not seen:
        raise EvaluationError(f"{file} holds no passage")


def _text(row: Row, place: str) -> str:
    text, sentences = row.get("text"), row.get("sentences")
    if isinstance(text, str):
        return text
    if isinstance(sentences, list) and all(isinstance(part, str) for part in sentences):
        return " ".join(sentences)
    raise EvaluationError(f"{place} has no 'text' (a string) and no 'sentences' (strings)")


def _read_questions(file: Path, passages: tuple[Passage, ...]) -> Iterator[Question]:
    ids = {passage.id for passage in passages}
    by_title: defaultdict[str, list[str]] = defaultdict(list)
    for passage in passages:
        by_title[passage.title].append(passage.id)
    count = 0
    for place, row in read_rows(file):
        text = row.get("question")
        if not isinstance(text, str) or not text.strip():
            raise EvaluationError(f"{place} has no 'question'")
        answer = row.get("answer")
        yield Question(
            id=str(row.get("id", count)),
            text=text,
            gold=_gold(row, place, ids, by_title),
            answer=answer if isinstance(answer, str) else None,
        )
        count += 1
    if not count:
        raise EvaluationError(f"{file} holds no question")


def _gold(row: Row, place: str, ids: set[str], by_title: Mapping[str, list[str]]) -> frozenset[str]:
    if "gold_ids" in row:
        gold = _names(row, "gold_ids", place)
        unknown = sorted(gold - ids)
        if unknown:
            raise EvaluationError(f"{place}: gold passage {unknown[0]!r} is not in the corpus")
        return gold
    titles = _names(row, "gold_titles", place)
    for title in sorted(titles):
        bearers = len(by_title.get(title, ()))
        if bearers == 0:
            raise EvaluationError(f"{place}: gold passage {title!r} is not in the corpus")
        if bearers > 1:
            raise EvaluationError(
                f"{place}: {bearers} passages bear the gold title {title!r}; name them by gold_ids"
            )
    return frozenset(by_title[title][0] for title in titles)


def _names(row: Row, field: str, place: str) -> frozenset[str]:
    values = row.get(field)
    if not isinstance(values, list) or not values:
        raise EvaluationError(f"{place} has no gold passages: give 'gold_ids' or 'gold_titles'")
    return frozenset(str(value) for value in values)
