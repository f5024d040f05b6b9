#include "host/observe/queue_view.hpp"

#include <fmt/format.h>

#include "firmware/queue/task.h"
#include "firmware_layout.hpp"
#include "sim/units.hpp"

namespace headstack::debug {
namespace {

/// firmware/start/main.c
constexpr const char* kDriveSymbol = "the_drive";
/// More is no table that anybody reads.
constexpr unsigned kRowsMax = 256;

// By enum task_operation, task_attribute, task_state.
constexpr const char* kOperations[] = {"read", "write", "verify", "sync", "start", "stop"};
constexpr const char* kAttributes[] = {"simple", "ordered", "head", "untagged"};
constexpr const char* kStates[] = {"free",   "dormant",      "enabled", "chosen",
                                   "active", "transferring", "ended"};

template <std::size_t count>
const char* name(const char* const (&names)[count], std::uint32_t value) {
  return value < count ? names[value] : "?";
}

/// One structure's bytes.
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

std::string QueueView::to_text(std::uint64_t edge) const {
  if (!missing_.empty()) return missing_ + "\n";
  const std::uint32_t count = number_at(core_, drive_ + layout::kTaskCount, 2);
  const std::uint32_t planned = number_at(core_, drive_ + layout::kPlanned, 4);
  const std::uint32_t served = number_at(core_, drive_ + layout::kInService, 4);
  std::string text = fmt::format(
      "{:>5} {:>5} {:>3} {:<6} {:<8} {:>10} {:>6} {:>8} {:>4} {:>6} "
      "{:>9} {:>9}  {}\n",
      "task", "tag", "id", "op", "order", "lba", "blocks", "cylinder", "head", "sector",
      "angle deg", "age us", "state");
  std::uint32_t index = number_at(core_, drive_ + layout::kOldest, 2);
  for (unsigned row = 0; row < kRowsMax && index < layout::kTaskCapacity; ++row) {
    const std::uint32_t address = drive_ + layout::kTasks + index * layout::kTaskBytes;
    const Structure task(core_, address, layout::kTaskBytes);
    const std::uint32_t lba = task[layout::kTaskLba];
    const std::uint32_t now = static_cast<std::uint32_t>(edge / TASK_ARRIVED_TICKS);
    const std::uint64_t age_ticks =
        std::uint64_t{now - task[layout::kTaskArrived]} * TASK_ARRIVED_TICKS;
    const bool on_media = lba < geometry_.capacity() && task[layout::kTaskBlocks] > 0;
    text += fmt::format(
        "{:>5} {:>5} {:>3} {:<6} {:<8} {:>10} {:>6} {:>8} {:>4} {:>6} {:>9.3f} {:>9.1f}  {}{}{}\n",
        index, task[layout::kTaskTag], task[layout::kTaskInitiator],
        name(kOperations, task[layout::kTaskOperation]),
        name(kAttributes, task[layout::kTaskAttribute]), lba, task[layout::kTaskBlocks],
        task[layout::kTaskCylinder], task[layout::kTaskHead],
        on_media ? std::to_string(geometry_.locate(lba).chs().sector) : "-",
        to_degrees(task[layout::kTaskAngle]),
        static_cast<double>(age_ticks * soc::kClockPeriodPs) / kPicosecondsPerMicrosecond,
        name(kStates, task[layout::kTaskState]),
        address + layout::kTaskCandidate == planned ? ", planned" : "",
        address == served ? ", at the media" : "");
    index = task[layout::kTaskYounger];
  }
  if (count > kRowsMax) text += fmt::format("and {} younger\n", count - kRowsMax);
  return text + fmt::format("{} tasks\n", count);
}

}  // namespace headstack::debug
