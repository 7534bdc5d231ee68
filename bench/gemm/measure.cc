#include "bench/gemm/measure.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "bench/gemm/operands.h"
#include "boon/core/error.h"
#include "boon/kernels/isa.h"

namespace boon::bench::gemm {
namespace {

constexpr double kPeakSeconds = 0.003;
// Longer than threads of a pool go on spinning (see bound_spinning).
constexpr std::chrono::milliseconds kPause{4};

// The best instructions that the processor has, whatever boon is told to use: one measure for all systems.
kernels::Peak measure_peak(kernels::Arithmetic what, std::size_t threads) {
  const auto support = kernels::isa_support();
  std::vector<kernels::Peak> peaks(threads);
  const auto probe = [&](kernels::Peak& peak) {
    peak = kernels::measure_peak(what, kernels::choose_isa("", support), kPeakSeconds, support);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(probe, std::ref(peaks[i]));
  probe(peaks[0]);
  for (std::thread& other : others) other.join();
  for (std::size_t i = 1; i < threads; ++i) peaks[0].gops += peaks[i].gops;
  return peaks[0];
}

double seconds_on(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const Product& product, std::size_t times, clockid_t clock) {
  const double start = seconds_on(clock);
  for (std::size_t i = 0; i < times; ++i) product.run();
  return seconds_on(clock) - start;
}

// A system whose answer was found right.
struct Contender {
  SystemFigures* figures;
  Product product;
  std::size_t products_a_turn = 1;

  void take_turn(clockid_t clock) {
    product.run();  // brings its own memory back into the caches
    figures->seconds.push_back(seconds_of(product, products_a_turn, clock) / static_cast<double>(products_a_turn));
  }
};

template <class Element, class Sum>
std::vector<Contender> right_ones(const Operands<Element, Sum>& operands, const SystemList& systems,
                                  const MeasureOptions& options, CaseFigures& result, const KeepOn& keep_on) {
  std::vector<Contender> contenders;
  result.systems.resize(systems.size());
  for (std::size_t i = 0; i < systems.size(); ++i) {
    if (!keep_on()) throw Error(ErrorCode::cancelled, "interrupted");
    SystemFigures& figures = result.systems[i];
    figures.name = systems[i]->name();
    if (!systems[i]->use_threads(result.threads)) continue;
    Product product = systems[i]->prepare(operands.problem());
    if (!product.run) continue;
    figures.kernel = product.kernel;
    operands.spoil();
    product.run();
    figures.fault = operands.fault();
    if (!figures.fault.empty()) continue;
    const double one_s = std::min(seconds_of(product, 1, CLOCK_MONOTONIC), seconds_of(product, 1, CLOCK_MONOTONIC));
    const auto products = static_cast<std::size_t>(std::ceil(options.turn_ms * 1e-3 / one_s));
    contenders.push_back({&figures, std::move(product), std::max<std::size_t>(1, products)});
  }
  return contenders;
}

template <class Element, class Sum>
std::vector<CaseFigures> measure_as(kernels::Arithmetic what, const Shape& shape, const SystemList& systems,
                                    const MeasureOptions& options, const KeepOn& keep_on) {
  const Operands<Element, Sum> operands(shape);
  std::vector<CaseFigures> results;
  for (const std::size_t threads : options.threads) {
    CaseFigures result{.what = what, .shape = shape, .threads = threads};
    const clockid_t clock = options.processor_time && threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    auto contenders = right_ones(operands, systems, options, result, keep_on);
    for (std::size_t turn = 0; turn < options.turns; ++turn) {
      const kernels::Peak peak = measure_peak(what, threads);
      result.peak_gops.push_back(peak.gops);
      result.peak_instruction = peak.instruction;
      for (Contender& contender : contenders) {
        if (!keep_on()) throw Error(ErrorCode::cancelled, "interrupted");
        if (threads > 1) std::this_thread::sleep_for(kPause);
        contender.take_turn(clock);
      }
      // Nobody always follows the same one.
      if (!contenders.empty()) std::rotate(contenders.begin(), contenders.begin() + 1, contenders.end());
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

std::vector<CaseFigures> measure(kernels::Arithmetic what, const Shape& shape, const SystemList& systems,
                                 const MeasureOptions& options, const KeepOn& keep_on) {
  switch (what) {
    case kernels::Arithmetic::int8:
      return measure_as<std::int8_t, std::int32_t>(what, shape, systems, options, keep_on);
    case kernels::Arithmetic::bf16:
      return measure_as<kernels::Bf16, float>(what, shape, systems, options, keep_on);
    case kernels::Arithmetic::fp32:
      break;
  }
  return measure_as<float, float>(what, shape, systems, options, keep_on);
}

}  // namespace boon::bench::gemm
