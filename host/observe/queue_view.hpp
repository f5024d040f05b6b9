// SPDX-License-Identifier: Apache-2.0
// The drive's task set in firmware RAM, as a table for display. The firmware's own headers give the
// offsets of its members (firmware_layout.c).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/geometry/geometry.hpp"
#include "sim/soc/core_access.hpp"
#include "sim/soc/elf_image.hpp"

namespace headstack::observe {

/// A task in the firmware's queue. Member names are those of the firmware's structures.
struct QueuedTask {
  std::uint32_t index = 0;  // index in the task set
  std::uint32_t tag = 0;
  std::uint32_t initiator = 0;  // SCSI id of the initiator
  const char* operation = "";
  const char* attribute = "";
  const char* state = "";
  std::uint32_t lba = 0;
  std::uint32_t blocks = 0;
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  std::optional<std::uint32_t> sector;  // sector of the first block; none for a task without blocks
                                        // on the media
  std::uint32_t angle_turn32 = 0;
  Picoseconds age = 0;
  std::optional<Picoseconds> slack;  // real time only: time to the deadline, below 0 when it is
                                     // past
  std::uint32_t stream = 0;
  std::uint32_t priority = 0;  // priority of the request; 0: none
  bool planned = false;        // the scheduler's next choice
  bool in_service = false;     // the media serve the task
};

class QueueView {
 public:
  /// All arguments must outlive the view. It shows no queue for a program without the firmware's
  /// symbols, or for another drive's program.
  QueueView(const soc::ElfImage& firmware, const soc::CoreAccess& core,
            const geometry::Geometry& geometry);

  /// Why there is no queue to show: a sentence, or "".
  const std::string& missing() const { return missing_; }
  /// At most `most` tasks, the oldest first. `edge` is the present clock edge. Undefined if
  /// missing() is not "".
  std::vector<QueuedTask> tasks(std::uint64_t edge, std::size_t most = SIZE_MAX) const;
  /// One line per task, the oldest first, up to a limit; or the reason why there is none. `edge` is
  /// the present clock edge.
  std::string to_text(std::uint64_t edge) const;
  /// Two lines: the task in service at the media, and the scheduler's next choice; "none" if there
  /// is none.
  std::string in_hand_text(std::uint64_t edge) const;

 private:
  static std::string heading();
  static std::string line_of(const QueuedTask& task);

  const soc::CoreAccess& core_;
  const geometry::Geometry& geometry_;
  std::uint32_t drive_ = 0;  // address of the firmware's struct drive, or 0
  std::string missing_;      // a sentence if there is no queue to show, or ""
};

}  // namespace headstack::observe
