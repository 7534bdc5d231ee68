// Vectors from files: NumPy, the fvecs family, HDF5 in the layout of ann-benchmarks, word vectors as text, JSON lines.
//
// Every value that comes out is finite and fits a float; a file with one that is not is refused whole, and the message
// names the row and the component. Rows and components count from 0, lines of text from 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "boon/core/file.h"

namespace boon::cli {

// A table of vectors as read from a file: row-major, rows() x dim, with the ids if the file carries any.
struct VectorTable {
  std::size_t dim = 0;
  std::vector<float> values;
  std::vector<std::string> names;  // empty, or one a row: words of a text file, "id" strings of JSON lines; UTF-8
  std::vector<std::uint64_t> ids;  // empty, or one a row: "id" numbers of JSON lines
  std::string metric;              // as an HDF5 file says it ("angular", "euclidean", …); else empty

  std::size_t rows() const noexcept { return dim == 0 ? 0 : values.size() / dim; }
};

enum class Format {
  automatic,  // by the extension; where that says nothing (standard input, say), by the first bytes
  npy,        // one array of f2, f4, f8, u1 or i1, with one axis (one vector) or two
  fvecs,      // each row: its dimension as int32, then that many float32
  bvecs,      // the same with uint8
  ivecs,      // the same with int32
  hdf5,       // one two-dimensional set of numbers
  text,       // "word v1 v2 …" a line, as GloVe and word2vec write it
  jsonl,      // {"id": 7, "vector": [0.5, 1]} a line
};

struct ReadOptions {
  Format format = Format::automatic;
  std::string dataset = "train";  // which set of an HDF5 file to read
  std::size_t max_rows = 0;       // stop after so many rows; 0 reads all
};

// Reads a whole file, or standard input when `path` is "-" (a pipe works too, for every format). At least one row.
// Throws not_found, io, invalid_argument (a value, dimension or type that cannot be used; no rows at all) and corrupted
// (bytes that break the format or end too early).
VectorTable read_vectors(const Path& path, const ReadOptions& options = {});

// A benchmark of ann-benchmarks: a base, queries, and the exact nearest base rows of each query.
struct BenchmarkSet {
  std::string metric;  // as the file says it: "angular", "euclidean", …
  VectorTable train;   // named by the set "words" where the file has one
  VectorTable test;
  std::size_t truth_k = 0;
  std::vector<std::int32_t> neighbours;  // test.rows() x truth_k row numbers of train, nearest first
  std::vector<float> distances;          // test.rows() x truth_k
};

// Throws as read_vectors does; when a set is missing the message lists those that exist.
BenchmarkSet read_benchmark_set(const Path& path);

// Writes such a file, whole or not at all; without `vectors`, its truth and its metric alone. Throws io, and
// out_of_memory: the file is made in memory first.
void write_benchmark_set(const Path& path, const BenchmarkSet& set, bool vectors = true);

}  // namespace boon::cli
