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
/// Name of the handler, such as "scsi"; "none" for kNone.
const char* to_string(Handler handler);

struct DriveState {
  Picoseconds at = 0;

  // Mechanics.
  std::uint32_t angle_turn32 = 0;
  mechanics::ArmState arm = mechanics::ArmState::kOnTrack;
  double position_cylinders = 0;
  double velocity_cylinders_per_ms = 0;  // negative: the arm moves towards cylinder 0
  std::uint32_t cylinder = 0;            // position_cylinders, rounded
  std::uint32_t target_cylinder = 0;     // where the arm goes; its position while it rests
  std::uint32_t head = 0;
  std::optional<std::uint32_t> zone;    // zone of `cylinder`; none on a reserved cylinder
  std::optional<std::uint32_t> sector;  // sector under the head; none while the head is not on a
                                        // track

  // Bus.
  bus::Phase phase = bus::Phase::kBusFree;
  std::optional<std::uint8_t> operation_code;  // operation code of the command on the bus

  // Firmware.
  std::uint32_t queue_depth = 0;                    // number of tasks in the set
  std::optional<std::uint16_t> tag_in_service;      // tag of the task that the media serve
  std::optional<std::uint64_t> command_in_service;  // trace number of the command in service
  std::optional<unsigned> policy;  // policy of the last search, by its row in policy_table
  Handler handler = Handler::kNone;
  // Deadlines set by the hosts, whether or not they were sent to the drive.
  std::optional<Picoseconds> earliest_deadline;    // earliest deadline of the tasks in the set
  std::optional<Picoseconds> deadline_in_service;  // deadline of the command in service
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
  /// All arguments must outlive the probe, which registers itself as an observer of `bus`.
  DriveProbe(const soc::ElfImage& firmware, const Mechanics& mechanics, bus::ObservedBus& bus);
  ~DriveProbe() override;
  DriveProbe(const DriveProbe&) = delete;
  DriveProbe& operator=(const DriveProbe&) = delete;

  /// State at time `at`: now, or a later time up to which the world does not change. It is later
  /// when the SoC has run ahead of the world.
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
  std::vector<std::uint8_t> mark_at_;  // indexed by half word of RAM; see drive_probe.cpp

  Handler handler_ = Handler::kNone;
  std::uint32_t queue_depth_ = 0;
  HostTag received_ = 0;  // last command received over the bus
  std::vector<HostTag> name_of_task_ = std::vector<HostTag>(TASK_SET_CAPACITY);
  std::map<HostTag, std::uint64_t> numbers_;  // trace numbers of commands
  std::map<HostTag, Picoseconds> due_;        // deadlines of the commands that have one
  std::multiset<Picoseconds> queued_due_;     // deadlines of the tasks in the set
  std::vector<std::optional<Picoseconds>> due_of_task_ =
      std::vector<std::optional<Picoseconds>>(TASK_SET_CAPACITY);
  std::map<HostTag, std::uint8_t> operations_;  // operation codes of commands
  std::uint32_t serving_task_ = kNone;
  std::optional<unsigned> policy_;
  std::optional<std::uint8_t> operation_code_;
  bool command_begins_ = false;  // the next byte is the first of a command
};

}  // namespace headstack::observe
