// What the tests of the parsers share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "boon/core/bytes.h"
#include "boon/core/error.h"

namespace boon::cli {

// The error that a call throws; nothing if it returns.
template <class Call>
std::optional<Error> error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

MATCHER_P2(IsError, code, text, "") {
  if (!arg) {
    *result_listener << "nothing was thrown";
    return false;
  }
  *result_listener << "code " << static_cast<int>(arg->code()) << ", \"" << arg->what() << '"';
  return arg->code() == code && std::string_view(arg->what()).find(text) != std::string_view::npos;
}

inline Bytes bytes_of(std::string_view text) {
  return as_bytes(text.data(), text.size());
}

// The bytes of a value as this machine, a little-endian one, keeps them.
template <class T>
std::string raw(T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Exactly these bytes on the heap, so that a sanitizer sees a read past their end.
class Exact {
 public:
  explicit Exact(std::string_view text) : data_(text.begin(), text.end()) { data_.shrink_to_fit(); }
  Bytes bytes() const { return as_bytes(data_.data(), data_.size()); }
  std::string_view text() const { return {data_.data(), data_.size()}; }

 private:
  std::vector<char> data_;
};

}  // namespace boon::cli
