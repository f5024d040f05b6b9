// The command line's words for a scheduling policy: NAME[:KEY=VALUE|FLAG,...].
//
// What there is to name is in the firmware's own table (firmware/queue/policy.h); nothing is
// listed here.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "firmware/queue/policy_table.h"

namespace headstack::options {

/// What is wrong, and what would be right: a sentence.
struct PolicyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "gstf:group=210,frozen". Throws PolicyError: unknown policy, key or flag; a value that is not a
/// number, out of range, or finer than the parameter; a word given twice; two that exclude each
/// other.
::policy_selection parse_policy(const std::string& text);

/// The canonical form, with the value of every parameter that has a meaning: parameters, then
/// flags, in the order of the table. parse_policy() of it is the same on a drive of so many
/// cylinders.
std::string policy_text(const ::policy_selection& selection, std::uint32_t cylinders);

/// One line for each policy: its words, their ranges and initial values, and what it does.
std::string policy_list();

}  // namespace headstack::options
