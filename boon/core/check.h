// Assertions. BOON_CHECK stays in every build and guards data; BOON_DCHECK guards reasoning and costs nothing in a
// release build. Both throw Error{internal}; inside a noexcept function that ends the process, which is intended.
#pragma once

namespace boon {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace boon

#define BOON_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::boon::check_failed(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
#define BOON_DCHECK(condition) void(0)
#else
#define BOON_DCHECK(condition) BOON_CHECK(condition)
#endif
