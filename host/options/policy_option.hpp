// SPDX-License-Identifier: Apache-2.0
// The command line's words for a scheduling policy: NAME[:KEY=VALUE|FLAG,...].
//
// Policies and their parameters are in the firmware's own table (firmware/queue/policy.h); none are
// listed here.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "firmware/queue/policy_table.h"

namespace headstack::options {

/// An error with a sentence: what is wrong, and what would be right.
struct PolicyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses a text such as "gstf:group=210,frozen". Throws PolicyError for an unknown policy, key or
/// flag. It also throws for a value that is not a number, out of range, or finer than the
/// parameter. A word given twice is an error, and so are two that exclude each other.
::policy_selection parse_policy(const std::string& text);

/// Whether the policy's choices depend on deadlines, according to its text in the table.
bool goes_by_deadlines(const ::policy& policy);

/// The parts of the text "UNIT: MEANING" in the firmware's table, such as "ms: length of a round".
/// The unit of a plain number is empty.
std::string unit_of(const ::policy_parameter& parameter);
std::string meaning_of(const ::policy_parameter& parameter);

/// The largest value of the parameter on rtl and vp. Their core has less memory than `native`,
/// whose limits parse_policy() checks.
std::uint32_t maximum_on_core(const ::policy_parameter& parameter);

/// Throws PolicyError for a value in such a text that only `native` has memory for.
void check_on_core(const std::string& text);

/// The canonical text, with the value of every parameter that has an effect: parameters, then
/// flags, in the order of the table. parse_policy() of it gives the same selection on a drive with
/// as many cylinders.
std::string policy_text(const ::policy_selection& selection, std::uint32_t cylinders);

/// Help text: one line for each policy, with what it does, its words, their ranges and initial
/// values. `remark` gives a last line for a policy's name, or an empty text.
std::string policy_list(const std::function<std::string(const char*)>& remark = {});

}  // namespace headstack::options
