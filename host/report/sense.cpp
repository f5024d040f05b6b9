// SPDX-License-Identifier: Apache-2.0
#include "host/report/sense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace headstack::report {
namespace {

struct Words {
  std::uint8_t code;
  std::uint8_t qualifier;
  const char* text;
};

/// Additional sense codes of direct-access devices (SPC-2 annex C.2; 55h/0Ah: SPC-4 annex D).
constexpr Words kWords[] = {
    {0x00, 0x00, "no additional sense information"},
    {0x01, 0x00, "no index/sector signal"},
    {0x02, 0x00, "no seek complete"},
    {0x03, 0x00, "peripheral device write fault"},
    {0x04, 0x00, "logical unit not ready, cause not reportable"},
    {0x04, 0x01, "logical unit is in process of becoming ready"},
    {0x04, 0x02, "logical unit not ready, initializing command required"},
    {0x04, 0x04, "logical unit not ready, format in progress"},
    {0x06, 0x00, "no reference position found"},
    {0x09, 0x00, "track following error"},
    {0x0C, 0x00, "write error"},
    {0x0C, 0x01, "write error, recovered with auto reallocation"},
    {0x0C, 0x02, "write error, auto reallocation failed"},
    {0x10, 0x00, "ID CRC or ECC error"},
    {0x11, 0x00, "unrecovered read error"},
    {0x11, 0x04, "unrecovered read error, auto reallocate failed"},
    {0x12, 0x00, "address mark not found for ID field"},
    {0x14, 0x01, "record not found"},
    {0x15, 0x01, "mechanical positioning error"},
    {0x15, 0x02, "positioning error detected by read of medium"},
    {0x17, 0x01, "recovered data with retries"},
    {0x17, 0x06, "recovered data without ECC, data auto-reallocated"},
    {0x17, 0x07, "recovered data without ECC, recommend reassignment"},
    {0x1A, 0x00, "parameter list length error"},
    {0x1C, 0x00, "defect list not found"},
    {0x1D, 0x00, "miscompare during verify operation"},
    {0x20, 0x00, "invalid command operation code"},
    {0x21, 0x00, "logical block address out of range"},
    {0x24, 0x00, "invalid field in CDB"},
    {0x25, 0x00, "logical unit not supported"},
    {0x26, 0x00, "invalid field in parameter list"},
    {0x28, 0x00, "not ready to ready change, medium may have changed"},
    {0x29, 0x00, "power on, reset, or bus device reset occurred"},
    {0x29, 0x02, "SCSI bus reset occurred"},
    {0x29, 0x03, "bus device reset function occurred"},
    {0x2A, 0x01, "mode parameters changed"},
    {0x2A, 0x02, "log parameters changed"},
    {0x2E, 0x01, "command timeout before processing"},
    {0x2E, 0x02, "command timeout during processing"},
    {0x2E, 0x03, "command timeout during processing due to error recovery"},
    {0x2F, 0x00, "commands cleared by another initiator"},
    {0x31, 0x00, "medium format corrupted"},
    {0x32, 0x00, "no defect spare location available"},
    {0x37, 0x00, "rounded parameter"},
    {0x39, 0x00, "saving parameters not supported"},
    {0x3E, 0x01, "logical unit failure"},
    {0x43, 0x00, "message error"},
    {0x44, 0x00, "internal target failure"},
    {0x45, 0x00, "select or reselect failure"},
    {0x47, 0x00, "SCSI parity error"},
    {0x48, 0x00, "initiator detected error message received"},
    {0x49, 0x00, "invalid message error"},
    {0x4E, 0x00, "overlapped commands attempted"},
    {0x53, 0x02, "medium removal prevented"},
    {0x55, 0x0A, "data currently unavailable"},
};

/// Diagnostic failure (SPC-2 annex C.2): its qualifier is the number of the component, from 80h on.
constexpr std::uint8_t kDiagnosticFailure = 0x40;

/// Names of sense keys (SCSI-2 table 69; Fh: SPC-4 table 48).
constexpr const char* kKeys[] = {
    "no sense",       "recovered error", "not ready",      "medium error",
    "hardware error", "illegal request", "unit attention", "data protect",
    "blank check",    "vendor specific", "copy aborted",   "aborted command",
    "equal",          "volume overflow", "miscompare",     "completed",
};
constexpr std::uint8_t kKeyMask = 0xF;

}  // namespace

std::string to_string(const Sense& sense) {
  return fmt::format("{:X}/{:02X}/{:02X}{}", sense.key, sense.code, sense.qualifier,
                     sense.is_deferred ? " deferred" : "");
}

std::string words_of(const Sense& sense) {
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords), [&](const Words& words) {
    return words.code == sense.code && words.qualifier == sense.qualifier;
  });
  if (found != std::end(kWords)) return found->text;
  if (sense.code == kDiagnosticFailure) {
    return fmt::format("diagnostic failure on component {:02X}h", sense.qualifier);
  }
  return kKeys[sense.key & kKeyMask];
}

std::string status_name(std::uint8_t status) {
  switch (status) {  // values from SCSI-2 table 27
    case 0x02: return "CHECK CONDITION";
    case 0x04: return "CONDITION MET";
    case 0x08: return "BUSY";
    case 0x18: return "RESERVATION CONFLICT";
    case 0x22: return "COMMAND TERMINATED";
    case 0x28: return "QUEUE FULL";
    default: return fmt::format("status {:02X}h", status);
  }
}

}  // namespace headstack::report
