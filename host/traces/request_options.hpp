// SPDX-License-Identifier: Apache-2.0
// How a host sends a request: queue tag, bits of the CDB, privilege to disconnect, and an act of
// the host soon after. In a trace it is the column `options`: words joined by +, or - for none
// (traces/README.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/units.hpp"

namespace headstack::traces {

enum class Operation;

/// How a command is tagged in the queue (SCSI-2 7.8).
enum class Tagging : std::uint8_t { kSimple, kOrdered, kHeadOfQueue, kUntagged };

/// What a host does some time after it has sent a request.
enum class Act : std::uint8_t {
  kNone,
  kAbort,        // aborts the request if it is outstanding: ABORT TAG, or ABORT without a tag
  kClearQueue,   // sends CLEAR QUEUE
  kDeviceReset,  // sends BUS DEVICE RESET
  kBusReset,     // asserts RST
};
const char* to_string(Act act);  // such as "device-reset"

struct RequestOptions {
  static constexpr std::uint8_t kUsualCdbBytes = 10;

  Tagging tagging = Tagging::kSimple;
  bool force_unit_access = false;           // bit FUA of the CDB
  bool disable_page_out = false;            // bit DPO of the CDB
  bool keeps_bus = false;                   // IDENTIFY without the privilege to disconnect
  std::uint8_t cdb_bytes = kUsualCdbBytes;  // 6, 10 or 16; 10 becomes 6 if that suffices
  Act act = Act::kNone;
  Picoseconds act_delay = 0;  // time from the issue to the act

  friend bool operator==(const RequestOptions& a, const RequestOptions& b) {
    const auto fields = [](const RequestOptions& o) {
      return std::tie(o.tagging, o.force_unit_access, o.disable_page_out, o.keeps_bus, o.cdb_bytes,
                      o.act, o.act_delay);
    };
    return fields(a) == fields(b);
  }
  friend bool operator!=(const RequestOptions& a, const RequestOptions& b) { return !(a == b); }
};

/// The problem of an option, and the remedy.
struct OptionProblem {
  std::string problem;
  std::string remedy;
};

/// Adds a word of a request's options, such as `untagged`, or `abort` with the time as `delay`.
/// `delay` is given exactly if the word's value is a time; other values are part of `word`. @return
/// nothing if the word is valid.
std::optional<OptionProblem> add_option_word(std::string_view word,
                                             std::optional<Picoseconds> delay,
                                             RequestOptions& options);
/// Whether this word has a time as its value, after a =.
bool takes_time(std::string_view word);

/// Finds options that a request of this kind cannot have.
std::optional<OptionProblem> find_contradiction(Operation operation, const RequestOptions& options);

/// The words for options other than the defaults, without times, such as {"ordered", "abort"}.
std::vector<std::string_view> words_of(const RequestOptions& options);

/// The options as text, such as "ordered+fua+abort=2.5", with the time as `time_text` writes it.
/// "-" means none.
std::string options_text(const RequestOptions& options, std::string (*time_text)(Picoseconds));

/// The list of all words, for an error's remedy: "ordered, head-of-queue, ...".
std::string option_words();

}  // namespace headstack::traces
