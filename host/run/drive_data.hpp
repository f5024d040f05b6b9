// SPDX-License-Identifier: Apache-2.0
// Commands after the run's end, which read what the drive has counted.
#pragma once

#include <cstdint>
#include <vector>

#include "host/session/session.hpp"

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

}  // namespace headstack::run
