// What an Index holds, and the locks that keep its parts together.
//
// Locks: `writer_` is held by the one call that changes the index. `layout_` is held shared by everything that reads
// rows, and alone while memory moves or numbers are given anew (growing, unlinking, compacting).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "boon/core/buffer.h"
#include "boon/core/error.h"
#include "boon/core/parallel.h"
#include "boon/core/rw_lock.h"
#include "boon/graph/hnsw.h"
#include "boon/index/admission.h"
#include "boon/index/code_choice.h"
#include "boon/index/codes.h"
#include "boon/index/container.h"
#include "boon/index/exact_rows.h"
#include "boon/index/index.h"
#include "boon/index/recall_tables.h"
#include "boon/index/rows.h"
#include "boon/index/scratches.h"
#include "boon/index/slots.h"
#include "boon/index/spaces.h"
#include "boon/index/vector_check.h"

namespace boon {

class Index::Impl {
 public:
  explicit Impl(const IndexOptions& options);

  // change.cc
  std::vector<Id> add(std::span<const float> given, std::span<const Id> ids, const AddOptions& options);
  std::size_t remove(std::span<const Id> ids);
  void compact();
  std::vector<float> get(Id id) const;
  std::vector<Id> ids() const;
  void attach(std::string_view name, std::vector<std::byte> bytes);
  void detach(std::string_view name);

  // search.cc
  std::vector<Match> search(std::span<const float> query, std::size_t k, const SearchOptions& options,
                            graph::SearchStatistics* statistics) const;
  Matches search_many(std::span<const float> queries, std::size_t k, const SearchOptions& options) const;
  std::vector<Match> search_range(std::span<const float> query, const SearchOptions& options) const;

  // report.cc
  IndexStatistics statistics() const;
  IndexHealth check(std::size_t sample, std::size_t threads) const;

  // calibration.cc
  Calibration calibrate(std::span<const float> queries, const CalibrationOptions& options);
  std::vector<Calibration> calibrations() const;

  // storage.cc
  void save(const Path& path) const;
  static std::unique_ptr<Impl> open(const Path& path, bool view);

  const IndexOptions& options() const noexcept { return options_; }
  const index::Slots& slots() const noexcept { return slots_; }
  std::string_view codes() const;
  bool has_graph() const noexcept { return options_.kind == IndexKind::hnsw; }
  bool read_only() const noexcept { return read_only_; }
  Bytes attachment(std::string_view name) const noexcept;
  bool contains(Id id) const;

 private:
  using Node = graph::Node;
  // A query as the kernels take it.
  struct Query {
    std::vector<float> values;
    std::vector<std::uint8_t> bytes;  // the same; empty if they do not fit
  };

  const index::Vectors& vectors() const noexcept { return rows_.vectors(); }
  // Asks for all rows where they are in a file, which is otherwise read page by page as they are met.
  void will_read_rows() const noexcept {
    if (read_only_) file_.will_read(rows_.stored(slots_.used()));
  }
  // Squared norms of all rows, for the inner product. A view holds none, so it works them out; they live in `own`.
  struct Norms {
    std::vector<float> own;
    const float* squared = nullptr;
    float longest = 0;
  };
  Norms squared_norms() const;
  // Calls f with the space that the graph is built in.
  template <class F>
  auto in_space(F&& f) const {
    if (options_.metric != Metric::inner_product) return f(index::CodedL2Space{{vectors()}, &codes_});
    const Norms norms = squared_norms();
    return f(index::ProductSpace{vectors(), norms.squared, norms.longest});
  }
  void require_writable() const;
  std::vector<Id> choose_ids(std::size_t count, std::span<const Id> ids, bool replace) const;
  bool codes_are_due(std::size_t given, index::Element element) const noexcept;
  std::string_view choose_codes(std::span<const float> given) const;
  index::Codes make_codes(std::string_view name, ThreadPool& pool) const;
  void grow(std::size_t slots, std::span<const Node> to_insert, index::Element element,
            std::optional<index::Codes> made);
  void store_row(Node slot, std::span<const float> given, std::span<float> buffer) noexcept;
  void link(std::span<const Node> nodes, const AddOptions& options);
  void finish_adding(std::span<const Node> unreached);
  ThreadPool& threads(std::size_t count);
  void repair_if_due(std::size_t changed);
  void consolidate();

