// A run with a debugger, or with snapshots: everything that it needs beside the run.
#pragma once

#include "host/debug/debug_server.hpp"
#include "host/debug/snapshot_ring.hpp"
#include "host/observe/drive_probe.hpp"
#include "host/observe/electronics.hpp"
#include "host/observe/queue_view.hpp"
#include "host/run/options.hpp"

namespace headstack::debug {

/// RunOptions::gdb for a socket in the run's own folder.
constexpr const char* kOwnSocket = "unix";

/// The options ask for snapshots: then the run belongs into SnapshotRing::host().
bool wants_snapshots(const run::RunOptions& options);

class Debugging {
 public:
  /// What a debugger works with.
  struct Access {
    const run::DriveProbe& probe;
    SnapshotRing& ring;
    run::WaveControl* waves = nullptr;  // null: none
    bool (*interrupted)() = nullptr;    // a signal asks the run to end
  };

  /// All must outlive this. Throws AddressError.
  Debugging(const run::RunOptions& options, const run::CoreView& core, const Access& access);

  /// To be added to those who watch the run and its core.
  DebugServer& server() { return server_; }

  /// See DebugServer.
  void record_from(std::uint64_t edge, const std::string& file) { server_.record_from(edge, file); }
  bool recorded() const { return server_.recorded(); }
  void run_over(int exit_status) { server_.run_over(exit_status); }

 private:
  QueueView queue_;
  DebugServer server_;
};

}  // namespace headstack::debug
