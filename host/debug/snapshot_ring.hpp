// SPDX-License-Identifier: Apache-2.0
// Snapshots of a whole run, by fork(): processes that wait where they were made, and can be woken
// to continue from there. A process contains everything: electronics, kernel, host, files.
//
// Roles:
// - the broker is the process that was started. It does not simulate. It holds the sockets of all
//   others, passes orders and signals on, and ends with the exit status of the run;
// - one process is the run. It makes snapshots; with wake() it ends, and another process continues;
// - a snapshot waits for its order. Only the files that it will write are open. Woken, it forks
//   once more: the copy is the run, and the snapshot waits for the next order.
// If one of them dies, the others notice it by their sockets and end: no process remains.
//
// The first snapshot is always kept. When there are too many, the one least missed for its age is
// dropped (least_missed()). Younger snapshots are therefore closer together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/debug/wire.hpp"

namespace headstack::debug {

/// The index of the position to drop, among ascending positions. The first, the last and those in
/// `kept` stay. Of the others it is the one that leaves the smallest gap for its age; none if there
/// is no other.
std::optional<std::size_t> least_missed(const std::vector<std::uint64_t>& positions,
                                        const std::vector<std::uint64_t>& kept);

class SnapshotRing {
 public:
  /// Makes this process the broker, and calls `run` in a child. Returns the child's exit status in
  /// the broker, and the result of `run` in the run: it must become the process's exit status.
  /// Throws std::system_error when no process can be made.
  static int host(std::size_t capacity, const std::function<int(SnapshotRing&)>& run);

  /// `commit` writes to the files all that the run has given out so far. It is called before each
  /// snapshot and before each wake(). A snapshot then has no unwritten data, and its positions in
  /// the files depend on simulated time alone. The files are whole up to them when it is woken.
  void on_commit(std::function<void()> commit) { commit_ = std::move(commit); }

  /// The order to a process that was woken.
  struct Wake {
    std::string order;
    std::vector<Descriptor> files;  // the files passed to wake(), in the same order
  };

  /// Makes a snapshot of the present state, named by a position that grows in the run. Returns
  /// nothing in the process that continues. Returns again, with an order, in each process that is
  /// woken here. `closed` are files that a snapshot must not hold, such as sockets; `kept` are
  /// positions that may not be dropped for it. If no process can be made, the run continues without
  /// the snapshot. Throws OutputFiles' error in a process that was woken.
  std::optional<Wake> take(std::uint64_t position, const std::vector<int>& closed,
                           std::vector<std::uint64_t> kept = {});

  /// Ends this process, and lets the snapshot at `position` continue. It must exist, and the run
  /// must have passed it.
  [[noreturn]] void wake(std::uint64_t position, const std::string& order,
                         const std::vector<int>& files);

  /// Positions of the snapshots, ascending.
  const std::vector<std::uint64_t>& positions() const { return positions_; }
  /// The last snapshot before a position.
  std::optional<std::uint64_t> before(std::uint64_t position) const;
  /// Drops the snapshots after a position, because the run will differ there.
  void forget_behind(std::uint64_t position);
  /// For a process that was woken: the snapshots that exist now.
  void know(std::vector<std::uint64_t> positions) { positions_ = std::move(positions); }

  /// Whether the broker has ended: then this process must end, too.
  bool broker_gone() const;
  /// This socket is readable when the broker has ended.
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
