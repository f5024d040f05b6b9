#include "host/debug/debugging.hpp"

namespace headstack::debug {
namespace {

constexpr double kDefaultSnapshotMs = 10;

std::uint64_t snapshot_edges(const run::RunOptions& options) {
  const double ms = options.snapshot_every_ms.value_or(kDefaultSnapshotMs);
  return static_cast<std::uint64_t>(ms * static_cast<double>(kPicosecondsPerMillisecond) /
                                    soc::kClockPeriodPs);
}

Until first_stop(const run::RunOptions& options) {
  return options.run_until.empty() ? Until{} : parse_until(options.run_until);
}

}  // namespace

bool wants_snapshots(const run::RunOptions& options) {
  return !options.gdb.empty() || options.snapshot_every_ms || options.post_mortem;
}

Debugging::Debugging(const run::RunOptions& options, const run::Electronics& electronics,
                     run::RunObservers& observers, const Access& access)
    : queue_(electronics.firmware, electronics.drive.soc(), electronics.drive.hda().geometry()),
      server_({electronics.drive.soc(), access.probe, queue_, &access.ring, access.waves,
               access.interrupted},
              {options.gdb, first_stop(options), snapshot_edges(options)}) {
  observers.add(server_);
  electronics.watchers.add(server_);
}

}  // namespace headstack::debug
