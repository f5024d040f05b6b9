// SPDX-License-Identifier: Apache-2.0
// Speed of the Verilated SoC with its core busy, beside a bare core on the same flags: compare rows
// of one run.
//
// Each figure is clock cycles per second of one core.
#include <benchmark/benchmark.h>

#include "sim/soc/soc_clock.hpp"
#include "tests/bench/bare_core.hpp"
#include "tests/paths.hpp"

namespace headstack::bench {
namespace {

constexpr std::int64_t kCycles = 100'000;

void finish(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kCycles);
  state.SetLabel("items are cycles");
}

void bare_core(benchmark::State& state) {
  BareCore core(soc::ElfImage::read(test::built(SOC_BUSY_LOOP_ELF)));
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kCycles; ++i) core.step();
  }
  finish(state);
}

void soc_steps(benchmark::State& state, soc::SocBuild build) {
  soc::Soc soc(build);
  soc.load(soc::ElfImage::read(test::built(SOC_BUSY_LOOP_ELF)));
  std::uint64_t edge = 0;
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kCycles; ++i) soc.step(edge++);
  }
  finish(state);
}

/// The SoC as it runs in a simulation: outputs are watched, and the firmware's reports are taken.
void soc_under_its_clock(benchmark::State& state) {
  soc::Soc soc;
  soc.load(soc::ElfImage::read(test::built(SOC_BUSY_LOOP_ELF)));
  soc::SocClock clock(soc, nullptr, true);
  Picoseconds time = 0;
  for (auto _ : state) clock.advance_to(time += kCycles * soc::kClockPeriodPs);
  finish(state);
}

BENCHMARK(bare_core);
BENCHMARK_CAPTURE(soc_steps, fast, soc::SocBuild::kFast);
BENCHMARK_CAPTURE(soc_steps, inspect, soc::SocBuild::kInspect);
BENCHMARK(soc_under_its_clock);

}  // namespace
}  // namespace headstack::bench
