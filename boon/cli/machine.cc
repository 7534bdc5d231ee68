#include "boon/cli/machine.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "boon/cli/terminal.h"
#include "boon/core/buffer.h"
#include "boon/core/parallel.h"
#include "boon/kernels/isa.h"

namespace boon::cli {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string compiler_name() {
#ifdef __clang__
  return "clang++ " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string system_name() {
  utsname names{};
  return ::uname(&names) == 0 ? fmt::format("{} {}", names.sysname, names.release) : "unknown system";
}

}  // namespace

Machine describe_machine() {
  Machine machine;
  machine.processor = processor_name();
  machine.threads = hardware_threads();
  machine.memory_bytes = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * page_bytes();
  machine.system = system_name();
  machine.isa = kernels::name(kernels::isa_in_use());
  machine.compiler = compiler_name();
#if defined(__OPTIMIZE__) && defined(NDEBUG)
  machine.optimised = true;
#endif
  machine.version = BOON_VERSION;
  return machine;
}

std::string describe(const Machine& machine) {
  return fmt::format("{}, {} thread{}, {}, {}; boon {} ({}, {}{})", machine.processor, machine.threads,
                     machine.threads == 1 ? "" : "s", format_bytes(machine.memory_bytes), machine.system,
                     machine.version, machine.isa, machine.compiler, machine.optimised ? "" : ", not optimised");
}

std::size_t resident_bytes() {
  ::malloc_trim(0);
  std::ifstream pages("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  pages >> total >> resident;
  return resident * page_bytes();
}

}  // namespace boon::cli
