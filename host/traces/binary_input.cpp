// SPDX-License-Identifier: Apache-2.0
#include "host/traces/binary_input.hpp"

#include <fmt/format.h>

namespace headstack::traces {

std::string BinaryReader::describe(std::string_view field, std::string_view problem,
                                   std::string_view remedy) const {
  return fmt::format("{}: record {} at byte {}: {}: {}; {}", file_, record_, start_, field, problem,
                     remedy);
}

std::string_view BinaryReader::begin_record(std::size_t bytes) {
  start_ = in_.offset();
  const std::string_view head = in_.peek(bytes);
  if (head.empty()) return head;
  ++record_;
  if (head.size() < bytes) fail_truncated();
  return head;
}

std::string_view BinaryReader::take_record(std::size_t bytes) {
  const std::string_view record = in_.peek(bytes);
  if (record.size() < bytes) fail_truncated();
  in_.take(bytes);
  return record;
}

void BinaryReader::fail_truncated() {
  in_.take(in_.peek(InputBuffer::kMostPeekBytes).size());
  fail("end", "the file stops in the middle of a record", "it is truncated: fetch it again");
}

}  // namespace headstack::traces
