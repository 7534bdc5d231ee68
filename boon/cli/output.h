// What the commands share when they speak: JSON, names of errors, time passed.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "boon/cli/app.h"
#include "boon/core/error.h"
#include "boon/core/file.h"

namespace boon {
class Index;
}

namespace boon::cli {

// Fields stay in the order in which they were written.
using Json = nlohmann::ordered_json;

// One line and its end. Bytes that are not UTF-8 become U+FFFD.
void print(std::ostream& out, const Json& json);

// The double whose shortest decimal form is also the float's: 0.2f as 0.2 and not as 0.20000000298023224.
double shortest(float value);

// Stable for programs: "invalid_argument", "not_found", "io", …
std::string_view code_name(ErrorCode code) noexcept;

// An argument as a shell takes it: in quotes where it must be.
std::string shell_quoted(std::string_view argument);

// "standard input" for "-".
std::string display_name(const Path& path);

// --json, for a command that knows it.
CLI::Option* add_json_option(CLI::App& command, Console& console);

// A line on standard error where the graph does not lead to every vector.
void warn_if_unreachable(Console& console, const Path& path, const Index& index);

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // Seconds since the start or the last lap.
  double lap() {
    const double passed = seconds();
    start_ = Clock::now();
    return passed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace boon::cli
