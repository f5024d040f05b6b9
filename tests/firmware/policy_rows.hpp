// SPDX-License-Identifier: Apache-2.0
// Tables of cases. Each policy's test file (policies/NAME.cpp) adds its rows, and no list names the
// files.
//
//   const Rows<RandomCase> kRandom{{"Walk", "walk", as<reference::Walk>()}, ...};
//
// A row's name (`what`) is that of its test, and begins with the policy's name.
// test_policy_rows.cpp says which rows a policy must have. Rows are in the link order of the files,
// which is by name.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "firmware/queue/policy_table.h"
#include "tests/firmware/reference_policy.hpp"

namespace headstack::test {

/// All rows of a table. Complete when main() begins: GoogleTest asks for a table's rows then.
template <class Row>
std::vector<Row>& rows_of() {
  static std::vector<Row> all;
  return all;
}

/// Adds rows to their table.
template <class Row>
class Rows {
 public:
  Rows(std::initializer_list<Row> more) {
    rows_of<Row>().insert(rows_of<Row>().end(), more.begin(), more.end());
  }
};

using MakeReference = std::function<std::unique_ptr<reference::Policy>(const reference::Drive&)>;

/// The reference of a selection: its class, whose constructor takes `options` and, if it needs it,
/// the drive.
template <class Reference, class... Options>
MakeReference as(Options... options) {
  return [=](const reference::Drive& drive) -> std::unique_ptr<reference::Policy> {
    if constexpr (std::is_constructible_v<Reference, const reference::Drive&, Options...>) {
      return std::make_unique<Reference>(drive, options...);
    } else {
      return std::make_unique<Reference>(options...);
    }
  };
}

/// Random queues that are served to the end while requests arrive (test_policy_random.cpp): each
/// choice must be the reference's.
struct RandomCase {
  const char* what;
  const char* policy;  // as on the command line
  MakeReference reference;
  std::size_t exact_up_to = SIZE_MAX;  // most waiting requests; a policy with a limited search may
                                       // choose otherwise beyond
  int queues = 10'000;                 // fewer for options with a slow reference
};

/// A queue on 100 cylinders, served to its end (test_policy_seek.cpp). Waits are half a turn at any
/// angle: the nearer a cylinder, the shorter its access.
struct OrderCase {
  const char* what;
  const char* policy;
  std::uint32_t heads_at;
  std::vector<std::uint32_t> arrivals;  // cylinders, oldest first
  std::vector<std::uint32_t> served;
};

/// Where the arm goes before it goes to the only waiting request (test_policy_seek.cpp).
struct DetourCase {
  const char* what;
  const char* policy;
  bool downward;  // the arm has turned before
  std::uint32_t heads_at;
  std::uint32_t cylinder;
  std::uint32_t detour;  // or POLICY_NO_DETOUR
};

/// A policy of groups of ten cylinders, from cylinder 50 on, with requests on 49, 60, 20, 95, 59
/// and 50 (test_policy_access.cpp).
struct GroupCase {
  const char* what;
  const char* policy;
  std::vector<std::uint32_t> served;
};

/// A search that may stop early, among cylinders 50 to 60. It must not stop before an older request
/// of the same price (test_policy_access.cpp).
struct EqualPriceCase {
  const char* what;
  const char* policy;
};

/// The largest number of others before a request, for any arrivals (test_policy_waiting.cpp).
struct WaitCase {
  const char* what;
  const char* policy;
  std::uint64_t most;  // of kQueueThatWaits requests; 0: no promise
};
constexpr std::uint32_t kQueueThatWaits = 20;

/// A policy that sweeps. Without arrivals it is done after one turn, or after one jump to the
/// lowest (test_policy_waiting.cpp).
struct SweepCase {
  const char* policy;
  bool jumps;
};

/// A policy that uses the order of arrival. No two requests are equal for it, so it need not serve
/// the oldest of otherwise equal ones (test_policy_rows.cpp).
struct ByArrivalCase {
  const char* policy;
};

/// Words of --policy, and their form on the scheduler mode page (test_policy_option.cpp).
struct TextCase {
  const char* what;
  const char* given;
  std::uint8_t number;
  std::uint8_t flags;
  std::uint32_t first;
  std::uint32_t second;
  const char* canonical;  // on a drive of 840 cylinders
  std::uint32_t third = 0;
  std::uint32_t fourth = 0;
};

/// Refused words of --policy, and a part of the message (test_policy_option.cpp).
struct WrongTextCase {
  const char* what;
  const char* given;
  const char* said;
};

/// A selection on the mode page, and the error that the firmware finds (test_policy_option.cpp).
struct FaultCase {
  const char* what;
  std::uint8_t number;
  std::uint8_t flags;
  std::vector<std::uint32_t> parameter;
  std::uint32_t fault;
};

/// A row in the message of a failed test.
inline void PrintTo(const RandomCase& row, std::ostream* out) { *out << row.policy; }
inline void PrintTo(const OrderCase& row, std::ostream* out) { *out << row.policy; }
inline void PrintTo(const DetourCase& row, std::ostream* out) { *out << row.policy; }
inline void PrintTo(const GroupCase& row, std::ostream* out) { *out << row.policy; }
inline void PrintTo(const EqualPriceCase& row, std::ostream* out) { *out << row.policy; }
inline void PrintTo(const WaitCase& row, std::ostream* out) { *out << row.policy; }
inline void PrintTo(const TextCase& row, std::ostream* out) { *out << row.given; }
inline void PrintTo(const WrongTextCase& row, std::ostream* out) { *out << row.given; }
inline void PrintTo(const FaultCase& row, std::ostream* out) {
  *out << "policy " << int{row.number} << ", flags " << int{row.flags};
}

}  // namespace headstack::test
