// SPDX-License-Identifier: Apache-2.0
// The state of the drive at any time of a run on `rtl` or `vp`, for waves, debugger and timeline.
//
// The state of the mechanics is computed on request, as closed forms of time. The queue, the
// command in service and the firmware's handler are updated by events. It only observes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "firmware/queue/task_set.h"
#include "host/observe/host_tag.hpp"
#include "host/observe/run_observer.hpp"
#include "sim/bus/observer.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/head_stack.hpp"
#include "sim/mechanics/spindle.hpp"
#include "sim/soc/elf_image.hpp"

namespace headstack::observe {

/// The interrupt source that the firmware serves (firmware/drive.c), or none.
enum class Handler : std::uint8_t { kNone, kScsi, kBuffer, kFormatter, kServo, kTimer };
/// "scsi"; "none".
const char* to_string(Handler handler);

struct DriveState {
  Picoseconds at = 0;

  // Mechanics.
  std::uint32_t angle_turn32 = 0;
  mechanics::ArmState arm = mechanics::ArmState::kOnTrack;
  double position_cylinders = 0;
  double velocity_cylinders_per_ms = 0;  // negative towards cylinder 0
  std::uint32_t cylinder = 0;            // the position, rounded
  std::uint32_t target_cylinder = 0;     // position of the arm, or target of its movement
  std::uint32_t head = 0;
  std::optional<std::uint32_t> zone;    // of `cylinder`; none on a reserved one
  std::optional<std::uint32_t> sector;  // under the head; none while it is not on a track

  // Bus.
  bus::Phase phase = bus::Phase::kBusFree;
  std::optional<std::uint8_t> operation_code;  // of the command that is on the bus

  // Firmware.
  std::uint32_t queue_depth = 0;                    // tasks in the set
  std::optional<std::uint16_t> tag_in_service;      // the media work for it
  std::optional<std::uint64_t> command_in_service;  // its number in the trace
  std::optional<unsigned> policy;  // of the last search; enum, policy_table's order
  Handler handler = Handler::kNone;
  // Deadlines of the hosts, even if the drive does not know them.
  std::optional<Picoseconds> earliest_deadline;    // of the tasks in the set; a time
  std::optional<Picoseconds> deadline_in_service;  // of the command in service
};

/// The mechanics of a drive on any platform.
struct Mechanics {
  const mechanics::Spindle& spindle;
  const mechanics::HeadStack& heads;
  const geometry::Geometry& geometry;
  std::uint32_t raw_sector_bytes;
};

class DriveProbe : public RunObserver, public soc::CoreWatcher, private bus::BusObserver {
 public:
  /// All must outlive the probe, which listens to `bus` from now on.
  DriveProbe(const soc::ElfImage& firmware, const Mechanics& mechanics, bus::ObservedBus& bus);
  ~DriveProbe() override;
  DriveProbe(const DriveProbe&) = delete;
  DriveProbe& operator=(const DriveProbe&) = delete;

  /// `at` is now, or later if the world does not change until then: the time of an edge that the
  /// SoC has run ahead.
  DriveState state(Picoseconds at) const;
  Handler handler() const { return handler_; }

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                      const traces::TraceRequest& request) override;
  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override;

 private:
  void phase_changed(Picoseconds at, bus::Phase from, bus::Phase to) override;
  void byte_moved(Picoseconds at, bus::Phase phase, bus::LineSet lines) override;
  void note_queued_deadline(std::uint32_t task);
  void note_ended_deadline(std::uint32_t task);
  std::optional<std::uint32_t> sector_at(std::uint64_t unwrapped, std::uint32_t cylinder,
                                         std::uint32_t head) const;

  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  Mechanics mechanics_;
  bus::ObservedBus& bus_;
  std::vector<std::uint8_t> mark_at_;  // by half word of RAM; see drive_probe.cpp

  Handler handler_ = Handler::kNone;
  std::uint32_t queue_depth_ = 0;
  HostTag received_ = 0;  // the last command that came over the bus
  std::vector<HostTag> name_of_task_ = std::vector<HostTag>(TASK_SET_CAPACITY);
  std::map<HostTag, std::uint64_t> numbers_;  // in the trace, of commands
  std::map<HostTag, Picoseconds> due_;        // of those with a deadline
  std::multiset<Picoseconds> queued_due_;     // of the tasks in the set
  std::vector<std::optional<Picoseconds>> due_of_task_ =
      std::vector<std::optional<Picoseconds>>(TASK_SET_CAPACITY);
  std::map<HostTag, std::uint8_t> operations_;  // their operation codes
  std::uint32_t serving_task_ = kNone;
  std::optional<unsigned> policy_;
  std::optional<std::uint8_t> operation_code_;
  bool command_begins_ = false;  // the next byte is the first of a command
};

}  // namespace headstack::observe
