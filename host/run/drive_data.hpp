// SPDX-License-Identifier: Apache-2.0
// Commands after the run's end, which read what the drive has counted.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/device/log_page.h"
#include "host/session/session.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::run {

/// The data of a command; empty if it does not end well. Throws SessionError without an answer.
inline std::vector<std::uint8_t> data_of(session::Session& session,
                                         const initiator::Command& command) {
  constexpr int kTries = 8;  // a unit attention and a deferred error may precede the answer
  constexpr Picoseconds kLimit = 10'000 * kPicosecondsPerMillisecond;
  for (int i = 0; i < kTries; ++i) {
    const initiator::Completion& completion = session.execute(command, 0, kLimit);
    if (completion.is_good()) return completion.data;
  }
  return {};
}

/// Present values of a log page, at most `allocation` bytes of it; otherwise as data_of().
inline std::vector<std::uint8_t> log_page_of(session::Session& session, enum log_page_code page,
                                             std::uint16_t allocation) {
  initiator::Command command;
  command.direction = initiator::Direction::kIn;
  command.length = allocation;
  command.cdb = {initiator::operation_code::kLogSense,
                 0,
                 static_cast<std::uint8_t>(LOG_CUMULATIVE << 6 | page),
                 0,
                 0,
                 0,
                 0,
                 static_cast<std::uint8_t>(allocation >> 8U),
                 static_cast<std::uint8_t>(allocation),
                 0};
  return data_of(session, command);
}

}  // namespace headstack::run
