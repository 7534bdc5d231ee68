#include "errors.h"

#include "boon/core/error.h"

namespace boon::python {
namespace {

const char* class_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "InvalidArgument";
    case ErrorCode::not_found:
      return "NotFound";
    case ErrorCode::already_exists:
      return "AlreadyExists";
    case ErrorCode::busy:
      return "Busy";
    case ErrorCode::read_only:
      return "ReadOnly";
    case ErrorCode::corrupted:
      return "Corrupted";
    case ErrorCode::unsupported:
      return "Unsupported";
    case ErrorCode::io:
      return "IoError";
    case ErrorCode::out_of_memory:
      return "OutOfMemory";
    case ErrorCode::cancelled:
      return "Cancelled";
    case ErrorCode::internal:
      break;
  }
  return "InternalError";
}

}  // namespace

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const nb::object type = nb::module_::import_("boon.errors").attr(class_for(error.code()));
      PyErr_SetString(type.ptr(), error.what());
    }
  });
}

}  // namespace boon::python
