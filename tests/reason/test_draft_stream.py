"""A draft as it is written, without markers and hidden marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.reason.draft_stream import DraftStream


def streamed(*pieces):
    told: list[str] = []
    stream = DraftStream(told.append)
    for piece in pieces:
        stream.feed(piece)
    before = list(told)
    stream.end()
    return "".join(told), before


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["Ada leads Acme [", "1", "]."], "Ada leads Acme."),
        (["Ada leads Acme. [1][2, 3] She"], "Ada leads Acme. She"),
        (["Ada 【4】 leads"], "Ada leads"),
        (["See [the list] of [1999"], "See [the list] of [1999"),
        (["Ada\x1b[2J le\u202eads"], "Ada[2J leads"),
        (["One.\n", "Two. ", "[2]\n"], "One.\nTwo.\n"),
        (["Not all is lost."], "Not all is lost."),
        (["NOT ", "ANSWERED"], ""),
        (["SEM RESPOSTA."], ""),
        (["Sem Ada não há Acme."], "Sem Ada não há Acme."),
        ([], ""),
    ],
)
def test_markers_and_hidden_marks_are_left_out(pieces, text):
    assert streamed(*pieces)[0] == text


def test_pieces_come_as_they_are_written():
    whole, before = streamed("Ada leads", " Acme [1]", " and sells", " ropes.")
    assert whole == "Ada leads Acme and sells ropes."
    assert before[0] == "Ada leads"
    assert len(before) >= 3


@given(st.text(alphabet="ab [12],;.\n", max_size=40), st.data())
def test_how_a_draft_is_cut_changes_nothing_that_is_shown(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert streamed(*pieces)[0] == streamed(*text)[0]
