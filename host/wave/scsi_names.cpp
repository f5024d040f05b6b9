// SPDX-License-Identifier: Apache-2.0
#include "host/wave/scsi_names.hpp"

#include <algorithm>

#include "firmware/device/command.h"
#include "firmware/target/message.h"

namespace headstack::wave {
namespace {

struct OperationRow {
  std::uint64_t code;
  const char* name;
};

/// The table of commands, from the firmware.
constexpr OperationRow kOperations[] = {
#define COMMAND(name, code, ...) {code, #name},
#define DATA_COMMAND COMMAND
#include "firmware/device/commands.def"
#undef DATA_COMMAND
#undef COMMAND
};

/// The name as the standards write it: READ_16 becomes "READ(16)".
std::string operation_name(std::string name) {
  const std::size_t last = name.rfind('_');
  if (last != std::string::npos &&
      name.find_first_not_of("0123456789", last + 1) == std::string::npos) {
    name = name.substr(0, last) + "(" + name.substr(last + 1) + ")";
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

constexpr std::uint64_t extended(unsigned code) { return MessageDecoder::kExtended | code; }

}  // namespace

soc::WaveNames phase_names() {
  soc::WaveNames names{"bus_phase", {}};
  for (unsigned phase = 0; phase <= static_cast<unsigned>(bus::Phase::kReset); ++phase) {
    names.names.emplace_back(phase, bus::phase_name(static_cast<bus::Phase>(phase)));
  }
  return names;
}

soc::WaveNames operation_names() {
  soc::WaveNames names{"scsi_operation", {}};
  for (const OperationRow& row : kOperations) {
    const auto is_same = [&](const auto& name) { return name.first == row.code; };
    if (std::none_of(names.names.begin(), names.names.end(), is_same)) {
      names.names.emplace_back(row.code, operation_name(row.name));
    }
  }
  names.names.emplace_back(largest(kOperationBits), kNothing);
  return names;
}

soc::WaveNames message_names() {
  return {"scsi_message",
          {{MESSAGE_COMMAND_COMPLETE, "COMMAND COMPLETE"},
           {MESSAGE_EXTENDED, "EXTENDED"},
           {MESSAGE_SAVE_DATA_POINTER, "SAVE DATA POINTER"},
           {MESSAGE_RESTORE_POINTERS, "RESTORE POINTERS"},
           {MESSAGE_DISCONNECT, "DISCONNECT"},
           {MESSAGE_INITIATOR_DETECTED_ERROR, "INITIATOR DETECTED ERROR"},
           {MESSAGE_ABORT, "ABORT"},
           {MESSAGE_REJECT, "MESSAGE REJECT"},
           {MESSAGE_NO_OPERATION, "NO OPERATION"},
           {MESSAGE_PARITY_ERROR, "MESSAGE PARITY ERROR"},
           {MESSAGE_BUS_DEVICE_RESET, "BUS DEVICE RESET"},
           {MESSAGE_ABORT_TAG, "ABORT TAG"},
           {MESSAGE_CLEAR_QUEUE, "CLEAR QUEUE"},
           {MESSAGE_SIMPLE_TAG, "SIMPLE QUEUE TAG"},
           {MESSAGE_HEAD_OF_QUEUE_TAG, "HEAD OF QUEUE TAG"},
           {MESSAGE_ORDERED_TAG, "ORDERED QUEUE TAG"},
           {MESSAGE_IGNORE_WIDE_RESIDUE, "IGNORE WIDE RESIDUE"},
           {MESSAGE_IDENTIFY, "IDENTIFY"},
           {extended(MESSAGE_EXTENDED_SYNCHRONOUS), "SYNCHRONOUS TRANSFER"},
           {extended(MESSAGE_EXTENDED_WIDE), "WIDE TRANSFER"},
           {extended(MESSAGE_EXTENDED_LONG_TAG), "LONG QUEUE TAG"},
           {extended(MESSAGE_EXTENDED_DEADLINE), "DEADLINE"},
           {largest(kMessageBits), kNothing}}};
}

soc::WaveNames status_names() {
  return {"scsi_status",
          {{SCSI_STATUS_GOOD, "GOOD"},
           {SCSI_STATUS_CHECK_CONDITION, "CHECK CONDITION"},
           {SCSI_STATUS_BUSY, "BUSY"},
           {SCSI_STATUS_RESERVATION_CONFLICT, "RESERVATION CONFLICT"},
           {SCSI_STATUS_QUEUE_FULL, "QUEUE FULL"},
           {largest(kStatusBits), kNothing}}};
}

/// Lengths of messages (SCSI-2 6.6): 00h, 02h-1Fh and 80h-FFh have one byte, 20h-2Fh two, and 01h
/// has as many as its second byte says.
std::optional<unsigned> MessageDecoder::byte(std::uint8_t byte) {
  constexpr unsigned kWholeTurn = 256;  // a length of 0 means 256 bytes
  if (left_ == 0) {
    next_ = Next::kCode;
    left_ = 1;
  }
  --left_;
  switch (next_) {
    case Next::kCode:
      if (byte == MESSAGE_EXTENDED) {
        next_ = Next::kExtendedLength;
        left_ = 1;
      } else if ((byte & 0xF0U) == MESSAGE_SIMPLE_TAG) {
        next_ = Next::kArgument;
        left_ = 1;
      }
      return byte >= MESSAGE_IDENTIFY ? unsigned{MESSAGE_IDENTIFY} : byte;
    case Next::kExtendedLength:
      next_ = Next::kExtendedCode;
      left_ = byte == 0 ? kWholeTurn : byte;
      return std::nullopt;
    case Next::kExtendedCode: next_ = Next::kArgument; return kExtended | byte;
    case Next::kArgument: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace headstack::wave
