// Identifiers and errors of the HDF5 library, for the files that read and write by it.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace boon::cli {

// An identifier of HDF5, released at the end.
class Handle {
 public:
  explicit Handle(hid_t id = H5I_INVALID_HID) noexcept : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  operator hid_t() const noexcept { return id_; }
  bool valid() const noexcept { return id_ >= 0; }

 private:
  hid_t id_;
};

// HDF5 prints its errors on stderr unless told otherwise; while one of these lives it keeps them for reason().
class QuietErrors {
 public:
  QuietErrors() noexcept {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// What went wrong last, as the innermost function said it.
inline std::string reason() {
  std::string text;
  const auto keep_first = [](unsigned depth, const H5E_error2_t* error, void* out) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "unknown reason" : text;
}

}  // namespace boon::cli
