"""A cross-encoder from a folder: tiny ONNX models made here, whose logits can be counted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from clew.core.errors import MissingExtraError, ModelError
from clew.models.cross_encoder import CrossEncoderReranker, onnx_file
from clew.models.sentence_transformers_reranker import SentenceTransformersReranker

VOCABULARY = {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "ship": 4, "coal": 5, "who": 6}
WORTH = {"ship": 10.0, "coal": 1.0}


def write_tokenizer(folder: Path) -> None:
    tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")


def write_model(path: Path, *, classes: int = 1, inputs: tuple[str, ...] | None = None) -> None:
    """Write a model whose logit is the worth of the passage's words: the sum over tokens of
    worth x type x mask, so that the question's words and padding count nothing."""
    names = inputs or ("input_ids", "attention_mask", "token_type_ids")
    table = np.zeros((len(VOCABULARY), classes), np.float32)
    for word, worth in WORTH.items():
        table[VOCABULARY[word], classes - 1] = worth
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["worth"]),
        helper.make_node("Mul", ["attention_mask", "token_type_ids"], ["counts"]),
        helper.make_node("Cast", ["counts"], ["share"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["share", "last"], ["wide"]),
        helper.make_node("Mul", ["worth", "wide"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "middle"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", classes])],
        [
            onnx.numpy_helper.from_array(table, "table"),
            onnx.numpy_helper.from_array(np.array([-1]), "last"),
            onnx.numpy_helper.from_array(np.array([1]), "middle"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tokenizer(tmp_path)
    write_model(tmp_path / "model.onnx")
    return tmp_path


def test_each_pair_gets_its_own_score(folder: Path) -> None:
    reranker = CrossEncoderReranker(folder, threads=1)
    passages = ["coal", "ship coal ship", "nothing", "", "ship"]
    assert reranker.score("who ship", passages).tolist() == [1.0, 21.0, 0.0, 0.0, 10.0]
    assert reranker.score("who", []).shape == (0,)


def test_batches_do_not_change_scores(folder: Path) -> None:
    passages = [" ".join(["coal"] * count) for count in range(40)]
    found = CrossEncoderReranker(folder, threads=1).score("ship", passages)
    assert found.tolist() == [float(count) for count in range(40)]


def test_long_passages_are_cut_and_the_question_is_not(folder: Path) -> None:
    reranker = CrossEncoderReranker(folder, max_tokens=10, threads=1)
    # [CLS], three words, [SEP], passage, [SEP]: room for four words.
    assert reranker.score("who who who", ["coal " * 30]).tolist() == [4.0]


def test_of_two_classes_the_second_counts(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path / "onnx" / "model.onnx", classes=2)
    assert onnx_file(tmp_path) == tmp_path / "onnx" / "model.onnx"
    assert CrossEncoderReranker(tmp_path).score("who", ["ship", "coal"]).tolist() == [10.0, 1.0]


def test_what_is_missing_or_wrong_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no ONNX model"):
        CrossEncoderReranker(tmp_path)
    write_model(tmp_path / "model.onnx")
    with pytest.raises(ModelError, match=r"no tokenizer\.json"):
        CrossEncoderReranker(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="is no tokenizer"):
        CrossEncoderReranker(tmp_path)
    write_tokenizer(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match="cannot load"):
        CrossEncoderReranker(tmp_path)
    write_model(
        tmp_path / "model.onnx",
        inputs=("input_ids", "attention_mask", "token_type_ids", "pixel_values"),
    )
    with pytest.raises(ModelError, match="pixel_values"):
        CrossEncoderReranker(tmp_path)
    write_model(tmp_path / "model.onnx", classes=3)
    with pytest.raises(ModelError, match="one or two finite numbers"):
        CrossEncoderReranker(tmp_path).score("who", ["ship"])


class TestSentenceTransformers:
    def test_without_the_extra_the_error_names_it(self, tmp_path: Path, monkeypatch: Any) -> None:
        (tmp_path / "config.json").write_text("{}", encoding="utf-8")
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        with pytest.raises(MissingExtraError, match=r"clew\[sentence-transformers\]"):
            SentenceTransformersReranker(tmp_path)

    def test_a_folder_without_a_model_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"no config\.json"):
            SentenceTransformersReranker(tmp_path)

    def test_it_is_asked_for_pairs_and_downloads_nothing(
        self, tmp_path: Path, monkeypatch: Any
    ) -> None:
        (tmp_path / "config.json").write_text(json.dumps({}), encoding="utf-8")
        made: list[dict[str, Any]] = []

        class CrossEncoder:
            def __init__(self, place: str, **options: Any) -> None:
                made.append({"place": place, **options})

            def predict(self, pairs: list[tuple[str, str]], **_: Any) -> list[float]:
                return [float(len(question) * len(passage)) for question, passage in pairs]

        module = SimpleNamespace(CrossEncoder=CrossEncoder)
        monkeypatch.setitem(sys.modules, "sentence_transformers", module)
        reranker = SentenceTransformersReranker(tmp_path)
        assert reranker.score("who", ["ab", "abc"]).tolist() == [6.0, 9.0]
        assert reranker.score("who", []).shape == (0,)
        assert made[0]["place"] == str(tmp_path)
        assert made[0]["local_files_only"] is True

        monkeypatch.setattr(CrossEncoder, "predict", lambda *_, **__: [[1.0, 2.0]])
        with pytest.raises(ModelError, match="one finite number"):
            reranker.score("who", ["ab"])
