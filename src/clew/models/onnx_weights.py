"""Weights of a BERT encoder as plain arrays, whatever file they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Float32: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Linear:
    """`x @ weight.T + bias`: weight (outputs, inputs), bias (outputs,)."""

    weight: Float32
    bias: Float32


@dataclass(frozen=True, slots=True)
class Norm:
    """Scale and shift of a layer normalisation, (width,) each."""

    weight: Float32
    bias: Float32


@dataclass(frozen=True, slots=True)
class Layer:
    """One encoder layer; the normalisations follow the residual sums (post-norm)."""

    query: Linear
    key: Linear
    value: Linear
    attention_output: Linear
    attention_norm: Norm
    intermediate: Linear
    output: Linear
    output_norm: Norm


@dataclass(frozen=True, slots=True)
class BlockTable:
    """Word vectors of four bits: row `codes * repeat(scales, block)`.

    `codes` (rows, width) in -8..7, `scales` (rows, width // block).
    """

    codes: NDArray[np.int8]
    scales: Float32
    block: int

    def rows(self, ids: NDArray[np.int64]) -> Float32:
        """Return the vectors of `ids`, shape ids.shape + (width,)."""
        scales = np.repeat(self.scales[ids], self.block, axis=-1)
        return np.asarray(self.codes[ids] * scales, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class HalfTable:
    """Word vectors in half precision, (rows, width)."""

    values: NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class EncoderWeights:
    """A whole encoder. `positions` (longest, width) include the embedding of token type 0."""

    words: BlockTable | HalfTable
    positions: Float32
    norm: Norm
    layers: tuple[Layer, ...]
    heads: int
    epsilon: float
