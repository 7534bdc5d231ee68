#include "boon/index/codes.h"

#include <array>
#include <cstring>

#include "boon/index/vector_check.h"

namespace boon::index {
namespace {

constexpr std::array<std::string_view, 6> kNames = {kCodesToChoose, kNoCodes, "int8", "nvfp4", "bf16", "fp16"};

std::unique_ptr<codec::Codec> make(std::string_view name, std::size_t dim) {
  if (name == kNoCodes || name == kCodesToChoose) return nullptr;
  return codec::make_codec({.name = std::string(name), .dim = dim, .centre = {}});
}

}  // namespace

std::span<const std::string_view> code_names() noexcept {
  return kNames;
}

Codes::Codes(std::string_view name, std::size_t dim) : codec_(make(name, dim)) {
  if (codec_ != nullptr) stride_ = codec_->record_bytes();
}

std::vector<std::uint8_t> Codes::encode(std::span<const float> row) const {
  std::vector<std::uint8_t> record(stride_);
  if (!none()) codec_->encode(kernels::row_major(row.data(), 1, row.size()), record);
  return record;
}

std::vector<std::uint8_t> Codes::encode(std::span<const float> given, Metric metric, const Rows& held,
                                        ThreadPool& pool) const {
  if (none()) return {};
  const std::size_t dim = codec_->dim();
  const std::size_t count = given.size() / dim;
  if (metric != Metric::cosine)
    codec_->check_rows(kernels::row_major(given.data(), count, dim));  // of length 1 all fit
  std::vector<std::uint8_t> records(bytes(count));
  pool.for_each(count, 64, [&](std::size_t i, std::size_t) {
    std::vector<float> row(dim);
    held.write(given.subspan(i * dim, dim), metric, row.data());
    codec_->encode(kernels::row_major(std::as_const(row).data(), 1, dim),
                   std::span(records).subspan(bytes(i), stride_));
  });
  return records;
}

std::unique_ptr<codec::Scorer> Codes::coded(std::span<const float> query, Metric metric) const {
  // An index refuses what codecs do. A row of a mapped file, which nobody has looked at, may come here from check():
  // one that is not finite scores as it may, and is not found.
  return codec_->query_unchecked(query, scored_by(metric));
}

void Codes::reserve(std::size_t slots) {
  if (none()) return;
  buffer_.reserve(bytes(slots));
  data_ = reinterpret_cast<const std::uint8_t*>(buffer_.data());
}

void Codes::shrink(std::size_t slots) {
  buffer_.shrink(bytes(slots));
  data_ = reinterpret_cast<const std::uint8_t*>(buffer_.data());
}

void Codes::move(Node from, Node to) noexcept {
  if (!none()) std::memcpy(place(to), place(from), stride_);
}

void Codes::set(Node slot, std::span<const std::uint8_t> record) noexcept {
  if (!none()) std::memcpy(place(slot), record.data(), stride_);
}

void Codes::adopt(Bytes stored, bool copy) {
  const auto* records = reinterpret_cast<const std::uint8_t*>(stored.data());
  const std::size_t count = stored.size() / stride_;
  codec_->check({records, stride_}, count);
  if (copy) {
    reserve(count);
    if (!stored.empty()) std::memcpy(buffer_.data(), records, stored.size());
  } else {
    data_ = records;
  }
}

}  // namespace boon::index
