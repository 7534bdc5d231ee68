#include "boon/index/admission.h"

#include <algorithm>

#include "boon/core/random.h"

namespace boon::index {
namespace {

// Slots asked to learn what share a function lets through: enough to tell a tenth from a hundredth.
constexpr std::size_t kSample = 512;

}  // namespace

Admission::Admission(const Filter& filter, const Slots& slots) : filter_(filter), slots_(slots), used_(slots.used()) {
  expected_ = slots.live();
  if (filter.everything()) {
    kind_ = expected_ == used_ ? Kind::all : Kind::live;
    return;
  }
  if (const auto* ids = filter.ids()) {
    kind_ = Kind::listed;
    for (const std::uint64_t id : *ids) {
      if (const Node slot = slots.find(id); slot != kNone && slot < used_) listed_.push_back(slot);
    }
    std::sort(listed_.begin(), listed_.end());
    listed_.erase(std::unique(listed_.begin(), listed_.end()), listed_.end());
    expected_ = listed_.size();
    marks_.resize(used_);
    for (const Node slot : listed_) marks_[slot] = true;
    return;
  }
  kind_ = Kind::tested;
  const std::size_t sample = std::min(used_, kSample);
  std::size_t passed = 0;
  Random random(used_);
  for (std::size_t i = 0; i < sample; ++i) {
    const auto slot = static_cast<Node>(sample == used_ ? i : random.below(used_));
    passed += (*this)(slot) ? 1 : 0;
  }
  expected_ = sample == 0 ? 0 : passed * used_ / sample;
}

void Admission::hide(std::span<const Node> slots) {
  hidden_.insert(hidden_.end(), slots.begin(), slots.end());
  expected_ -= std::min(expected_, slots.size());
  if (kind_ == Kind::all) kind_ = Kind::live;
}

bool Admission::operator()(Node slot) const {
  if (slot >= used_ || !slots_.is_live(slot)) return false;
  if (!hidden_.empty() && std::find(hidden_.begin(), hidden_.end(), slot) != hidden_.end()) return false;
  switch (kind_) {
    case Kind::all:
    case Kind::live:
      return true;
    case Kind::listed:
      return marks_[slot];
    case Kind::tested:
      return filter_.predicate()(slots_.id(slot));
  }
  return false;
}

}  // namespace boon::index
