// What a figure was measured on.
#pragma once

#include <cstddef>
#include <string>

namespace boon::cli {

struct Machine {
  std::string processor;    // as /proc/cpuinfo names it
  std::size_t threads = 0;  // hardware threads this process may use
  std::size_t memory_bytes = 0;
  std::string system;      // kernel and its release
  std::string isa;         // instruction set that boon's kernels use
  std::string compiler;    // that boon was built with
  bool optimised = false;  // whether it was built with optimisation and without assertions
  std::string version;     // of boon
};

Machine describe_machine();

// One line: "Intel Xeon …, 2 threads, 24 GB; boon 0.1.0 (avx512, g++ 12.2.0)".
std::string describe(const Machine& machine);

// Memory of this process that is in RAM, after unused heap was given back.
std::size_t resident_bytes();

}  // namespace boon::cli
