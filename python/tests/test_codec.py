"""boon.codec against numpy and ml_dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import boon
import boon.codec


def vectors(n: int = 200, dim: int = 50, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)


def test_names_and_shapes() -> None:
    assert boon.codec.names() == ["fp32", "bf16", "fp16", "int8", "u8", "nvfp4", "rabitq1"]
    x = vectors()
    bytes_of = {"fp32": 200, "bf16": 100, "fp16": 100, "int8": 50, "nvfp4": 32, "rabitq1": 7}
    for name, size in bytes_of.items():
        c = boon.codec.encode(name, x)
        assert (c.name, c.dim, len(c)) == (name, 50, 200)
        assert c.codes.shape == (200, size) and c.codes.dtype == np.uint8
        assert c.scales.shape == (200, 4 if name == "nvfp4" else 0) and c.scales.dtype == np.uint8
        assert c.vector_scales.shape == (200,) and c.vector_scales.dtype == np.float32
        assert c.nbytes == c.records.nbytes < x.nbytes + 200 * 8
        assert name in repr(c)


def test_floats_have_the_bits_of_numpy_and_ml_dtypes() -> None:
    x = vectors()
    assert np.array_equal(boon.codec.encode("fp32", x).codes, x.view(np.uint8))
    assert np.array_equal(boon.codec.encode("fp16", x).codes, x.astype(np.float16).view(np.uint8))
    assert np.array_equal(boon.codec.encode("bf16", x).codes, x.astype(ml_dtypes.bfloat16).view(np.uint8))


def test_nvfp4_decodes_as_the_formats_say() -> None:
    c = boon.codec.encode("nvfp4", vectors(dim=64))
    low, high = c.codes & 15, c.codes >> 4
    nibbles = np.stack([low, high], axis=2).reshape(len(c), 64)
    values = nibbles.astype(np.uint8).view(ml_dtypes.float4_e2m1fn).astype(np.float32)
    scales = np.ascontiguousarray(c.scales).view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    assert np.all(np.isfinite(scales))
    expected = values * np.repeat(scales, 16, axis=1) * c.vector_scales[:, None]
    np.testing.assert_allclose(c.decode(), expected, rtol=3e-7)


def test_every_pattern_of_e2m1_and_e4m3() -> None:
    """All that a nibble and a block scale can be, in records made by hand."""
    c = boon.codec.encode("nvfp4", vectors(n=127, dim=16))
    records = c.records.copy()
    first = records.shape[1] - 12  # codes, scale and three bytes to fill up
    records[:, first : first + 8] = np.arange(8) * 2 | (np.arange(8) * 2 + 1) << 4
    records[:, first + 8] = np.arange(127)
    made = boon.codec.Encoded(c._codec, records)
    e2m1 = np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn).astype(np.float32)
    e4m3 = np.arange(127, dtype=np.uint8).view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    expected = e2m1[None, :] * e4m3[:, None] * made.vector_scales[:, None]
    np.testing.assert_allclose(made.decode(), expected, rtol=3e-7)


def test_int8_decodes_by_its_scale() -> None:
    x = vectors()
    c = boon.codec.encode("int8", x)
    np.testing.assert_allclose(c.decode(), c.codes.view(np.int8) * c.vector_scales[:, None], rtol=1e-6)
    assert np.abs(c.decode() - x).max() < np.abs(x).max() / 127


def test_whole_numbers_are_kept_whole() -> None:
    x = np.random.default_rng(2).integers(0, 256, size=(30, 20)).astype(np.float32)
    c = boon.codec.encode("int8", x)
    assert c.name == "u8"
    assert np.array_equal(boon.codec.decode(c), x)
    assert np.array_equal(c.codes, x.astype(np.uint8))


@pytest.mark.parametrize("space", ["l2", "cosine", "ip"])
@pytest.mark.parametrize("name", ["fp32", "bf16", "fp16", "int8", "nvfp4", "rabitq1"])
def test_scores_estimate_the_truth(name: str, space: str) -> None:
    x, queries = vectors(dim=128), vectors(n=3, dim=128, seed=5)
    c = boon.codec.encode(name, x)
    dots = queries.astype(np.float64) @ x.T
    lengths = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(x, axis=1)
    truth = {
        "l2": ((queries[:, None] - x) ** 2).sum(2),
        "cosine": 1 - dots / lengths,
        "ip": -dots,
    }[space]
    scores = c.score(queries, space)
    assert scores.shape == (3, 200) and scores.dtype == np.float32
    assert np.array_equal(scores[1], c.score(queries[1], space))
    unit = {"l2": 2 * lengths, "cosine": 1, "ip": lengths}[space]  # of an error in the product
    # Of each codec what its rounding makes of a product of random vectors, six deviations.
    error = {"fp32": 1e-6, "bf16": 2e-3, "fp16": 3e-4, "int8": 5e-3, "nvfp4": 0.06, "rabitq1": 0.45}[name]
    assert np.max(np.abs(scores - truth) / unit) < error


def test_rows_of_encoded() -> None:
    x = vectors()
    c = boon.codec.encode("nvfp4", x)
    assert np.array_equal(c[10:20].decode(), c.decode()[10:20])
    assert np.array_equal(c[np.arange(200) % 2 == 1].score(x[0]), c.score(x[0])[1::2])
    assert len(c[[3]]) == 1


def test_arrays_as_users_have_them() -> None:
    x = vectors()
    expected = boon.codec.encode("nvfp4", x).records
    for same in (x.astype(np.float64), np.asfortranarray(x), x.astype(">f4"), x.tolist()):
        assert np.array_equal(boon.codec.encode("nvfp4", same).records, expected)
    assert np.array_equal(boon.codec.encode("nvfp4", x[0]).records, expected[:1])
    assert len(boon.codec.encode("nvfp4", np.empty((0, 8), np.float32))) == 0
    assert boon.codec.encode("nvfp4", np.empty((0, 8), np.float32)).decode().shape == (0, 8)


def test_refusals() -> None:
    x = vectors(4, 8)
    with pytest.raises(ValueError, match="no codec is called int3"):
        boon.codec.encode("int3", x)
    x[2, 5] = np.nan
    with pytest.raises(ValueError, match="row 2, component 5 is NaN"):
        boon.codec.encode("nvfp4", x)
    x[2, 5] = 1e5
    with pytest.raises(ValueError, match="row 2, component 5 is 100000, more than fp16 holds"):
        boon.codec.encode("fp16", x)
    with pytest.raises(ValueError, match="row 0, component 0"):
        boon.codec.encode("u8", x)
    with pytest.raises(ValueError, match=r"shape \(0,\)"):
        boon.codec.encode("int8", [])
    with pytest.raises(TypeError, match="dtype"):
        boon.codec.encode("int8", [["a"]])
    c = boon.codec.encode("int8", x)
    with pytest.raises(ValueError, match="dimension 8"):
        c.score(np.ones(7))
    with pytest.raises(ValueError, match="metric"):
        c.score(np.ones(8), "hamming")
    broken = c.records.copy()
    broken[1, 4:8] = 255  # its scale is NaN
    with pytest.raises(boon.errors.Corrupted, match="row 1"):
        boon.codec.Encoded(c._codec, broken).decode()


def test_index_with_codes() -> None:
    x = vectors(2000, 32)
    plain = boon.Index(32, "cosine")
    plain.add(x)
    for codes in ("int8", "nvfp4", "bf16", "fp16"):
        index = boon.Index(32, "cosine", codes=codes)
        index.add(x)
        assert index.codes == codes and codes in repr(index)
        assert index.stats()["code_bytes"] > 0
        found, truth = index.search(x[:100], 10, beam=100), plain.search(x[:100], 10, exact=True)
        assert np.array_equal(found.ids[:, 0], np.arange(100))
        assert np.mean([len(set(a) & set(b)) for a, b in zip(found.ids, truth.ids, strict=True)]) > 9.7
        assert index.check()["healthy"]
    with pytest.raises(ValueError, match="int3"):
        boon.Index(32, codes="int3")
