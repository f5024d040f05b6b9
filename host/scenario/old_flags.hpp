// SPDX-License-Identifier: Apache-2.0
// Former flags of `headstack run`, and the scenario key or flag that replaces each.
#pragma once

#include <string>
#include <vector>

namespace headstack::scenario {

enum class Fate : std::uint8_t {
  kKey,      // a key of the scenario
  kStays,    // still a flag of `headstack run`
  kTorture,  // a flag of `headstack torture`
  kDebug,    // a flag of `headstack debug`
  kGone,     // no replacement
};

struct OldFlag {
  std::string name;  // the flag, such as "--queue-depth"
  Fate fate = Fate::kKey;
  std::vector<std::string> keys;  // paths of the keys, for kKey
  std::string note;               // additional remark, or ""
};

/// All former flags, each once: those of the schema first, in its order.
const std::vector<OldFlag>& old_flags();

/// Error sentence for a former flag, as in "--queue-depth: is a key now; write hosts.depth=VALUE".
/// It is "" for any other word.
std::string old_flag_sentence(const std::string& flag);

}  // namespace headstack::scenario
