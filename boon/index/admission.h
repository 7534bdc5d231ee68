// A filter, settled for a stretch of queries: which slots it lets through, and what share of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boon/index/filter.h"
#include "boon/index/slots.h"

namespace boon::index {

class Admission {
 public:
  // The slots must not be renumbered while it is in use.
  Admission(const Filter& filter, const Slots& slots);

  // Lets these slots, which pass, through no more.
  void hide(std::span<const Node> slots);

  // Every live slot passes and every slot is live: nothing needs to be asked.
  bool all() const noexcept { return kind_ == Kind::all; }
  bool operator()(Node slot) const;

  // Slots that pass: counted, or estimated from a sample where the filter is a function.
  std::size_t expected() const noexcept { return expected_; }
  // True if expected() is a count and not an estimate.
  bool counted() const noexcept { return kind_ != Kind::tested; }
  // The slots themselves, ascending, where the filter names them.
  const std::vector<Node>* listed() const noexcept { return kind_ == Kind::listed ? &listed_ : nullptr; }

 private:
  enum class Kind { all, live, listed, tested };

  const Filter& filter_;
  const Slots& slots_;
  Kind kind_ = Kind::live;
  std::size_t used_ = 0;
  std::size_t expected_ = 0;
  std::vector<Node> listed_;
  std::vector<bool> marks_;
  std::vector<Node> hidden_;
};

}  // namespace boon::index
