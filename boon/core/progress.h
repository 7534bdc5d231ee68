// How long work reports itself, and how it is stopped.
#pragma once

#include <cstddef>
#include <functional>

namespace boon {

// Called now and then from the thread that started the work, with what is done and the total. Returning false asks the
// work to stop: it ends with Error{cancelled} at the next safe point and leaves a usable state behind.
using Progress = std::function<bool(std::size_t done, std::size_t total)>;

}  // namespace boon
