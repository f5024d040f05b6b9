// SPDX-License-Identifier: Apache-2.0
// Snapshots of a whole run, by fork(): processes that wait where they were made, and can be woken
// to continue from there. A process contains everything: electronics, kernel, host, files.
//
// Roles:
// - the broker is the process that was started. It does not simulate. It has the sockets of all
//   others, passes orders and signals on, and ends with the exit status of the run;
// - one process is the run. It makes snapshots; with wake() it ends, and another process continues;
// a snapshot waits for its order. Only the files that it will write are open. When woken, it forks
//   again: the copy is the run, and the snapshot waits for the next order.
//
// The first snapshot is always kept. When there are too many, least_missed() chooses the one to
// drop. It prefers old ones, so younger snapshots are closer together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/debug/wire.hpp"

namespace headstack::debug {

/// The index of the position to drop, among ascending positions. The first, the last and those in
/// `kept` stay. Of the others it is the one that leaves the smallest gap for its age. Nothing if
/// there is no other.
std::optional<std::size_t> least_missed(const std::vector<std::uint64_t>& positions,
                                        const std::vector<std::uint64_t>& kept);

class SnapshotRing {
 public:
  /// Makes this process the broker, and calls `run` in a child. Returns the child's exit status in
  /// the broker, and the result of `run` in the run, where it must become the process's exit
  /// status. Throws std::system_error when no process can be made.
  static int host(std::size_t capacity, const std::function<int(SnapshotRing&)>& run);

  /// Sets `commit`, which writes all output of the run up to now to the files. It is called before
  /// each snapshot and before each wake(). A snapshot then has no unwritten data, and its positions
  /// in the files depend on simulated time alone. The files are complete up to them when it is
  /// woken.
  void on_commit(std::function<void()> commit) { commit_ = std::move(commit); }

  /// The order to a process that was woken, with its files.
  struct Wake {
    std::string order;
    std::vector<Descriptor> files;  // files passed to wake(), in the same order
  };

  /// Makes a snapshot of the present state, named by a position that grows in the run. Returns
  /// nothing in the process that continues. Returns again, with an order, in each process that is
  /// woken at this snapshot. `closed` are files that a snapshot must close, such as sockets; `kept`
  /// are positions that may not be dropped for it. If no process can be made, the run continues
  /// without the snapshot. Throws OutputFiles' error in a process that was woken.
  std::optional<Wake> take(std::uint64_t position, const std::vector<int>& closed,
                           std::vector<std::uint64_t> kept = {});

  /// Ends this process, and continues the snapshot at `position`. It must exist, and the run must
  /// have passed it.
  [[noreturn]] void wake(std::uint64_t position, const std::string& order,
                         const std::vector<int>& files);

  /// Positions of the snapshots, ascending.
  const std::vector<std::uint64_t>& positions() const { return positions_; }
  /// The last snapshot before a position.
  std::optional<std::uint64_t> before(std::uint64_t position) const;
  /// Drops the snapshots after a position, because the run will differ there.
  void forget_behind(std::uint64_t position);
  /// Sets the snapshots that exist, in a process that was woken.
  void know(std::vector<std::uint64_t> positions) { positions_ = std::move(positions); }

  /// Whether the broker has ended. Then this process must end, too.
  bool broker_gone() const;
  /// The socket that becomes readable when the broker has ended.
  int broker_socket() const { return control_.get(); }

 private:
  SnapshotRing(std::size_t capacity, Descriptor control)
      : capacity_(capacity), control_(std::move(control)) {}

  Wake park(Descriptor socket);
  void drop(std::uint64_t position);

  std::size_t capacity_;
  Descriptor control_;
  std::function<void()> commit_ = [] {};
  std::vector<std::uint64_t> positions_;
};

}  // namespace headstack::debug
