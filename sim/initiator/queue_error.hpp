// What a logical unit does with the other commands of a host when one ends with CHECK CONDITION:
// QERR of the control mode page (0Ah; SCSI-2 8.3.3.1, SPC-2 8.3.6), as far as the host has heard of
// it.
//
// With QERR the drive drops them without a word to the host that the CHECK CONDITION is for: that
// host has to know (SPC-2 8.3.6; only others get a unit attention).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "sim/initiator/command.hpp"

namespace headstack::initiator {

enum class QueueError : std::uint8_t {
  kUnknown,
  kContinue,  // 00b: the others go on
  kAbort,     // 01b, 11b: they are gone; for the host itself both are alike
};

class QueueErrorRules {
 public:
  QueueError of(std::uint8_t target, std::uint8_t lun) const;
  /// A command has ended: MODE SELECT and MODE SENSE tell what the page has now.
  void learn_from(const Command& command, const Completion& completion);
  /// The page may have changed: of a logical unit, of a target, of all.
  void forget(std::uint8_t target, std::uint8_t lun) { rules_.erase({target, lun}); }
  void forget(std::uint8_t target);
  void forget_all() { rules_.clear(); }

 private:
  std::map<std::pair<std::uint8_t, std::uint8_t>, QueueError> rules_;
};

/// MODE SELECT of the control page.
bool selects_queue_error(const Command& command);
/// MODE SENSE(6) for the current control page.
Command sense_control_page(std::uint8_t target, std::uint8_t lun);

/// What sense data, fixed (70h, 71h) or with descriptors (72h, 73h), are about.
struct SenseCodes {
  std::uint8_t key = 0;
  std::uint8_t asc = 0;
  std::uint8_t ascq = 0;
  bool is_deferred = false;                  // about an earlier command (SCSI-2 8.2.14.2)
  std::optional<std::uint32_t> information;  // of the fixed format, where it is valid: a block
};
/// Nothing for sense data that are too short.
std::optional<SenseCodes> sense_codes(const std::vector<std::uint8_t>& sense);

}  // namespace headstack::initiator
