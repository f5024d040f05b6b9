// SPDX-License-Identifier: Apache-2.0
// The flags that `headstack run` had before scenarios, and the settings that replace them.
#pragma once

#include <string>
#include <vector>

namespace headstack::scenario {

enum class Fate : std::uint8_t {
  kKey,      // a key of the scenario
  kStays,    // a flag still: where results go
  kTorture,  // a flag of `headstack torture`
  kDebug,    // a flag of `headstack debug`
  kGone,     // nothing takes its place
};

struct OldFlag {
  std::string name;  // "--queue-depth"
  Fate fate = Fate::kKey;
  bool takes_value = true;
  std::vector<std::string> keys;  // kKey: paths
  std::string note;               // what else there is to say; ""
};

/// Each flag once: those of the schema first, in its order.
const std::vector<OldFlag>& old_flags();

/// "--queue-depth: is now the key hosts.depth; write depth=N"-style sentence for a flag of the
/// table, "" for another word.
std::string old_flag_sentence(const std::string& flag);

struct OldWords {
  std::vector<std::string> settings;  // KEY=VALUE, in the order of the schema
  std::vector<std::string> others;    // words of flags that are no keys, as they were
  std::vector<std::string> notes;     // sentences about flags whose meaning has changed
};

/// Translates the words of an old command line. A line without --platform meant rtl; the default of
/// a scenario is vp, so give the flag. Throws drive::FileError for an unknown flag, a flag without
/// its value, and what a scenario cannot say.
OldWords settings_of_flags(const std::vector<std::string>& words);

}  // namespace headstack::scenario
