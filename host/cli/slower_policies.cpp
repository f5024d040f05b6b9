// SPDX-License-Identifier: Apache-2.0
#include "host/cli/slower_policies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace headstack::cli {
namespace {

#define SLOWER(policy, load, percent) SlowerLoad{policy, load, percent},
const std::vector<SlowerLoad> kLoads = {
#include "host/cli/slower_policies.def"
};
#undef SLOWER

}  // namespace

std::vector<SlowerLoad> slower_loads_of(const std::string& policy) {
  std::vector<SlowerLoad> found;
  std::copy_if(kLoads.begin(), kLoads.end(), std::back_inserter(found),
               [&policy](const SlowerLoad& one) { return one.policy == policy; });
  return found;
}

std::string slower_text(const std::string& policy) {
  std::vector<std::string> words;
  for (const SlowerLoad& one : slower_loads_of(policy)) {
    words.push_back(fmt::format("{} (+{} %)", one.load, one.percent));
  }
  return words.empty() ? "" : fmt::format("may be slower than fcfs: {}", fmt::join(words, "; "));
}

}  // namespace headstack::cli
