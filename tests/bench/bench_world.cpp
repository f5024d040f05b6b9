// SPDX-License-Identifier: Apache-2.0
// Speed of the world: locate and access-time evaluations, the inner loop of every scheduler.
//
// Each figure is items per second of one core; compare rows of one run.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

#include "sim/mechanics/access.hpp"
#include "tests/support.hpp"

namespace headstack::mechanics {
namespace {

constexpr std::size_t kRequests = 1 << 14;
constexpr std::uint32_t kBlocks = 8;
constexpr std::uint64_t kSeed = 1;

/// 4 KB requests at seeded places, and the starts they are priced from.
struct Load {
  std::unique_ptr<AccessModel> model;
  std::vector<geometry::Lba> lbas;
  std::vector<geometry::Placement> places;

  explicit Load(const char* drive)
      : model(std::make_unique<AccessModel>(test::shipped(drive).design)) {
    std::mt19937_64 random(kSeed);
    for (std::size_t i = 0; i < kRequests; ++i) {
      lbas.push_back(random() % (model->geometry().capacity() - kBlocks));
      places.push_back(model->geometry().locate(lbas.back()));
    }
  }
};

void finish(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRequests));
}

void locate(benchmark::State& state, const char* drive) {
  const Load load(drive);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const geometry::Lba lba : load.lbas) sum += load.model->geometry().locate(lba).angle;
    benchmark::DoNotOptimize(sum);
  }
  finish(state);
}

/// Every request of a queue priced from one start: the cost of a scheduler's decision.
void locate_and_access(benchmark::State& state, const char* drive) {
  const Load load(drive);
  AccessStart start{0, 100, 0};
  for (auto _ : state) {
    Picoseconds least = INT64_MAX;
    for (const geometry::Lba lba : load.lbas) {
      least = std::min(least, load.model->access_time(start, lba, kBlocks, false));
    }
    start.time += least;
    benchmark::DoNotOptimize(least);
  }
  finish(state);
}

/// The same with the places located once, on arrival.
void access_located(benchmark::State& state, const char* drive) {
  const Load load(drive);
  AccessStart start{0, 100, 0};
  for (auto _ : state) {
    Picoseconds least = INT64_MAX;
    for (std::size_t i = 0; i < kRequests; ++i) {
      least = std::min(
          least, load.model->access_time(start, load.places[i], load.lbas[i], kBlocks, false));
    }
    start.time += least;
    benchmark::DoNotOptimize(least);
  }
  finish(state);
}

BENCHMARK_CAPTURE(locate, eagle, "eagle");
BENCHMARK_CAPTURE(locate, cheetah_9lp, "cheetah_9lp");
BENCHMARK_CAPTURE(locate_and_access, eagle, "eagle");
BENCHMARK_CAPTURE(locate_and_access, cheetah_9lp, "cheetah_9lp");
BENCHMARK_CAPTURE(access_located, eagle, "eagle");
BENCHMARK_CAPTURE(access_located, cheetah_9lp, "cheetah_9lp");

}  // namespace
}  // namespace headstack::mechanics
