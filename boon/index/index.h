// boon::Index: vectors with 64-bit ids, found by nearness.
//
//   boon::Index index({.dim = 100, .metric = boon::Metric::cosine});
//   index.add(values, ids);                                  // rows x 100 floats, row-major
//   for (auto [id, distance] : index.search(query, 10)) …
//   index.save("words.boon");
//
// Any number of threads may search while one changes the index; further writers wait. All distances returned are exact,
// computed from the vectors held, in fp32 or in whole numbers; which are the nearest, an exact search decides in
// double. A call that throws leaves the index as it was (but see add on cancelling).
//
// Under l2, vectors of whole numbers from 0 to 255 (pixels, SIFT) are held as bytes: a quarter of the memory, and the
// same answers. The first vector that is none widens all. IndexOptions::dtype halves the memory of others.
//
// Vectors must be finite and not so long that a distance would leave the range of fp32 (sum of squares at most 6.8e37).
// Differences below 1e-19 vanish when fp32 squares them: scale such data up.
// Under cosine a vector of zeros has no direction and is refused, as a row and as a query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/core/file.h"
#include "boon/core/progress.h"
#include "boon/graph/options.h"
#include "boon/index/calibration.h"
#include "boon/index/filter.h"
#include "boon/index/kind.h"
#include "boon/index/metric.h"

namespace boon {

using Id = std::uint64_t;
// Stands for "no answer" in padded tables; not allowed as an id.
inline constexpr Id kNoId = ~Id{0};

// What IndexOptions::codes and ::dtype may be.
std::span<const std::string_view> code_names() noexcept;
std::span<const std::string_view> dtype_names() noexcept;

struct IndexOptions {
  std::size_t dim = 0;  // components of each vector, 1 to 65536
  Metric metric = Metric::cosine;
  graph::HnswOptions graph = {};  // of no use to an exact index
  IndexKind kind = IndexKind::hnsw;
  // One of code_names(). What walks of the graph read in place of the vectors, held beside them: "nvfp4" (a little more
  // than half a byte a component), "int8" (a byte), "bf16", "fp16", "none", or "auto", which chooses once there are
  // 1,024 vectors and again each time their number has doubled. Walks are faster, as they wait for memory above all;
  // what they find is ranked by the vectors, so distances are exact as ever.
  std::string codes = "auto";
  // One of dtype_names(): what vectors are held as that do not fit bytes. In "fp16" (11 binary digits, in steps of 6e-8
  // at least; up to 65,504) and "bf16" (8 digits, any size) they take half of the memory and are rounded when they are
  // added: distances are those of the rounded vectors, and get() gives these back. A vector that fp16 cannot hold, or
  // makes zeros of, is refused. Codes must be none, shorter, or "auto".
  std::string dtype = "fp32";

  // Throws Error{invalid_argument} that names the field and its range.
  void validate() const;
};

struct AddOptions {
  std::size_t threads = 0;  // 0: all cores
  // An id that is there already gets the new vector; otherwise it is an error.
  bool replace = false;
  Progress progress = nullptr;  // rows linked, rows given; must not call the index
};

struct SearchOptions {
  // Candidates kept on the way, ef in the paper: more finds more of the true nearest, and takes longer. Never below k.
  std::size_t beam = 64;
  // In place of a beam, the share of the true nearest to be found in the mean over queries, between 0 and 1; 0: off.
  // It takes the least beam that calibrate() has measured to reach it with a confidence of 95%, and where none did an
  // exact search. A filter widens that beam as any other. Throws invalid_argument where the index is not calibrated, or
  // has changed by more than a tenth since; searches that compare with every vector need no calibration.
  double target_recall = 0;
  bool exact = false;  // compare with every vector instead of walking the graph, as an exact index always does
  Filter filter = {};  // which ids may be answered
  float max_distance = std::numeric_limits<float>::infinity();  // answers are at most this far
  std::size_t threads = 1;  // for search_many: threads that share the queries; 0: all cores
  // For search_many: queries answered and given, after every 256 a thread, or 1,024 where all vectors are compared, and
  // at the end; must not change the index. False, but at the end, stops it with Error{cancelled}.
  Progress progress = nullptr;
};

struct Match {
  Id id;
  float distance;
  friend bool operator==(const Match&, const Match&) = default;
};

// Answers to many queries: row i holds the counts[i] nearest of query i, nearest first, the equally near by id; the
// rest of the row is kNoId and infinity.
struct Matches {
  std::size_t k = 0;
  std::vector<Id> ids;           // queries x k
  std::vector<float> distances;  // queries x k
  std::vector<std::size_t> counts;
  graph::SearchStatistics statistics;  // summed over the queries
};

struct IndexStatistics {
  std::size_t live = 0;                  // vectors that can be found
  std::size_t deleted = 0;               // removed, and still held until the graph is next repaired
  std::size_t free = 0;                  // places left by removed vectors, for the next ones
  std::size_t twins = 0;                 // vectors equal to another, which share its place in the graph
  std::size_t unreachable = 0;           // live vectors that no path of links leads to
  std::vector<std::size_t> level_sizes;  // nodes on each level, the floor first
  double mean_degree = 0;                // links of a node on the floor
  std::size_t max_degree = 0;
  std::string_view component = "fp32";  // how vectors are held: the dtype, or "u8" where all fit bytes
  std::size_t vector_bytes = 0;
  std::size_t code_bytes = 0;
  std::size_t graph_bytes = 0;
  std::size_t id_bytes = 0;
  std::size_t exact_bytes = 0;  // what exact searches made to be faster, kept until the next change
  std::size_t total_bytes() const noexcept { return vector_bytes + code_bytes + graph_bytes + id_bytes + exact_bytes; }
};

// What check() found; healthy when every count is zero.
struct IndexHealth {
  std::size_t checked = 0;       // live vectors searched for
  std::size_t not_found = 0;     // of those, not among the answers to themselves (nor an equal vector in their place)
  std::size_t widened = 0;       // of those found, not by the usual beam of 64 but by one of up to 4,096
  std::size_t unreachable = 0;   // as in IndexStatistics
  std::size_t broken_links = 0;  // links outside the graph, to a node itself, doubled, or to a removed node
  bool healthy() const noexcept { return not_found == 0 && unreachable == 0 && broken_links == 0; }
};

class Index {
 public:
  // Throws invalid_argument.
  explicit Index(const IndexOptions& options);
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  const IndexOptions& options() const noexcept;
  std::size_t dim() const noexcept;
  Metric metric() const noexcept;
  IndexKind kind() const noexcept;
  // Live vectors.
  std::size_t size() const noexcept;
  // What walks read now: "nvfp4", "int8", "bf16", "fp16" or "none".
  std::string_view codes() const;
  bool read_only() const noexcept;

