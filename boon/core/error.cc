#include "boon/core/error.h"

namespace boon {

std::string_view describe(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid argument";
    case ErrorCode::not_found:
      return "not found";
    case ErrorCode::already_exists:
      return "already exists";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::read_only:
      return "read only";
    case ErrorCode::corrupted:
      return "corrupted";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::io:
      return "input or output error";
    case ErrorCode::out_of_memory:
      return "out of memory";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::internal:
      break;
  }
  return "internal error";
}

int exit_code(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return 2;
    case ErrorCode::not_found:
      return 3;
    case ErrorCode::already_exists:
      return 4;
    case ErrorCode::busy:
      return 5;
    case ErrorCode::corrupted:
      return 6;
    case ErrorCode::unsupported:
      return 7;
    case ErrorCode::io:
      return 8;
    case ErrorCode::out_of_memory:
      return 9;
    case ErrorCode::read_only:
      return 10;
    case ErrorCode::cancelled:
      return 130;  // as a shell reports a program that Ctrl-C ended
    case ErrorCode::internal:
      break;
  }
  return 1;
}

}  // namespace boon
