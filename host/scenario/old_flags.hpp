// SPDX-License-Identifier: Apache-2.0
// The flags that `headstack run` had before scenarios, and what replaces each.
#pragma once

#include <string>
#include <vector>

namespace headstack::scenario {

enum class Fate : std::uint8_t {
  kKey,      // a key of the scenario
  kStays,    // a flag still
  kTorture,  // a flag of `headstack torture`
  kDebug,    // a flag of `headstack debug`
  kGone,     // nothing takes its place
};

struct OldFlag {
  std::string name;  // "--queue-depth"
  Fate fate = Fate::kKey;
  std::vector<std::string> keys;  // kKey: paths
  std::string note;               // what else there is to say; ""
};

/// Each flag once: those of the schema first, in its order.
const std::vector<OldFlag>& old_flags();

/// "--queue-depth: is a key now; write hosts.depth=VALUE" for a flag of the table that has gone, ""
/// for another word.
std::string old_flag_sentence(const std::string& flag);

}  // namespace headstack::scenario
