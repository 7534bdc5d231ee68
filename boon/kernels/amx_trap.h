// For tests: runs the instructions of AMX where the processor has none. Each of them raises SIGILL there; the handler
// reads the instruction, does on SoftTiles what it says, and goes on behind it. So the very code that AmxTiles puts out
// is tested, its encoding, operands and configuration included; nothing is learnt about speed.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "boon/core/check.h"
#include "boon/kernels/soft_tiles.h"
#include "boon/kernels/tile_config.h"

namespace boon::kernels {

class AmxTrap {
 public:
  // From here to its destruction, on all threads. One at a time.
  AmxTrap() {
    struct sigaction action {};
    action.sa_sigaction = on_illegal_instruction;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    BOON_CHECK(::sigaction(SIGILL, &action, &previous_) == 0);
  }
  ~AmxTrap() { ::sigaction(SIGILL, &previous_, nullptr); }
  AmxTrap(const AmxTrap&) = delete;
  AmxTrap& operator=(const AmxTrap&) = delete;

  // Whether this thread has tiles in use, which a kernel must not leave behind.
  static bool tiles_in_use() noexcept { return tiles_.has_value(); }
  // How many threads have.
  static std::size_t threads_with_tiles() noexcept { return threads_with_tiles_; }
  static std::size_t products() noexcept { return products_; }

 private:
  // A three-byte VEX prefix in map 0F38, the opcode, ModRM.
  struct Instruction {
    const std::uint8_t* bytes;

    int prefix() const noexcept { return bytes[2] & 3; }  // none, 66, F3, F2
    int opcode() const noexcept { return bytes[3]; }
    bool of_registers() const noexcept { return bytes[4] >> 6 == 3; }
    int reg() const noexcept { return bytes[4] >> 3 & 7; }
    int rm() const noexcept { return bytes[4] & 7; }
    int vvvv() const noexcept { return ~bytes[2] >> 3 & 15; }
  };
  struct Memory {
    std::uintptr_t address = 0;
    std::uintptr_t stride = 0;
    std::size_t bytes = 0;  // of the instruction behind ModRM
  };
  enum Prefix { none, x66, f3, f2 };

  static std::uintptr_t register_of(const ucontext_t& context, int number) noexcept {
    constexpr std::array kOrder = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[kOrder[static_cast<std::size_t>(number)]]);
  }

  static Memory memory_of(const ucontext_t& context, Instruction at) noexcept {
    const int mod = at.bytes[4] >> 6;
    const int extra_index = (at.bytes[1] & 0x40) == 0 ? 8 : 0;
    const int extra_base = (at.bytes[1] & 0x20) == 0 ? 8 : 0;
    Memory memory;
    int base = at.rm();
    if (base == 4) {
      const std::uint8_t sib = at.bytes[5];
      base = sib & 7;
      const int index = (sib >> 3 & 7) + extra_index;
      if (index != 4) memory.stride = register_of(context, index) << (sib >> 6);
      memory.bytes = 1;
    }
    BOON_CHECK(mod != 0 || base != 5);  // neither relative to the instruction nor without a base
    memory.address = register_of(context, base + extra_base);
    const std::uint8_t* displacement = at.bytes + 5 + memory.bytes;
    if (mod == 1) {
      memory.address += static_cast<std::uintptr_t>(static_cast<std::int8_t>(*displacement));
      memory.bytes += 1;
    } else if (mod == 2) {
      std::int32_t value = 0;
      std::memcpy(&value, displacement, sizeof value);
      memory.address += static_cast<std::uintptr_t>(value);
      memory.bytes += 4;
    }
    return memory;
  }

  static void configure(Instruction at, Memory memory) noexcept {
    if (at.of_registers()) {
      if (tiles_) --threads_with_tiles_;
      tiles_.reset();
      return;
    }
    BOON_CHECK(memory.stride == 0);
    TileConfig config;
    std::memcpy(&config, reinterpret_cast<const void*>(memory.address), sizeof config);
    if (!tiles_) ++threads_with_tiles_;
    tiles_.emplace(config);
  }

  static bool multiply(Instruction at) noexcept {
    ++products_;
    if (at.opcode() == 0x5c && at.prefix() == f3) {
      tiles_->multiply_bf16(at.reg(), at.rm(), at.vvvv());
    } else if (at.opcode() == 0x5e && at.prefix() == f2) {
      tiles_->multiply_bytes<std::int8_t>(at.reg(), at.rm(), at.vvvv());
    } else if (at.opcode() == 0x5e && at.prefix() == x66) {
      tiles_->multiply_bytes<std::uint8_t>(at.reg(), at.rm(), at.vvvv());
    } else {
      return false;
    }
    return true;
  }

  // Whether the instruction is one of AMX; then it is done, and `length` is its own.
  static bool run(const ucontext_t& context, Instruction at, std::size_t& length) noexcept {
    if (at.bytes[0] != 0xc4 || (at.bytes[1] & 0x1f) != 2 || (at.bytes[2] & 0x84) != 0) return false;
    const Memory memory = at.of_registers() ? Memory{} : memory_of(context, at);
    length = 5 + memory.bytes;
    if (at.opcode() == 0x49 && at.prefix() == none) {
      configure(at, memory);
      return true;
    }
    BOON_CHECK(tiles_.has_value());
    if (at.of_registers() && at.opcode() != 0x49) return multiply(at);
    if (at.opcode() == 0x49 && at.prefix() == f2) {
      tiles_->zero(at.reg());
    } else if (at.opcode() == 0x4b && at.prefix() == f2) {
      tiles_->load(at.reg(), reinterpret_cast<const void*>(memory.address), memory.stride);
    } else if (at.opcode() == 0x4b && at.prefix() == f3) {
      tiles_->store(at.reg(), reinterpret_cast<void*>(memory.address), memory.stride);
    } else {
      return false;
    }
    return true;
  }

  static void on_illegal_instruction(int /*signal*/, siginfo_t* /*info*/, void* raw) {
    auto& context = *static_cast<ucontext_t*>(raw);
    auto& counter = context.uc_mcontext.gregs[REG_RIP];
    std::size_t length = 0;
    if (run(context, {reinterpret_cast<const std::uint8_t*>(counter)}, length)) {
      counter += static_cast<greg_t>(length);
    } else {
      ::signal(SIGILL, SIG_DFL);  // not ours: it is raised again, and ends the process
    }
  }

  struct sigaction previous_ {};
  static inline thread_local std::optional<SoftTiles> tiles_;
  static inline thread_local std::size_t products_ = 0;
  static inline std::atomic<std::size_t> threads_with_tiles_ = 0;
};

}  // namespace boon::kernels
