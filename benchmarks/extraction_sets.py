"""Sentences with the pairs of things that are related in them, from Text2KGBench and Re-DocRED."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.core.ids import stable_id
from clew.text.locating import locate
from clew.text.names import name_key

_QUALIFIER = re.compile(r"_?\([^()]*\)$")
_BEFORE_MARK = re.compile(r"\s+([,.;:!?%)\]]|'s\b|n't\b)")
_AFTER_MARK = re.compile(r"([(\[])\s+")
_QUOTED = re.compile(r"\"\s*([^\"]*?)\s*\"")
_VALUES = frozenset({"TIME", "NUM"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and what is known of it: its things, each by all its names in the sentence, and
    the pairs of them (indices) that a relation joins."""

    id: str
    text: str
    things: tuple[frozenset[str], ...]
    pairs: frozenset[tuple[int, int]]


def sample(sentences: Sequence[Sentence], size: int) -> list[Sentence]:
    """Return the `size` sentences whose ids have the smallest hashes: the same ones everywhere."""
    return sorted(sentences, key=lambda one: stable_id("sample", one.id))[:size]


def text2kg(folder: Path) -> Iterator[Sentence]:
    """Yield the sentences of both parts that state a relation between two names in them.

    Values (numbers, and whatever the sentence does not hold) are left out: no extractor of Clew
    makes things of them.
    """
    for file in sorted(folder.glob("*/ground_truth/*.jsonl.gz")):
        for row in _lines(file):
            things: dict[str, int] = {}
            names: list[frozenset[str]] = []
            pairs: set[tuple[int, int]] = set()
            for triple in row["triples"]:
                ends = [_plain(triple["sub"]), _plain(triple["obj"])]
                if not all(_is_thing(end, row["sent"]) for end in ends):
                    continue
                for end in ends:
                    if things.setdefault(name_key(end), len(things)) == len(names):
                        names.append(frozenset({name_key(end)}))
                first, second = (things[name_key(end)] for end in ends)
                if first != second:
                    pairs.add((min(first, second), max(first, second)))
            if pairs:
                source = f"{file.parts[-3]}/{row['id']}"
                yield Sentence(source, row["sent"], tuple(names), frozenset(pairs))


def redocred(file: Path) -> Iterator[Sentence]:
    """Yield the sentences that by themselves are the evidence of a relation between two names."""
    for number, document in enumerate(_lines(file)):
        for place, tokens in enumerate(document["sents"]):
            made = _redocred_sentence(f"{number}/{place}", document, place, tokens)
            if made is not None:
                yield made


def _redocred_sentence(
    source: str, document: Mapping[str, Any], place: int, tokens: Sequence[str]
) -> Sentence | None:
    rows: dict[int, int] = {}
    things: list[frozenset[str]] = []
    for index, mentions in enumerate(document["vertexSet"]):
        here = [one for one in mentions if one["sent_id"] == place and one["type"] not in _VALUES]
        keys = frozenset(name_key(one["name"]) for one in here) - {""}
        if keys:
            rows[index] = len(things)
            things.append(keys)
    pairs = {
        (min(rows[label["h"]], rows[label["t"]]), max(rows[label["h"]], rows[label["t"]]))
        for label in document["labels"]
        if label["evidence"] == [place] and label["h"] in rows and label["t"] in rows
    }
    pairs = {pair for pair in pairs if pair[0] != pair[1]}
    if not pairs:
        return None
    return Sentence(source, written(tokens), tuple(things), frozenset(pairs))


def written(tokens: Sequence[str]) -> str:
    """Return tokens as a sentence, without the blanks before and after marks."""
    text = _BEFORE_MARK.sub(r"\1", " ".join(token for token in tokens if token.strip()))
    return _QUOTED.sub(r'"\1"', _AFTER_MARK.sub(r"\1", text))


def _plain(name: str) -> str:
    return _QUALIFIER.sub("", name.strip().strip('"')).replace("_", " ").strip()


def _is_thing(name: str, sentence: str) -> bool:
    return any(map(str.isalpha, name)) and bool(locate(sentence, name))


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)
