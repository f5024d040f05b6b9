// SPDX-License-Identifier: Apache-2.0
// The host's copy of QERR, a field of the control mode page (0Ah; SCSI-2 8.3.3.1, SPC-2 8.3.6).
// QERR defines the fate of a logical unit's other commands when one ends with CHECK CONDITION.
//
// With QERR the drive drops the other commands. The host that gets the CHECK CONDITION is not
// notified of the dropped commands; only other hosts get a unit attention (SPC-2 8.3.6).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "sim/initiator/command.hpp"

namespace headstack::initiator {

enum class QueueError : std::uint8_t {
  kUnknown,
  kContinue,  // 00b: the others continue
  kAbort,     // 01b, 11b: the others are dropped; for the host itself both are alike
};

class QueueErrorRules {
 public:
  QueueError of(std::uint8_t target, std::uint8_t lun) const;
  /// Updates the copy from a completed MODE SELECT or MODE SENSE, which shows the page's content.
  void learn_from(const Command& command, const Completion& completion);
  /// Invalidates the copy for a logical unit, a target, or all, since the page may have changed.
  void forget(std::uint8_t target, std::uint8_t lun) { rules_.erase({target, lun}); }
  void forget(std::uint8_t target);
  void forget_all() { rules_.clear(); }

 private:
  std::map<std::pair<std::uint8_t, std::uint8_t>, QueueError> rules_;
};

/// Whether the command is MODE SELECT of the control page.
bool selects_queue_error(const Command& command);
/// MODE SENSE(6) for the current control page.
Command sense_control_page(std::uint8_t target, std::uint8_t lun);

/// The content of sense data, fixed (70h, 71h) or with descriptors (72h, 73h).
struct SenseCodes {
  std::uint8_t key = 0;
  std::uint8_t asc = 0;
  std::uint8_t ascq = 0;
  bool is_deferred = false;                  // about an earlier command (SCSI-2 8.2.14.2)
  std::optional<std::uint32_t> information;  // a block; only in the fixed format, if valid
};
/// Decodes sense data. Nothing if they are too short.
std::optional<SenseCodes> sense_codes(const std::vector<std::uint8_t>& sense);

}  // namespace headstack::initiator
