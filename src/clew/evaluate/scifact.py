"""SciFact as a retrieval data set: claims and the abstracts that they cite.

`corpus.jsonl.gz` holds `id`, `title` and `sentences`; `claims.jsonl.gz` holds `id`, `split`,
`claim` and `cited_doc_ids`. Source: Wadden et al., Fact or Fiction: Verifying Scientific Claims
(EMNLP 2020).
"""

from __future__ import annotations

from pathlib import Path

from clew.core.errors import EvaluationError
from clew.evaluate.datasets import Dataset, Question, find_file, read_passages, read_rows


def load_scifact(folder: Path, *, split: str = "dev") -> Dataset:
    """Return the abstracts, and the claims of a split that cite one, as questions.

    Raises:
        EvaluationError: a file is missing or malformed, a claim cites an unknown abstract, or the
            split has no claims; says where.
    """
    passages = tuple(read_passages(find_file(folder, "corpus")))
    known = {passage.id for passage in passages}
    questions: list[Question] = []
    file = find_file(folder, "claims")
    for place, row in read_rows(file):
        cited = row.get("cited_doc_ids")
        if not isinstance(cited, list) or not isinstance(row.get("claim"), str):
            raise EvaluationError(f"{place} has no 'claim' (a string) or no 'cited_doc_ids'")
        gold = frozenset(str(document) for document in cited)
        if row.get("split") != split or not gold:
            continue
        if not gold <= known:
            raise EvaluationError(
                f"{place}: abstract {min(gold - known)!r} is not in the corpus of {folder}"
            )
        questions.append(Question(str(row.get("id")), str(row["claim"]), gold))
    if not questions:
        raise EvaluationError(f"{file} holds no claim of the split {split!r} that cites anything")
    return Dataset(folder.resolve().name, passages, tuple(questions))
