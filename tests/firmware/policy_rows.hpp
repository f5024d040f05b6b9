// Tables of cases that policies' own test files (policies/NAME.cpp) add to: each file has its rows,
// and no list names the files.
//
//   const Rows<RandomCase> kRandom{{"Wscan", "wscan", as<reference::Wscan>()}, ...};
//
// A row's name (`what`) is that of its test, and begins with the policy's. test_policy_rows.cpp
// says which rows a policy must have. Rows are in the order in which files are linked, by name.
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

/// The reference of a selection: its class, whose constructor takes the drive, if it wants to know
/// it, and `options`.
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

/// What another row of RandomCase has: a selection that chooses as that policy does.
MakeReference as_policy(const char* policy);

/// Random queues that are served to the end while others arrive (test_policy_random.cpp): each
/// choice is the reference's.
struct RandomCase {
  const char* what;
  const char* policy;  // as on the command line
  MakeReference reference;
  std::size_t exact_up_to =
      SIZE_MAX;         // waiting; a policy that looks at no more may choose otherwise
  int queues = 10'000;  // fewer of options whose reference takes long
  std::vector<std::string> streams = {};  // as --stream has them
};

/// A queue on 100 cylinders, served to its end (test_policy_seek.cpp). Waits are half a turn,
/// wherever the heads are: the nearer a cylinder, the shorter its access.
struct OrderCase {
  const char* what;
  const char* policy;
  std::uint32_t heads_at;
  std::vector<std::uint32_t> arrivals;  // cylinders, oldest first
  std::vector<std::uint32_t> served;
};

/// Where the arm goes before it goes to the only one that waits (test_policy_seek.cpp).
struct DetourCase {
  const char* what;
  const char* policy;
  bool downward;  // it has turned before
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

/// A search that stops early, among cylinders 50 to 60: it must not stop before an older request of
/// the same price (test_policy_access.cpp).
struct EqualPriceCase {
  const char* what;
  const char* policy;
};

/// How many others go before a request at the most, whatever arrives (test_policy_waiting.cpp).
struct WaitCase {
  const char* what;
  const char* policy;
  std::uint64_t most;  // of kQueueThatWaits requests; 0: no promise
};
constexpr std::uint32_t kQueueThatWaits = 20;

/// A policy that sweeps: without arrivals it is done after one turn, or one jump to the lowest
/// (test_policy_waiting.cpp).
struct SweepCase {
  const char* policy;
  bool jumps;
};

/// A policy that goes by arrival itself: no two requests are equal to it, so that it need not serve
/// the oldest of those that are equal otherwise (test_policy_rows.cpp).
struct ByArrivalCase {
  const char* policy;
};

/// Words of --policy, and what they become on the scheduler mode page (test_policy_option.cpp).
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

/// Words of --policy that are refused, and a part of what is said then (test_policy_option.cpp).
struct WrongTextCase {
  const char* what;
  const char* given;
  const char* said;
};

/// A selection on the mode page, and what the firmware finds wrong (test_policy_option.cpp).
struct FaultCase {
  const char* what;
  std::uint8_t number;
  std::uint8_t flags;
  std::vector<std::uint32_t> parameter;
  std::uint32_t fault;
};

/// What a failed test says of its row.
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
