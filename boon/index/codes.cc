#include "boon/index/codes.h"

#include <array>
#include <cstring>

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

void Codes::check_rows(std::span<const float> rows) const {
  if (codec_ != nullptr)
    codec_->check_rows({rows.data(), rows.size() / codec_->dim(), codec_->dim(), codec_->dim(), 1});
}

std::unique_ptr<codec::Scorer> Codes::coded(std::span<const float> query, Metric metric) const {
  return codec_->query(query, scored_by(metric));
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

void Codes::set(Node slot, std::span<const float> row) {
  if (!none()) codec_->encode({row.data(), 1, row.size(), row.size(), 1}, {place(slot), stride_});
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
