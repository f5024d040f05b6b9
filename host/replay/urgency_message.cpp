// SPDX-License-Identifier: Apache-2.0
#include "host/replay/urgency_message.hpp"

#include <algorithm>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/kernel/bytes.h"
#include "firmware/target/message.h"
#pragma GCC diagnostic pop

namespace headstack::replay {
namespace {

constexpr std::uint8_t kLength = 8;  // bytes after the length byte

}  // namespace

bool wants_urgency(const traces::TraceRequest& request) {
  return request.service_class() == traces::ServiceClass::kRealTime || request.urgency.stream ||
         request.urgency.priority != 0;
}

std::vector<std::uint8_t> urgency_message(const traces::TraceRequest& request, Picoseconds left,
                                          std::uint8_t scsi_id) {
  const bool real_time = request.service_class() == traces::ServiceClass::kRealTime;
  const Picoseconds left_us =
      real_time ? std::max<Picoseconds>(left, 0) / kPicosecondsPerMicrosecond : 0;
  std::vector<std::uint8_t> message = {MESSAGE_EXTENDED, kLength, MESSAGE_EXTENDED_DEADLINE};
  message.resize(2 + kLength);
  bytes_put_be32(&message[3],
                 static_cast<std::uint32_t>(std::min<Picoseconds>(left_us, UINT32_MAX)));
  message[7] = real_time ? CANDIDATE_REAL_TIME : CANDIDATE_BEST_EFFORT;
  message[8] = request.urgency.stream.value_or(scsi_id);
  message[9] = request.urgency.priority;
  return message;
}

}  // namespace headstack::replay
