// SPDX-License-Identifier: Apache-2.0
#include "host/debug/debugging.hpp"

#include <sys/un.h>

#include <filesystem>

#include "host/options/catalog.hpp"
#include "host/output/run_folder.hpp"

namespace headstack::debug {
namespace {

namespace fs = std::filesystem;

constexpr double kDefaultSnapshotMs = 10;
constexpr std::size_t kSocketPathBytes = sizeof(sockaddr_un::sun_path) - 1;

std::uint64_t snapshot_edges(const DebugOptions& options) {
  const double ms = options.snapshot_every_ms.value_or(kDefaultSnapshotMs);
  return static_cast<std::uint64_t>(ms * static_cast<double>(kPicosecondsPerMillisecond) /
                                    soc::kClockPeriodPs);
}

/// The address of a socket in the run's own folder. The path is relative if an absolute one is too
/// long.
std::string socket_in(const std::string& folder) {
  const fs::path path = fs::path(folder) / output::run_file::kGdbSocket;
  const std::string whole = fs::absolute(path).lexically_normal().string();
  return "unix:" + (whole.size() <= kSocketPathBytes ? whole : fs::proximate(path).string());
}

std::string address(const DebugOptions& options) {
  return options.gdb == kOwnSocket ? socket_in(options.out) : options.gdb;
}

std::string claimed_address(const DebugOptions& options) {
  if (options.gdb == kOwnSocket) output::claim_run_file(options.out, output::run_file::kGdbSocket);
  return address(options);
}

/// An absolute path, for a debugger that was started in another folder.
std::string absolute(const std::string& file) {
  return file.empty() ? "" : fs::absolute(file).lexically_normal().string();
}

Until first_stop(const DebugOptions& options) {
  return options.run_until.empty() ? Until{} : parse_until(options.run_until);
}

}  // namespace

bool wants_snapshots(const DebugOptions& options) {
  return !options.gdb.empty() || options.snapshot_every_ms || options.post_mortem;
}

void require_address(const DebugOptions& options) { require_address(address(options)); }

Debugging::Debugging(const DebugOptions& options, const observe::CoreView& core,
                     const Access& access)
    : queue_(core.firmware, *core.core, core.mechanics.geometry),
      server_({*core.core, access.probe, queue_, &access.ring, access.waves, access.interrupted,
               access.pause_at},
              {claimed_address(options), options.out,
               (options::source_folder() / "host/debug/headstack_gdb.py").string(),
               absolute(options.firmware), first_stop(options), snapshot_edges(options)}) {}

}  // namespace headstack::debug