  Query prepare(std::span<const float> query, const std::string& what) const;
  // Calls f with the scorer of the query.
  template <class F>
  void with_scorer(const Query& query, F&& f) const {
    if (options_.metric == Metric::inner_product) {
      f(index::ProductScorer{vectors(), query.values.data()});
    } else {
      f(index::L2Scorer{vectors(), query.values.data(), query.bytes.empty() ? nullptr : query.bytes.data()});
    }
  }
  void scan(const Query& query, std::size_t k, const SearchOptions& options, const index::Admission& admission,
            graph::Scratch& scratch) const;
  bool scan_is_cheaper(const index::Admission& admission, std::size_t width) const noexcept;
  void find(const Query& query, std::size_t k, const SearchOptions& options, const index::Admission& admission,
            bool writing, graph::Scratch& scratch) const;
  bool compares_all(std::size_t k, const SearchOptions& options, const index::Admission& admission) const noexcept;
  void answer_exact(std::span<const float> queries, std::size_t first, std::size_t count, const SearchOptions& options,
                    const index::Admission& admission, ThreadPool& pool, Matches& table) const;
  void to_matches(std::size_t k, const SearchOptions& options, std::span<const graph::Candidate> found, bool writing,
                  std::vector<Match>& matches) const;
  void answer(const Query& query, std::size_t k, const SearchOptions& options, const index::Admission& admission,
              graph::Scratch& scratch, std::vector<Match>& matches) const;
  std::size_t lost_ids(std::span<const Node> live) const noexcept;
  template <class Space>
  std::size_t beam_that_finds(const Space& space, Node slot, const index::Admission& admission) const;
  void restore_norms();

  // calibration.cc
  struct Trial;
  using Report = std::function<void(std::size_t asked)>;
  Trial draw_trial(std::size_t count, std::uint64_t seed) const;
  void find_truth(std::size_t k, ThreadPool& pool, const Report& report, Trial& trial) const;
  std::vector<double> recalls(const Trial& trial, std::size_t k, std::size_t beam, ThreadPool& pool,
                              const Report& report) const;
  std::optional<SearchOptions> aimed(const SearchOptions& options, std::size_t k) const;

  float distance_of(float score) const noexcept;

  IndexOptions options_;
  mutable RwLock layout_;
  mutable std::mutex writer_;
  bool read_only_ = false;

  MappedFile file_;  // of a view
  index::Rows rows_;
  index::Codes codes_;
  std::size_t next_choice_ = index::kCodesFrom;  // live vectors from which on codes are chosen (again); the writer's
  PageBuffer squared_norms_;                     // inner product only
  float longest_ = 0;                            // the largest of them
  index::Slots slots_;
  mutable index::ExactRows exact_rows_;
  index::RecallTables recall_tables_;
  graph::Hnsw graph_;  // empty where the index is exact
  Id next_id_ = 0;
  std::size_t changed_ = 0;  // rows linked since the last look for unreachable ones
  // Rows are being added: slots may be linked and not yet live, and an id may be live twice, replaced and new. Begins
  // while no search is under way, so each search reads it once.
  std::atomic<bool> writing_{false};
  std::map<std::string, std::vector<std::byte>, std::less<>> attachments_;
  std::map<std::string, Bytes, std::less<>> viewed_attachments_;
  std::unique_ptr<ThreadPool> threads_;
  std::unique_ptr<index::Scratches> scratches_;
};

}  // namespace boon
