#include "arrays.h"

namespace boon::python {

Filter make_filter(const nb::object& given, Failure& failure) {
  if (given.is_none()) return {};
  // Without conversion: numbers are no mask.
  if (Mask mask; nb::try_cast(given, mask, false)) {
    const std::span<const bool> allowed(mask.data(), mask.size());
    return Filter::where([allowed](Id id) { return id < allowed.size() && allowed[id]; });
  }
  if (IdArray array; nb::try_cast(given, array, false)) return Filter::only(ids(array));
  return Filter::where([function = given.ptr(), &failure](Id id) {
    return failure.guarded([&] { return nb::cast<bool>(nb::bool_(nb::handle(function)(id))); });
  });
}

}  // namespace boon::python
