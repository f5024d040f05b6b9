// SPDX-License-Identifier: Apache-2.0
// Sense data: why a command ended with CHECK CONDITION, in the standard's numbers and words.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

namespace headstack::report {

struct Sense {
  std::uint8_t key = 0;   // sense key (SCSI-2 table 69)
  std::uint8_t code = 0;  // additional sense code (SPC-2 annex C.2)
  std::uint8_t qualifier = 0;
  bool is_deferred = false;  // about an earlier command that ended with GOOD (8.2.14.2)

  friend bool operator<(const Sense& a, const Sense& b) {
    return std::tie(a.key, a.code, a.qualifier, a.is_deferred) <
           std::tie(b.key, b.code, b.qualifier, b.is_deferred);
  }
  friend bool operator==(const Sense& a, const Sense& b) { return !(a < b) && !(b < a); }
};

/// The numbers as in records.csv: "4/02/00", or "4/03/00 deferred" for a deferred error.
std::string to_string(const Sense& sense);

/// The meaning of the codes, such as "no seek complete". For a code without words here, the sense
/// key's name.
std::string words_of(const Sense& sense);

/// The name of a status other than GOOD, such as "CHECK CONDITION".
std::string status_name(std::uint8_t status);

}  // namespace headstack::report
