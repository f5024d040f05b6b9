// SPDX-License-Identifier: Apache-2.0
// The tenancies of the bus of one command, as its host saw them.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/initiator/command.hpp"

namespace headstack::test {

/// A tenancy from a selection or reselection to DISCONNECT or COMMAND COMPLETE.
struct TenancyOfBus {
  Picoseconds begin = 0, end = 0;
  std::uint32_t bytes = 0;
  bool is_first = false, has_status = false;
};

/// In the order of time, of a command that has ended with COMMAND COMPLETE.
inline std::vector<TenancyOfBus> tenancies(const initiator::Completion& done) {
  const initiator::Times& times = done.times;
  std::vector<TenancyOfBus> all;
  std::uint32_t before = 0;
  for (std::size_t i = 0; i <= times.disconnected.size(); ++i) {
    TenancyOfBus one;
    one.is_first = i == 0;
    one.has_status = i == times.disconnected.size();
    one.begin = one.is_first ? times.selected : times.reselected.at(i - 1);
    one.end = one.has_status ? times.complete : times.disconnected[i];
    // A write need not save its pointer after the last byte.
    const std::uint32_t reached =
        std::max(before, one.has_status ? done.bytes_reached : done.bytes_before_leave.at(i));
    one.bytes = reached - before;
    before = reached;
    all.push_back(one);
  }
  return all;
}

}  // namespace headstack::test
