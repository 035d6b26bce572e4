"""Writes an encoder as an ONNX graph of eight-bit products. Imported only to convert a model.

Activations are quantised row by row, each token by its own largest value, and the graph takes
sequences of one length and no padding. So a text's vectors do not depend on what it is batched
with; ONNX Runtime's own dynamic quantisation takes one scale for the whole batch, and they would.

Weights take seven bits of the eight (-63..63, one scale an output): products of unsigned activations
and signed weights then never saturate in processors without the VNNI instructions, so that all
processors compute the same sums.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from clew.models.onnx_weights import BlockTable, EncoderWeights, HalfTable, Layer, Linear, Norm

GRAPH_FILE = "model.onnx"
DATA_FILE = "model.data"
_OPSET = 18
_IR_VERSION = 10
_CONTRIB = "com.microsoft"
_LARGEST_WEIGHT = 63
_LARGEST_ACTIVATION = 127
_ZERO_POINT = 128


def write_graph(weights: EncoderWeights, folder: Path) -> None:
    """Write GRAPH_FILE and DATA_FILE to `folder`.

    Input `input_ids` (batch, tokens) int64; output `hidden` (batch, tokens, width) float32, the
    last layer's vectors.
    """
    graph = _Graph()
    hidden = _embeddings(graph, weights)
    for layer in weights.layers:
        hidden = _layer(graph, hidden, layer, heads=weights.heads, epsilon=weights.epsilon)
    graph.nodes.append(helper.make_node("Identity", [hidden], ["hidden"]))
    width = weights.positions.shape[1]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "encoder",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
            [
                helper.make_tensor_value_info(
                    "hidden", TensorProto.FLOAT, ["batch", "tokens", width]
                )
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)],
        ir_version=_IR_VERSION,
    )
    onnx.save(
        model,
        str(folder / GRAPH_FILE),
        save_as_external_data=True,
        location=DATA_FILE,
        size_threshold=1024,
    )


class _Graph:
    """Nodes and constants in the order they are added; names are made up by counting."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._shared: dict[tuple[str, str, bytes], str] = {}

    def add(
        self, kind: str, *inputs: str, domain: str = "", **attributes: int | float | list[int]
    ) -> str:
        """Append a node and return the name of its output."""
        name = f"{kind}_{len(self.nodes)}"
        node = helper.make_node(kind, list(inputs), [name], name=name, domain=domain)
        node.attribute.extend(
            helper.make_attribute(key, value) for key, value in attributes.items()
        )
        self.nodes.append(node)
        return name

    def constant(self, array: NDArray[np.generic]) -> str:
        """Append a constant, small equal ones only once, and return its name."""
        key = (str(array.dtype), str(array.shape), array.tobytes())
        if array.size <= 4 and key in self._shared:
            return self._shared[key]
        name = self.tensor(numpy_helper.from_array(np.ascontiguousarray(array)))
        if array.size <= 4:
            self._shared[key] = name
        return name

    def tensor(self, tensor: onnx.TensorProto) -> str:
        """Append a constant that is already a tensor, and return its name."""
        tensor.name = f"constant_{len(self.constants)}"
        self.constants.append(tensor)
        return tensor.name


def _embeddings(graph: _Graph, weights: EncoderWeights) -> str:
    words = _words(graph, weights.words)
    count = graph.add(
        "Gather", graph.add("Shape", "input_ids"), graph.constant(np.array([1], np.int64)), axis=0
    )
    zero = graph.constant(np.array([0], np.int64))
    positions = graph.add("Slice", graph.constant(weights.positions), zero, count, zero)
    return _norm(graph, graph.add("Add", words, positions), weights.norm, weights.epsilon)


def _words(graph: _Graph, table: BlockTable | HalfTable) -> str:
    if isinstance(table, HalfTable):
        rows = graph.add("Gather", graph.constant(table.values), "input_ids", axis=0)
        return graph.add("Cast", rows, to=TensorProto.FLOAT)
    nibbles = (table.codes & 15).astype(np.uint8)
    codes = TensorProto()
    codes.data_type = TensorProto.INT4
    codes.dims.extend(table.codes.shape)
    codes.raw_data = (nibbles[:, 0::2] | (nibbles[:, 1::2] << 4)).tobytes()
    return graph.add(
        "GatherBlockQuantized",
        graph.tensor(codes),
        "input_ids",
        graph.constant(table.scales),
        domain=_CONTRIB,
        block_size=table.block,
        gather_axis=0,
        quantize_axis=1,
    )


def _layer(graph: _Graph, hidden: str, layer: Layer, *, heads: int, epsilon: float) -> str:
    rows = _quantise_rows(graph, hidden)
    query, key, value = (
        _product(graph, rows, part) for part in (layer.query, layer.key, layer.value)
    )
    mixed = graph.add("MultiHeadAttention", query, key, value, domain=_CONTRIB, num_heads=heads)
    attention = _product(graph, _quantise_rows(graph, mixed), layer.attention_output)
    hidden = _norm(graph, graph.add("Add", attention, hidden), layer.attention_norm, epsilon)
    inner = _product(graph, _quantise_rows(graph, hidden), layer.intermediate)
    inner = graph.add("Gelu", inner, domain=_CONTRIB)
    outer = _product(graph, _quantise_rows(graph, inner), layer.output)
    return _norm(graph, graph.add("Add", outer, hidden), layer.output_norm, epsilon)


def _norm(graph: _Graph, hidden: str, norm: Norm, epsilon: float) -> str:
    return graph.add(
        "LayerNormalization",
        hidden,
        graph.constant(norm.weight),
        graph.constant(norm.bias),
        axis=-1,
        epsilon=epsilon,
    )


def _quantise_rows(graph: _Graph, hidden: str) -> tuple[str, str]:
    """Return the rows as bytes around _ZERO_POINT, and each row's scale."""
    last = graph.constant(np.array([-1], np.int64))
    largest = graph.add("ReduceMax", graph.add("Abs", hidden), last, keepdims=1)
    # A row of zeros must not be divided by zero.
    largest = graph.add("Max", largest, graph.constant(np.array(1e-20, np.float32)))
    scale = graph.add(
        "Mul", largest, graph.constant(np.array(1.0 / _LARGEST_ACTIVATION, np.float32))
    )
    rows = graph.add(
        "QuantizeLinear",
        graph.add("Div", hidden, scale),
        graph.constant(np.array(1, np.float32)),
        graph.constant(np.array(_ZERO_POINT, np.uint8)),
    )
    return rows, scale


def _product(graph: _Graph, quantised: tuple[str, str], linear: Linear) -> str:
    rows, row_scale = quantised
    scales = np.maximum(np.abs(linear.weight).max(axis=1), np.float32(1e-20)) / _LARGEST_WEIGHT
    codes = np.rint(linear.weight / scales[:, None]).astype(np.int8)
    product = graph.add(
        "MatMulIntegerToFloat",
        rows,
        graph.constant(codes.T),
        graph.constant(np.array(1, np.float32)),
        graph.constant(scales.astype(np.float32)),
        graph.constant(np.array(_ZERO_POINT, np.uint8)),
        domain=_CONTRIB,
    )
    return graph.add("Add", graph.add("Mul", product, row_scale), graph.constant(linear.bias))
