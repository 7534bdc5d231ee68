// The one exception type of boon. Libraries throw it and never print; the command line turns it into a line on
// stderr and an exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace boon {

enum class ErrorCode {
  invalid_argument,  // the caller gave something that can never work: a NaN, a wrong dimension, an unknown flag
  not_found,         // a file or an id that is not there
  already_exists,    // an id that is there already
  busy,              // another process or thread holds what is needed
  read_only,         // a change to something opened for reading
  corrupted,         // bytes that are damaged, cut short or not boon's
  unsupported,       // bytes or options of a newer version, or of this build's missing parts
  io,                // the operating system refused: no space, no permission, a broken device
  out_of_memory,
  cancelled,  // the caller asked to stop
  internal,   // a broken invariant: a defect of boon
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// The code as users read it: "invalid argument".
std::string_view describe(ErrorCode code) noexcept;

// The process exit code for an error: 2 invalid argument, 3 not found, 4 already exists, 5 busy, 6 corrupted,
// 7 unsupported, 8 input or output, 9 out of memory, 10 read only, 130 cancelled, 1 internal.
int exit_code(ErrorCode code) noexcept;

}  // namespace boon
