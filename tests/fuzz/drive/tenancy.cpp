// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/tenancy.hpp"

#include <fmt/format.h>

#include "tests/tenancies.hpp"

namespace headstack::fuzz {
namespace {

constexpr Picoseconds kUnit = 100'000'000;  // 100 us
/// Time that a tenancy may take beyond its limit: one block on the slowest bus, messages, status,
/// and the drive's own work. An asynchronous block of 512 bytes takes some 0.3 ms.
constexpr Picoseconds kConnectSlack = 2'000'000'000;

std::uint32_t be16(const Bytes& page, std::size_t at) {
  return static_cast<std::uint32_t>(page[at] << 8U | page[at + 1]);
}

}  // namespace

TenancyLimits tenancy_limits_of(const Bytes& page) {
  TenancyLimits limits;
  limits.disconnect = be16(page, 6) * kUnit;
  limits.connect = be16(page, 8) * kUnit;
  limits.burst_bytes = be16(page, 10) * 512;
  limits.dimm = (page[12] & 0x08U) != 0;
  limits.dtdc = page[12] & 0x07U;
  return limits;
}

std::string find_tenancy_error(const TenancyLimits& limits,
                               const initiator::Completion& completion) {
  const initiator::Times& times = completion.times;
  const std::size_t count = times.disconnected.size();
  if (times.reselected.size() != count || completion.bytes_before_leave.size() != count) return "";
  const std::vector<test::TenancyOfBus> all = test::tenancies(completion);
  if (limits.dimm && all.front().bytes != 0) return "DImm: no data come with the command";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const test::TenancyOfBus& one = all[i];
    if (limits.burst_bytes != 0 && one.bytes > limits.burst_bytes) {
      return fmt::format("a burst has {} bytes, tenancy {} had {}", limits.burst_bytes, i + 1,
                         one.bytes);
    }
    if (i > 0 && one.begin - all[i - 1].end < limits.disconnect) {
      return fmt::format("tenancy {} may begin {} us after the last", i + 1,
                         limits.disconnect / 1'000'000);
    }
    if (limits.dtdc != 0) {
      if (one.bytes != 0 && one.bytes != completion.bytes_reached) {
        return fmt::format("DTDC {}: all data in one tenancy", limits.dtdc);
      }
      if (limits.dtdc == 3 && one.bytes != 0 && !one.has_status) {
        return "DTDC 3: data and status in one tenancy";
      }
    } else if (limits.connect != 0 && one.end - one.begin > limits.connect + kConnectSlack) {
      return fmt::format("tenancy {} may last {} us, and lasted {}", i + 1,
                         limits.connect / 1'000'000, (one.end - one.begin) / 1'000'000);
    }
  }
  return "";
}

}  // namespace headstack::fuzz
