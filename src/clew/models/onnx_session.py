"""Runs a converted encoder: token ids in, vectors out, the same whatever the batch."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as runtime_errors

from clew.core.arrays import Floats, Ids, Matrix
from clew.core.errors import ModelError

_BATCH_TOKENS = 1024
LOAD_ERRORS = (
    runtime_errors.Fail,
    runtime_errors.InvalidArgument,
    runtime_errors.InvalidGraph,
    runtime_errors.InvalidProtobuf,
    runtime_errors.NoSuchFile,
    runtime_errors.NotImplemented,
    runtime_errors.RuntimeException,
)


class EncoderSession:
    """An ONNX Runtime session on the processor. Calls from several threads are safe.

    Sequences are batched with others of exactly their length, so that nothing is padded.
    """

    def __init__(self, path: Path, *, threads: int | None = None) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or usable_cores()
        options.inter_op_num_threads = 1
        # Threads that spin while they wait take the processor from everybody else.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Anything above would fuse sums with normalisations into a slower operator.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except LOAD_ERRORS as error:
            raise ModelError(f"onnxruntime cannot load {path}: {error}") from error
        self.dimensions = int(self._session.get_outputs()[0].shape[-1])

    def embed(self, sequences: Sequence[Sequence[int]]) -> Matrix:
        """Return the mean of each sequence's token vectors at unit length, (n, dimensions)."""
        vectors = np.zeros((len(sequences), self.dimensions), np.float32)
        for rows, hidden in self.hidden(sequences):
            vectors[rows] = unit(hidden.mean(axis=1))
        return vectors

    def embed_both(
        self, sequences: Sequence[Sequence[int]], *, skip: int
    ) -> tuple[Matrix, list[Matrix]]:
        """Return what `embed` and what `embed_tokens` return, from one pass."""
        vectors = np.zeros((len(sequences), self.dimensions), np.float32)
        tokens = [np.zeros((0, self.dimensions), np.float32)] * len(sequences)
        for rows, hidden in self.hidden(sequences):
            vectors[rows] = unit(hidden.mean(axis=1))
            inner = unit(hidden[:, skip:-1])
            for row, matrix in zip(rows.tolist(), inner, strict=True):
                tokens[row] = matrix
        return vectors, tokens

    def embed_tokens(self, sequences: Sequence[Sequence[int]], *, skip: int) -> list[Matrix]:
        """Return unit token vectors without the first `skip` and the last of each sequence."""
        return self.embed_both(sequences, skip=skip)[1]

    def hidden(self, sequences: Sequence[Sequence[int]]) -> Iterator[tuple[Ids, Matrix]]:
        """Yield rows of equal length with their last hidden states (rows, tokens, dimensions)."""
        by_length: defaultdict[int, list[int]] = defaultdict(list)
        for row, sequence in enumerate(sequences):
            by_length[len(sequence)].append(row)
        for length, rows in sorted(by_length.items()):
            size = max(1, _BATCH_TOKENS // length)
            for start in range(0, len(rows), size):
                batch = np.array(rows[start : start + size], np.int64)
                ids = np.array([sequences[row] for row in batch], np.int64)
                yield batch, self._session.run(["hidden"], {"input_ids": ids})[0]


def unit(vectors: NDArray[np.float32]) -> Floats:
    """Return the vectors of the last axis at unit length; zeros stay zeros."""
    norms = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
