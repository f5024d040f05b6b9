// SPDX-License-Identifier: Apache-2.0
// The broker between a run and its snapshots (snapshot_ring.hpp): the process that the shell
// started.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

#include "host/debug/wire.hpp"

namespace headstack::debug {

class SnapshotBroker {
 public:
  /// Makes the run's descendants children of this process when their parents end. Must be called
  /// before the run is forked.
  static void adopt_descendants();

  /// `run` is a child of this process, and `socket` is connected to it.
  SnapshotBroker(pid_t run, Descriptor socket);

  /// Serves until the run has ended without a successor, and no other process is left. Returns the
  /// run's exit status in the form of shells: 128 plus the signal's number if a signal ended it.
  int serve();

 private:
  void obey();  // handles a message from the run
  void wake(const Message& message);
  void reap();
  std::optional<int> final_status();

  pid_t run_;
  Descriptor socket_;
  bool handing_over_ = false;   // a successor was woken, and has not sent its process id
  std::map<pid_t, int> ended_;  // exit statuses of other processes, perhaps of a successor that has
                                // not reported yet
  std::optional<int> status_;   // set when the run has ended
  std::map<std::uint64_t, Descriptor> snapshots_;
};

}  // namespace headstack::debug
