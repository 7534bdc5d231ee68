// What layouts cost: the compiler's time for 200 compositions as constant expressions, an operation at run time, and a
// walk through a packed matrix by layouts of each kind.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "boon/core/temporary_folder.h"
#include "boon/layout/divide.h"
#include "boon/layout/text.h"
#include "boon/layout/view.h"

namespace boon::layout {
namespace {

// Compiles a file with an #include of the operations and `compositions` of different layouts.
void compile(benchmark::State& state, const std::string& compiler) {
  std::string text = "#include \"boon/layout/composition.h\"\nusing namespace boon::layout;\n";
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const std::string n = std::to_string(4 + i);
    const std::string name = "kC" + std::to_string(i);
    text += "constexpr Layout " + name + " = composition(Layout{{8, " + n + "}, {" + n + ", 1}}, Layout{{{2, 4}, " + n +
            "}, {{1, 2}, 8}});\nstatic_assert(" + name + " == Layout{{{2, 4}, " + n + "}, {{" + n + ", " +
            std::to_string(2 * (4 + i)) + "}, 1}});\n";
  }
  const TemporaryFolder folder;
  folder.put("compositions.cc", text);
  const std::string command =
      compiler + " -std=c++20 -c -o /dev/null -I" BOON_SOURCE_DIR " " + (folder / "compositions.cc").native();
  if (std::system((compiler + " --version >/dev/null 2>&1").c_str()) != 0) {
    state.SkipWithError("not installed");
    return;
  }
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) state.SkipWithError("does not compile");
  }
}
BENCHMARK_CAPTURE(compile, gcc, "g++")->Arg(0)->Arg(200)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(compile, clang, "clang++-16")->Arg(0)->Arg(200)->Unit(benchmark::kMillisecond)->UseRealTime();

void compose_at_run_time(benchmark::State& state) {
  Layout a = parse_layout("(8,32):(32,1)");
  const Layout b = parse_layout("((2,4),32):((1,2),8)");
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(composition(a, b));
  }
}
BENCHMARK(compose_at_run_time);

void zipped_divide_at_run_time(benchmark::State& state) {
  Layout a = parse_layout("(256,128):(128,1)");
  const Tiler tile = tiler(8, 16);
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(zipped_divide(a, tile));
  }
}
BENCHMARK(zipped_divide_at_run_time);

// Copies a row-major 64 by 64 matrix into panels of 8 rows. Items are elements.
constexpr Layout kRows = "(64,64):(64,1)"_layout;
constexpr Layout kPanels = "((8,8),64):((1,512),8)"_layout;
template <class From, class To>
void pack(benchmark::State& state, From from, To to) {
  std::vector<float> source(4096, 1.0f);
  std::vector<float> target(4096);
  benchmark::DoNotOptimize(from);
  benchmark::DoNotOptimize(to);
  const View<const float, From> rows(source.data(), from);
  const View<float, To> panels(target.data(), to);
  for (auto _ : state) {
    for (int i = 0; i < 64; ++i) {
      for (int j = 0; j < 64; ++j) panels(i, j) = rows(i, j);
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK_CAPTURE(pack, fixed_layouts, Fixed<kRows>(), Fixed<kPanels>());
BENCHMARK_CAPTURE(pack, run_time_layouts, kRows, kPanels);

}  // namespace
}  // namespace boon::layout
