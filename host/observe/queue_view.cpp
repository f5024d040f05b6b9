// SPDX-License-Identifier: Apache-2.0
#include "host/observe/queue_view.hpp"

#include <fmt/format.h>

#include "firmware/queue/task.h"
#include "firmware_layout.hpp"
#include "sim/units.hpp"

namespace headstack::observe {
namespace {

/// The drive's structure in firmware/start/main.c.
constexpr const char* kDriveSymbol = "the_drive";
/// Most rows of the table; a longer one would be unreadable.
constexpr std::size_t kRowsMax = 256;

// Names in the order of enum task_operation, task_attribute and task_state.
constexpr const char* kOperations[] = {"read", "write", "verify", "sync", "start", "stop"};
constexpr const char* kAttributes[] = {"simple", "ordered", "head", "untagged"};
constexpr const char* kStates[] = {"free",   "dormant",      "enabled", "chosen",
                                   "active", "transferring", "ended"};

template <std::size_t kCount>
const char* name(const char* const (&names)[kCount], std::uint32_t value) {
  return value < kCount ? names[value] : "?";
}

double to_us(Picoseconds time) { return static_cast<double>(time) / kPicosecondsPerMicrosecond; }

/// The bytes of one structure in RAM.
class Structure {
 public:
  Structure(const soc::CoreAccess& core, std::uint32_t address, std::uint32_t bytes)
      : bytes_(core.read_ram(address, bytes)) {}

  std::uint32_t operator[](layout::FieldPlace place) const {
    std::uint64_t value = 0;
    const std::uint32_t last = (place.first_bit + place.bits - 1) / 8;
    for (std::uint32_t byte = last + 1; byte > place.first_bit / 8; --byte) {
      value = value << 8 | bytes_.at(byte - 1);
    }
    return static_cast<std::uint32_t>(value >> place.first_bit % 8 &
                                      ((std::uint64_t{1} << place.bits) - 1));
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

std::uint32_t number_at(const soc::CoreAccess& core, std::uint32_t address, std::uint32_t bytes) {
  return Structure(core, address, bytes)[{0, 8 * bytes}];
}

}  // namespace

QueueView::QueueView(const soc::ElfImage& firmware, const soc::CoreAccess& core,
                     const geometry::Geometry& geometry)
    : core_(core), geometry_(geometry) {
  const soc::ElfImage::Symbol* drive = firmware.object(kDriveSymbol);
  if (drive == nullptr) {
    missing_ = fmt::format("{} has no symbol '{}': build it with its symbols", firmware.path(),
                           kDriveSymbol);
  } else if (drive->bytes != layout::kDriveBytes) {
    missing_ = fmt::format(
        "{} was built from other sources than this program: '{}' has {} bytes, "
        "not {}",
        firmware.path(), kDriveSymbol, drive->bytes, layout::kDriveBytes);
  } else {
    drive_ = drive->address;
  }
}

std::vector<QueuedTask> QueueView::tasks(std::uint64_t edge, std::size_t most) const {
  const std::uint32_t planned = number_at(core_, drive_ + layout::kPlanned, 4);
  const std::uint32_t served = number_at(core_, drive_ + layout::kInService, 4);
  std::vector<QueuedTask> tasks;
  std::uint32_t index = number_at(core_, drive_ + layout::kOldest, 2);
  // The limit is needed because a list that is damaged in RAM may have no end.
  while (index < layout::kTaskCapacity && tasks.size() < layout::kTaskCapacity) {
    if (tasks.size() == most) break;
    const std::uint32_t address = drive_ + layout::kTasks + index * layout::kTaskBytes;
    const Structure task(core_, address, layout::kTaskBytes);
    const std::uint32_t now = static_cast<std::uint32_t>(edge / TASK_ARRIVED_TICKS);
    const std::uint64_t age_ticks =
        std::uint64_t{now - task[layout::kTaskArrived]} * TASK_ARRIVED_TICKS;
    QueuedTask row;
    row.index = index;
    row.tag = task[layout::kTaskTag];
    row.initiator = task[layout::kTaskInitiator];
    row.operation = name(kOperations, task[layout::kTaskOperation]);
    row.attribute = name(kAttributes, task[layout::kTaskAttribute]);
    row.state = name(kStates, task[layout::kTaskState]);
    row.lba = task[layout::kTaskLba];
    row.blocks = task[layout::kTaskBlocks];
    row.cylinder = task[layout::kTaskCylinder];
    row.head = task[layout::kTaskHead];
    if (row.lba < geometry_.capacity() && row.blocks > 0) {
      row.sector = geometry_.locate(row.lba).chs().sector;
    }
    row.angle_turn32 = task[layout::kTaskAngle];
    row.age = static_cast<Picoseconds>(age_ticks * soc::kClockPeriodPs);
    if (task[layout::kTaskClass] == CANDIDATE_REAL_TIME) {
      const auto slack_64ticks = static_cast<std::int32_t>(task[layout::kTaskDeadline] - now);
      row.slack = Picoseconds{slack_64ticks} * TASK_ARRIVED_TICKS * soc::kClockPeriodPs;
    }
    row.stream = task[layout::kTaskStream];
    row.priority = task[layout::kTaskPriority];
    row.planned = address + layout::kTaskCandidate == planned;
    row.in_service = address == served;
    tasks.push_back(row);
    index = task[layout::kTaskYounger];
  }
  return tasks;
}

std::string QueueView::heading() {
  return fmt::format(
      "{:>5} {:>5} {:>3} {:<6} {:<8} {:>10} {:>6} {:>8} {:>4} {:>6} "
      "{:>9} {:>9} {:>11} {:>6} {:>4}  {}\n",
      "task", "tag", "id", "op", "order", "lba", "blocks", "cylinder", "head", "sector",
      "angle deg", "age us", "slack us", "stream", "prio", "state");
}

std::string QueueView::line_of(const QueuedTask& task) {
  return fmt::format(
      "{:>5} {:>5} {:>3} {:<6} {:<8} {:>10} {:>6} {:>8} {:>4} {:>6} {:>9.3f} {:>9.1f} {:>11} "
      "{:>6} {:>4}  "
      "{}{}{}\n",
      task.index, task.tag, task.initiator, task.operation, task.attribute, task.lba, task.blocks,
      task.cylinder, task.head, task.sector ? std::to_string(*task.sector) : "-",
      to_degrees(task.angle_turn32), to_us(task.age),
      task.slack ? fmt::format("{:.1f}", to_us(*task.slack)) : "-", task.stream, task.priority,
      task.state, task.planned ? ", planned" : "", task.in_service ? ", at the media" : "");
}

std::string QueueView::in_hand_text(std::uint64_t edge) const {
  if (!missing_.empty()) return missing_ + "\n";
  std::string text;
  for (const QueuedTask& task : tasks(edge)) {
    if (task.in_service || task.planned) text += line_of(task);
  }
  return text.empty() ? "none\n" : heading() + text;
}

std::string QueueView::to_text(std::uint64_t edge) const {
  if (!missing_.empty()) return missing_ + "\n";
  const std::uint32_t count = number_at(core_, drive_ + layout::kTaskCount, 2);
  std::string text = heading();
  for (const QueuedTask& task : tasks(edge, kRowsMax)) text += line_of(task);
  if (count > kRowsMax) text += fmt::format("and {} younger\n", count - kRowsMax);
  return text + fmt::format("{} tasks\n", count);
}

}  // namespace headstack::observe
