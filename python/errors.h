// Errors of boon as Python exceptions, and Python exceptions on their way through boon.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

namespace boon::python {

namespace nb = nanobind;

// boon::Error becomes the class of boon.errors that stands for its code.
void register_errors();

// The first Python exception raised while boon works without the interpreter's lock: kept, and raised when it is done.
class Failure {
 public:
  // Runs `call` with the interpreter's lock; false if it raised, or something did before.
  template <class Call>
  bool guarded(Call&& call) {
    const nb::gil_scoped_acquire lock;
    if (error_) return false;
    try {
      return call();
    } catch (nb::python_error& error) {
      error_.emplace(std::move(error));
      return false;
    }
  }
  // With the interpreter's lock held.
  void raise() {
    if (error_) throw *std::exchange(error_, std::nullopt);
  }

 private:
  std::optional<nb::python_error> error_;
};

// Ctrl-C while boon works: looks for a signal, at most every 50 ms.
class Signals {
 public:
  explicit Signals(Failure& failure) : failure_(failure) {}
  // False once there was one that Python raises an exception for.
  bool none() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return true;
    next_ = now + std::chrono::milliseconds(50);
    return failure_.guarded([] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return true;
    });
  }

 private:
  Failure& failure_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace boon::python
