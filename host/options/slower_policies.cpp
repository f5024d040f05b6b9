// SPDX-License-Identifier: Apache-2.0
#include "host/options/slower_policies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace headstack::options {

const std::vector<SlowerLoad>& slower_loads() {
#define SLOWER(policy, kind, percent) SlowerLoad{policy, kind, percent},
  static const std::vector<SlowerLoad> loads = {
#include "host/options/slower_policies.def"
  };
#undef SLOWER
  return loads;
}

std::vector<SlowerLoad> slower_loads_of(const std::string& policy) {
  std::vector<SlowerLoad> found;
  std::copy_if(slower_loads().begin(), slower_loads().end(), std::back_inserter(found),
               [&policy](const SlowerLoad& one) { return one.policy == policy; });
  return found;
}

std::string slower_text(const std::string& policy) {
  std::vector<std::string> words;
  for (const SlowerLoad& one : slower_loads_of(policy)) {
    words.push_back(fmt::format("{} (up to +{} %)", one.kind, one.percent));
  }
  return words.empty() ? "" : fmt::format("may be slower than fcfs: {}", fmt::join(words, ", "));
}

}  // namespace headstack::options
