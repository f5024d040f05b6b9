// SPDX-License-Identifier: Apache-2.0
// Operation codes of the commands that hosts send: byte 0 of a CDB (SPC-2 table 10, SBC-2 table 8).
#pragma once

#include <cstdint>

namespace headstack::initiator::operation_code {

constexpr std::uint8_t kTestUnitReady = 0x00;
constexpr std::uint8_t kRequestSense = 0x03;
constexpr std::uint8_t kFormatUnit = 0x04;
constexpr std::uint8_t kReassignBlocks = 0x07;
constexpr std::uint8_t kRead6 = 0x08;
constexpr std::uint8_t kWrite6 = 0x0A;
constexpr std::uint8_t kModeSelect6 = 0x15;
constexpr std::uint8_t kModeSense6 = 0x1A;
constexpr std::uint8_t kSendDiagnostic = 0x1D;
constexpr std::uint8_t kRead10 = 0x28;
constexpr std::uint8_t kWrite10 = 0x2A;
constexpr std::uint8_t kVerify10 = 0x2F;
constexpr std::uint8_t kSynchronizeCache10 = 0x35;
constexpr std::uint8_t kReadDefectData10 = 0x37;
constexpr std::uint8_t kWriteBuffer = 0x3B;
constexpr std::uint8_t kReadBuffer = 0x3C;
constexpr std::uint8_t kLogSense = 0x4D;
constexpr std::uint8_t kModeSelect10 = 0x55;
constexpr std::uint8_t kModeSense10 = 0x5A;
constexpr std::uint8_t kRead16 = 0x88;
constexpr std::uint8_t kWrite16 = 0x8A;
constexpr std::uint8_t kVerify16 = 0x8F;

}  // namespace headstack::initiator::operation_code