  // Adds values.size() / dim() vectors, row-major. Ids are given one a row, or counted on from the largest so far.
  // Either every row is added or, on an error in any, none: a value that is NaN, infinite or too large, an id twice
  // in the batch or there already (already_exists, unless replace). Stopped by progress, it throws cancelled and keeps
  // the rows linked so far. The graph is the same on any number of threads. Returns the rows' ids.
  std::vector<Id> add(std::span<const float> values, std::span<const Id> ids = {}, const AddOptions& options = {});

  // Removes vectors; they are never answered again. Ids that are not there are passed over. Returns how many were
  // removed. When a tenth of the graph is removed it is repaired, and the places become free.
  std::size_t remove(std::span<const Id> ids);

  bool contains(Id id) const;
  // The vector as it is held: of length 1 under cosine, and rounded to the dtype. Throws not_found.
  std::vector<float> get(Id id) const;
  // All live ids, in the order of their places.
  std::vector<Id> ids() const;

  // The k nearest to one query, fewer if fewer are live and allowed. A k above that gives them all.
  std::vector<Match> search(std::span<const float> query, std::size_t k, const SearchOptions& options = {},
                            graph::SearchStatistics* statistics = nullptr) const;
  // The same for queries.size() / dim() queries.
  Matches search_many(std::span<const float> queries, std::size_t k, const SearchOptions& options = {}) const;
  // All that is at most options.max_distance away and, exact aside, that a widening search finds.
  std::vector<Match> search_range(std::span<const float> query, const SearchOptions& options) const;

  // Repairs the graph around removed vectors and moves the rest together; gives the memory back.
  void compact();

  // Bytes kept with the index under a name of up to 14 characters and stored in its file.
  void attach(std::string_view name, std::vector<std::byte> bytes);
  void detach(std::string_view name);  // nothing happens if there is none
  Bytes attachment(std::string_view name) const noexcept;

  // Measures which recall walks of wider and wider beams reach, and keeps it for SearchOptions::target_recall; files
  // hold it too. `queries` are such as will be asked, and not in the index. Where none are given, rows of the index
  // drawn at random stand for them: each is asked while it and its copies are invisible to the walk, which does not
  // pass through them, and to the exact search. So it is a query held out, but for the links that others spend on it,
  // and what is measured is a little too low rather than too high. Calibrations for other k stay. Searches go on and
  // writers wait. Throws invalid_argument for an exact index, which needs none, and one with too few vectors, and
  // cancelled, with nothing changed.
  Calibration calibrate(std::span<const float> queries = {}, const CalibrationOptions& options = {});
  // By rising k.
  std::vector<Calibration> calibrations() const;

  IndexStatistics statistics() const;
  // Looks for up to `sample` live vectors (0: all) by themselves, and for faults in the graph. An exact index has none,
  // and is asked whether each id leads to its vector.
  IndexHealth check(std::size_t sample = 0, std::size_t threads = 0) const;

  // Writes a file (docs/formats/index.md) under a temporary name, then renames it. Searches may go on.
  void save(const Path& path) const;
  // Reads a file into memory; checksums are compared. Throws not_found, corrupted or unsupported.
  static Index load(const Path& path);
  // Maps a file for searching: opens without reading the vectors, and shares its memory with others. Changes throw
  // read_only. Graph and codes are checked, the vectors' checksum is left to load() and to `boon doctor`.
  static Index view(const Path& path);

 private:
  class Impl;
  explicit Index(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace boon
