// SPDX-License-Identifier: Apache-2.0
#include "host/replay/sense_causes.hpp"

#include <iterator>
#include <optional>

namespace headstack::replay {
namespace {

using report::Sense;

enum Cause : std::uint32_t {
  kFlaws = 1U << 0,
  kMechanics = 1U << 1,
  kPast = 1U << 2,
  kResets = 1U << 3,
  kAborts = 1U << 4,
  kClears = 1U << 5,
  kModes = 1U << 6,
  kSaves = 1U << 7,
  kReassigns = 1U << 8,
  kFormats = 1U << 9,
  kLimits = 1U << 10,
};

struct Name {
  Cause cause;
  const char* text;
};
constexpr Name kNames[] = {
    {kFlaws, "the specimen's flaws"},
    {kMechanics, "the specimen's faults of arm, spindle or index"},
    {kPast, "drive.media of an earlier run"},
    {kResets, "resets by hosts"},
    {kAborts, "aborts by hosts"},
    {kClears, "CLEAR QUEUE or settings.qerr"},
    {kModes, "settings that hosts change"},
    {kSaves, "hosts.every.save"},
    {kReassigns, "hosts.every.reassign"},
    {kFormats, "hosts.every.format"},
    {kLimits, "settings.deadlines=cdl"},
};

/// The causes that sense data may have. The first row that fits counts. A row without a code
/// applies to all other codes of its key.
struct Row {
  std::uint8_t key;
  std::optional<std::uint8_t> code;
  std::uint32_t causes;
};
constexpr std::uint32_t kMedia = kFlaws | kMechanics | kPast;
const Row kRows[] = {
    // A reset ends the REQUEST SENSE of a host, which then has no sense data.
    {0x0, std::nullopt, kResets | kAborts},
    {0x1, 0x37, kModes | kSaves},  // code of rounded parameters
    {0x1, std::nullopt, kMedia},
    {0x2, 0x04, kMechanics | kFormats | kResets},
    {0x3, 0x31, kFormats | kPast},  // code of a format that did not end
    {0x3, std::nullopt, kMedia},
    {0x4, 0x03, kFlaws | kMechanics},               // code of a write fault
    {0x4, 0x32, kFlaws | kMechanics | kReassigns},  // code of a defect for which no spare is left
    {0x4, 0x44, 0},                                 // code of an internal target failure: always a
                                                    // bug
    {0x4, std::nullopt, kMechanics},
    {0x5, 0x24, kSaves},  // code of saved pages on a drive without a store
    {0x5, 0x39, kSaves},
    {0x6, 0x28, kFormats | kMechanics},
    {0x6, 0x29, kResets},
    {0x6, 0x2A, kModes | kSaves | kResets},
    {0x6, 0x2F, kClears | kResets | kAborts},
    {0xB, 0x2E, kLimits},
    {0xB, 0x4E, kResets | kAborts | kClears},
    {0xF, 0x55, kLimits},
};

bool has_flaws(const drive::Specimen& specimen) {
  return !specimen.flaws.empty() ||
         (specimen.unreadable_sectors | specimen.correctable_sectors | specimen.misplaced_writes |
          specimen.intermittent_sectors | specimen.decaying_sectors | specimen.write_fault_sectors |
          specimen.weak_write_sectors | specimen.bad_header_sectors | specimen.no_sync_sectors |
          specimen.scratches) != 0;
}

bool has_faults(const drive::Specimen& specimen) {
  const drive::RandomFaults& random = specimen.random;
  return !specimen.arm_faults.empty() || !specimen.spindle_faults.empty() ||
         !specimen.index_faults.empty() || random.arm_share > 0 || random.dropouts != 0 ||
         random.missing_index_share > 0;
}

bool has_act(const options::HostHabits& habits, traces::Act act) {
  for (const options::ActRepeat& repeat : habits.acts) {
    if (repeat.act == act && repeat.repeat.is_asked_for()) return true;
  }
  return false;
}

}  // namespace

SenseCauses::SenseCauses(const ReplayOptions& options, const drive::Specimen& specimen,
                         bool acts_in_trace, bool has_past) {
  const options::HostHabits& habits = options.habits;
  const auto add = [this](bool is_there, std::uint32_t causes) {
    if (is_there) causes_ |= causes;
  };
  add(has_flaws(specimen), kFlaws);
  add(has_faults(specimen), kMechanics);
  add(has_past, kPast);
  add(acts_in_trace, kResets | kAborts | kClears);
  add(options::may_reset(habits), kResets);
  add(has_act(habits, traces::Act::kAbort), kAborts);
  add(has_act(habits, traces::Act::kClearQueue) || habits.queue_error != 0, kClears);
  add(options::changes_settings(habits), kModes);
  add(habits.save_every != 0, kSaves);
  add(habits.reassign_every != 0, kReassigns);
  add(habits.format_every != 0, kFormats);
  add(options.deadlines == DeadlineUse::kCdl, kLimits);
}

std::string SenseCauses::of(const Sense& sense) const {
  for (const Row& row : kRows) {
    if (row.key != sense.key || (row.code && *row.code != sense.code)) continue;
    for (const Name& name : kNames) {
      if ((row.causes & causes_ & name.cause) != 0) return name.text;
    }
    return "";
  }
  return "";
}

}  // namespace headstack::replay
