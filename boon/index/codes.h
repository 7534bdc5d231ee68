// Codes beside the rows of an index: each vector once more in few bytes, which is what walks of the graph read. What a
// walk finds is ranked again by the rows (search.cc), so codes cost accuracy on the way and none in the answers.
//
// One writer. The calls marked so need the index for themselves; set() may run beside readers of other slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "boon/codec/codec.h"
#include "boon/core/buffer.h"
#include "boon/core/bytes.h"
#include "boon/core/parallel.h"
#include "boon/graph/scorer.h"
#include "boon/index/metric.h"
#include "boon/index/rows.h"
#include "boon/index/spaces.h"

namespace boon::index {

// What codes of an index may be asked for by: "auto", for those that suit the vectors, "none", and codecs.
std::span<const std::string_view> code_names() noexcept;
inline constexpr std::string_view kCodesToChoose = "auto";
inline constexpr std::string_view kNoCodes = "none";

// What codes are scored by. Under cosine rows and queries have length 1.
inline codec::Metric scored_by(Metric metric) noexcept {
  return metric == Metric::inner_product ? codec::Metric::inner_product : codec::Metric::l2;
}

// What a walk scores by: estimates from the nodes' codes where an index has them, else what `Rows` gives.
template <graph::Scorer Rows>
class WalkScorer {
 public:
  explicit WalkScorer(Rows rows) : rows_(std::move(rows)) {}
  WalkScorer(Rows rows, std::unique_ptr<codec::Scorer> query, codec::Records records)
      : rows_(std::move(rows)), query_(std::move(query)), records_(records) {}

  bool estimates() const noexcept { return query_ != nullptr; }
  const Rows& rows() const noexcept { return rows_; }

  void score(std::span<const Node> nodes, float* out) const noexcept {
    if (query_ == nullptr) {
      rows_.score(nodes, out);
    } else {
      query_->score(records_, nodes.data(), nodes.size(), out);
    }
  }
  void prefetch(Node node) const noexcept {
    if (query_ == nullptr) {
      rows_.prefetch(node);
    } else {
      prefetch_lines(records_[node], records_.stride);
    }
  }

 private:
  Rows rows_;
  std::unique_ptr<codec::Scorer> query_;
  codec::Records records_;
};

class Codes {
 public:
  // `name` is one of code_names(); "auto" is none until there is a choice.
  Codes(std::string_view name, std::size_t dim);

  std::string_view name() const noexcept { return none() ? kNoCodes : codec_->name(); }
  bool none() const noexcept { return codec_ == nullptr; }
  codec::Records records() const noexcept { return {data_, stride_}; }
  // Bytes of `slots` records.
  std::size_t bytes(std::size_t slots) const noexcept { return slots * stride_; }

  // The record of a row as the index holds it.
  std::vector<std::uint8_t> encode(std::span<const float> row) const;
  // Records of rows as they are given, one after the other; none where there are no codes. `held` says how they are
  // held. Throws Error{invalid_argument} that names a row that the codec cannot hold.
  std::vector<std::uint8_t> encode(std::span<const float> given, Metric metric, const Rows& held,
                                   ThreadPool& pool) const;
  // What walks towards the query score by.
  template <graph::Scorer Rows>
  WalkScorer<Rows> walk(std::span<const float> query, Metric metric, const Rows& rows) const {
    if (none()) return WalkScorer<Rows>(rows);
    return {rows, coded(query, metric), records()};
  }

  // Room for `slots` records. Throws out_of_memory. Alone.
  void reserve(std::size_t slots);
  // Gives back what is past the first `slots` records. Alone.
  void shrink(std::size_t slots);
  void move(Node from, Node to) noexcept;
  // Stores a record.
  void set(Node slot, std::span<const std::uint8_t> record) noexcept;

  // Records as they are stored in a file.
  Bytes stored(std::size_t slots) const noexcept { return as_bytes(data_, bytes(slots)); }
  // Takes stored records over, copied or referred to. Throws Error{corrupted} where one could not be scored, and
  // out_of_memory.
  void adopt(Bytes stored, bool copy);

 private:
  std::unique_ptr<codec::Scorer> coded(std::span<const float> query, Metric metric) const;
  std::uint8_t* place(Node slot) noexcept { return reinterpret_cast<std::uint8_t*>(buffer_.data()) + bytes(slot); }

  std::unique_ptr<codec::Codec> codec_;  // null: no codes
  std::size_t stride_ = 0;
  PageBuffer buffer_;                   // empty for a view
  const std::uint8_t* data_ = nullptr;  // the first record
};

// L2 (so cosine too) where insertions walk over codes, if there are any, and choose by the vectors.
struct CodedL2Space : L2Space {
  const Codes* codes;

  WalkScorer<L2Scorer> walk_from(Node node) const {
    if (codes->none()) return WalkScorer(from(node));
    return codes->walk(vectors.values(node), Metric::l2, from(node));
  }
};

}  // namespace boon::index
