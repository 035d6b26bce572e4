"""A cross-encoder from a local folder: reads question and passage together and gives one score.

The folder holds `tokenizer.json` and an ONNX model (`model.onnx`, or in a folder `onnx`), as model
hubs export them; `sentence_transformers_reranker` is for folders without ONNX.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from clew.core.arrays import Floats
from clew.core.errors import ModelError
from clew.models.onnx_session import LOAD_ERRORS, usable_cores

MAX_TOKENS = 512
_BATCH = 16
_PLACES = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


def onnx_file(folder: Path) -> Path | None:
    """Return the ONNX model of a folder, None if it has none."""
    return next((folder / place for place in _PLACES if (folder / place).is_file()), None)


class CrossEncoderReranker:
    """Implements `Reranker` with ONNX Runtime on the processor.

    Raises:
        ModelError: the folder lacks a model or a tokenizer, or they cannot be used; says which.
    """

    def __init__(
        self, folder: Path, *, max_tokens: int = MAX_TOKENS, threads: int | None = None
    ) -> None:
        model = onnx_file(folder)
        if model is None:
            raise ModelError(f"{folder} holds no ONNX model; expected one of: {', '.join(_PLACES)}")
        self._path = model
        self._tokenizer = _read_tokenizer(folder / "tokenizer.json", max_tokens)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or usable_cores()
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(model), options, providers=["CPUExecutionProvider"]
            )
        except LOAD_ERRORS as error:
            raise ModelError(f"onnxruntime cannot load {model}: {error}") from error
        self._inputs = [given.name for given in self._session.get_inputs()]
        unknown = sorted(set(self._inputs) - _INPUTS)
        if unknown or "input_ids" not in self._inputs:
            raise ModelError(
                f"{model} takes the inputs {', '.join(self._inputs)}; a cross-encoder takes "
                f"input_ids and may take attention_mask and token_type_ids"
            )

    def score(self, question: str, passages: Sequence[str]) -> Floats:
        """Return the model's logit of each passage, shape (len(passages),).

        Of two classes the second counts, as the difference to the first.

        Raises:
            ModelError: the model gives something else than one or two finite numbers a pair.
        """
        scores = np.zeros(len(passages), np.float32)
        encoded = self._tokenizer.encode_batch([(question, passage) for passage in passages])
        by_length = sorted(range(len(encoded)), key=lambda row: len(encoded[row].ids))
        for start in range(0, len(by_length), _BATCH):
            rows = by_length[start : start + _BATCH]
            scores[rows] = self._run([encoded[row] for row in rows])
        return scores

    def _run(self, batch: Sequence[Encoding]) -> Floats:
        columns = {
            "input_ids": _padded([row.ids for row in batch]),
            "attention_mask": _padded([row.attention_mask for row in batch]),
            "token_type_ids": _padded([row.type_ids for row in batch]),
        }
        try:
            output = self._session.run(None, {name: columns[name] for name in self._inputs})[0]
        except LOAD_ERRORS as error:
            raise ModelError(f"{self._path} failed on {len(batch)} pairs: {error}") from error
        logits = np.asarray(output, np.float32).reshape(len(batch), -1)
        if logits.shape[1] not in (1, 2) or not np.isfinite(logits).all():
            raise ModelError(
                f"{self._path} gave an output of shape {np.shape(output)} for {len(batch)} pairs; "
                "a cross-encoder gives one or two finite numbers a pair"
            )
        scores = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        return np.asarray(scores, np.float32)


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    width = max(map(len, rows))
    table = np.zeros((len(rows), width), np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table


def _read_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    if not path.is_file():
        raise ModelError(f"{path.parent} holds no tokenizer.json; export the tokenizer with it")
    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    # The library raises plain Exception for whatever is wrong with the file.
    except Exception as error:
        raise ModelError(f"{path} is no tokenizer: {error}") from error
    tokenizer.no_padding()
    # The question is never cut: passages are, at their end.
    tokenizer.enable_truncation(max_tokens, strategy="only_second")
    return tokenizer
