// The face of boon::Index; the work is done in change.cc, search.cc, calibration.cc, report.cc and storage.cc.
#include "boon/index/index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "boon/index/impl.h"

namespace boon {
namespace {

constexpr std::size_t kDimMax = 65536;

}  // namespace

void IndexOptions::validate() const {
  if (dim == 0 || dim > kDimMax) {
    throw Error(ErrorCode::invalid_argument, fmt::format("dim is {}, but it must be from 1 to {}", dim, kDimMax));
  }
  graph.validate();
  const auto names = code_names();
  if (std::find(names.begin(), names.end(), codes) == names.end()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("codes are \"{}\", but must be one of {}", codes, fmt::join(names, ", ")));
  }
  const auto dtypes = dtype_names();
  if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("dtype is \"{}\", but must be one of {}", dtype, fmt::join(dtypes, ", ")));
  }
  if (dtype != "fp32" && (codes == "fp16" || codes == "bf16")) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("codes are \"{}\", which are no shorter than vectors of the dtype {}: take auto, int8, nvfp4 "
                    "or none",
                    codes, dtype));
  }
  if (kind == IndexKind::exact && codes != index::kNoCodes && codes != index::kCodesToChoose) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("codes are \"{}\", but an exact index walks no graph: they must be none", codes));
  }
}

std::span<const std::string_view> code_names() noexcept {
  return index::code_names();
}

std::span<const std::string_view> dtype_names() noexcept {
  return index::dtype_names();
}

Index::Index(const IndexOptions& options) {
  options.validate();
  impl_ = std::make_unique<Impl>(options);
}
Index::Index(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

const IndexOptions& Index::options() const noexcept {
  return impl_->options();
}
std::size_t Index::dim() const noexcept {
  return impl_->options().dim;
}
Metric Index::metric() const noexcept {
  return impl_->options().metric;
}
std::size_t Index::size() const noexcept {
  return impl_->slots().live();
}
IndexKind Index::kind() const noexcept {
  return impl_->options().kind;
}
std::string_view Index::codes() const {
  return impl_->codes();
}
bool Index::read_only() const noexcept {
  return impl_->read_only();
}
std::vector<Id> Index::add(std::span<const float> values, std::span<const Id> ids, const AddOptions& options) {
  return impl_->add(values, ids, options);
}
std::size_t Index::remove(std::span<const Id> ids) {
  return impl_->remove(ids);
}
bool Index::contains(Id id) const {
  return impl_->contains(id);
}
std::vector<float> Index::get(Id id) const {
  return impl_->get(id);
}
std::vector<Id> Index::ids() const {
  return impl_->ids();
}
std::vector<Match> Index::search(std::span<const float> query, std::size_t k, const SearchOptions& options,
                                 graph::SearchStatistics* statistics) const {
  return impl_->search(query, k, options, statistics);
}
Matches Index::search_many(std::span<const float> queries, std::size_t k, const SearchOptions& options) const {
  return impl_->search_many(queries, k, options);
}
std::vector<Match> Index::search_range(std::span<const float> query, const SearchOptions& options) const {
  return impl_->search_range(query, options);
}
void Index::compact() {
  impl_->compact();
}
void Index::attach(std::string_view name, std::vector<std::byte> bytes) {
  impl_->attach(name, std::move(bytes));
}
void Index::detach(std::string_view name) {
  impl_->detach(name);
}
Bytes Index::attachment(std::string_view name) const noexcept {
  return impl_->attachment(name);
}
Calibration Index::calibrate(std::span<const float> queries, const CalibrationOptions& options) {
  return impl_->calibrate(queries, options);
}
std::vector<Calibration> Index::calibrations() const {
  return impl_->calibrations();
}
IndexStatistics Index::statistics() const {
  return impl_->statistics();
}
IndexHealth Index::check(std::size_t sample, std::size_t threads) const {
  return impl_->check(sample, threads);
}
void Index::save(const Path& path) const {
  impl_->save(path);
}
Index Index::load(const Path& path) {
  return Index(Impl::open(path, false));
}
Index Index::view(const Path& path) {
  return Index(Impl::open(path, true));
}

}  // namespace boon
