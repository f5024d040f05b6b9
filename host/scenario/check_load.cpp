// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "firmware/queue/write_buffer.h"
#include "host/observe/host_tag.hpp"
#include "host/options/bus_option.hpp"
#include "host/options/cache_option.hpp"
#include "host/options/stream_option.hpp"
#include "host/options/time_range.hpp"
#include "host/options/write_threshold_option.hpp"
#include "host/scenario/findings.hpp"

namespace headstack::scenario {
namespace {

void check_sources(const Load& load, Findings& findings) {
  const std::pair<const char*, bool> sources[] = {{"load.trace", !load.trace.empty()},
                                                  {"load.requests", !load.requests.empty()},
                                                  {"load.synthetic", load.synthetic.has_value()}};
  const char* first = nullptr;
  for (const auto& [key, is_given] : sources) {
    if (!is_given) continue;
    if (first != nullptr) {
      findings.add_if(true, key, fmt::format("the requests come from {}, too", first),
                      "leave one of them out");
    }
    first = key;
  }
  findings.add_if(first == nullptr, "load", "there are no requests",
                  "give load.trace, load.synthetic or load.requests");
  const std::pair<const char*, bool> of_traces[] = {
      {"load.format", !load.format.empty()},
      {"load.device", !load.device.empty()},
      {"load.events", load.events.has_value()},
      {"load.on_bad", load.on_bad != OnBad::kStop},
      {"load.sort_window", load.sort_window.has_value()},
  };
  for (const auto& [key, is_given] : of_traces) {
    findings.add_if(is_given && first != nullptr && load.trace.empty(), key,
                    "says how a trace is read, and there is none", "leave it out");
  }
}

void check_times(const Load& load, Findings& findings) {
  findings.add_if(load.trace_end != 0 && load.map != traces::AddressMapping::kScale,
                  "load.trace_end", "is for scaled addresses alone", "set load.map to scale");
  findings.add_if(load.loop == Loop::kThink && load.speedup != 1, "load.speedup",
                  "divides arrival times, and this loop has none", "use load.think_scale");
  const bool has_think = load.loop == Loop::kTrace || load.loop == Loop::kThink;
  findings.add_if(load.think && !has_think, "load.think", "this loop has no think times",
                  "set load.loop to think");
  findings.add_if(load.think_scale != 1 && !has_think, "load.think_scale",
                  "this loop has no think times", "set load.loop to think");
  findings.add_if(
      load.limit != 0 && load.warm_up.requests >= load.limit, "load.warm_up",
      fmt::format("{} requests of {} leave none for records", load.warm_up.requests, load.limit),
      "reduce it, or raise load.limit");
}

void check_requests(const std::vector<InlineRequest>& requests, Findings& findings) {
  const auto arrives = [](const InlineRequest& request) { return request.arrival.has_value(); };
  const auto with = std::count_if(requests.begin(), requests.end(), arrives);
  const bool is_mixed = with != 0 && with != static_cast<std::ptrdiff_t>(requests.size());
  findings.add_if(is_mixed, "load.requests", "some rows have an arrival, and others have none",
                  "give it in all of them, or in none");
  const bool is_sorted =
      is_mixed ||
      std::is_sorted(requests.begin(), requests.end(), [](const auto& a, const auto& b) {
        return a.arrival.value_or(0) < b.arrival.value_or(0);
      });
  findings.add_if(!is_sorted, "load.requests", "arrivals are out of order", "sort the rows");
}

void check_synthetic(const Synthetic& s, Findings& findings) {
  findings.add_if(s.blocks.empty(), "load.synthetic.blocks", "the list is empty",
                  "give a length, such as 8");
  const auto largest = std::max_element(s.blocks.begin(), s.blocks.end());
  findings.add_if(s.span != 0 && largest != s.blocks.end() && *largest > s.span,
                  "load.synthetic.blocks", "a request is larger than the span",
                  "raise load.synthetic.span");
  findings.add_if(s.streams != 0 && s.deadline.empty(), "load.synthetic.streams",
                  "streams need deadlines", "give load.synthetic.deadline");
  findings.add_if(!s.priorities.empty() && s.streams == 0, "load.synthetic.priorities",
                  "priorities need streams", "give load.synthetic.streams");
  findings.add_if(s.best_effort_share != 0 && s.deadline.empty(),
                  "load.synthetic.best_effort_share", "no request has a deadline",
                  "give load.synthetic.deadline");
}

struct EachNth {
  const char* key;
  std::uint64_t value;
};

/// If several tags apply to one request, the first counts. It hides a later tag whose number is a
/// multiple of its own.
void check_tags(const Every& every, Findings& findings) {
  const EachNth tags[] = {{"hosts.every.untagged", every.untagged},
                          {"hosts.every.head_of_queue", every.head_of_queue},
                          {"hosts.every.ordered", every.ordered}};
  for (const EachNth& stronger : tags) {
    for (const EachNth* weaker = &stronger + 1; weaker != std::end(tags); ++weaker) {
      const bool hides =
          stronger.value != 0 && weaker->value != 0 && weaker->value % stronger.value == 0;
      findings.add_if(hides, weaker->key,
                      fmt::format("{} selects each {}th request, too, and counts first",
                                  stronger.key, weaker->value),
                      fmt::format("give a number that is no multiple of {}", stronger.value));
    }
  }
}

void check_changes(const Scenario& s, Findings& findings) {
  struct Change {
    const char* every;
    bool is_asked_for;
    const char* values;
    std::size_t count;
  };
  const Change changes[] = {
      {"hosts.every.policy", !s.hosts.every.policy.empty(), "settings.policy",
       s.settings.policy.size()},
      {"hosts.every.cache", !s.hosts.every.cache.empty(), "settings.cache",
       s.settings.cache.size()},
      {"hosts.every.map", !s.hosts.every.map.empty(), "remap.use", s.remap.use.size()},
  };
  for (const Change& change : changes) {
    findings.add_if(change.is_asked_for && change.count < 2, change.every,
                    fmt::format("sets the next of several, and {} has one", change.values),
                    fmt::format("give {} a list", change.values));
    findings.add_if(!change.is_asked_for && change.count > 1, change.values,
                    "several of them are set in turn", fmt::format("give {}", change.every));
  }
}

}  // namespace

void check_load(const Scenario& scenario, Findings& findings) {
  check_sources(scenario.load, findings);
  check_times(scenario.load, findings);
  check_requests(scenario.load.requests, findings);
  if (scenario.load.synthetic) check_synthetic(*scenario.load.synthetic, findings);
}

void check_hosts(const Scenario& scenario, Findings& findings) {
  const Hosts& hosts = scenario.hosts;
  const bool is_narrow = !options::parse_bus(hosts.bus).agreement.wide;
  findings.add_if(hosts.number > observe::kMostHostsNarrow && is_narrow, "hosts.number",
                  fmt::format("{} on a narrow bus, which has ids for {}", hosts.number,
                              observe::kMostHostsNarrow),
                  "set hosts.bus to fast-wide");
  check_tags(hosts.every, findings);
  check_changes(scenario, findings);
}

void check_settings(const Scenario& scenario, Findings& findings) {
  const Settings& settings = scenario.settings;
  findings.add_if(settings.policy.empty(), "settings.policy", "the list is empty", "name one");
  findings.add_if(settings.cache.empty(), "settings.cache", "the list is empty", "give \"off\"");
  findings.add_if(
      settings.cdl_policy != CdlPolicy::kComplete && settings.deadlines != Deadlines::kCdl,
      "settings.cdl_policy", "there are no duration limits", "set settings.deadlines to cdl");
  findings.add_error_of("settings.streams", [&settings] {
    std::vector<std::string> words;
    for (const Stream& stream : settings.streams) words.push_back(stream_word(stream));
    (void)options::parse_streams(words);
  });
  const bool has_threshold =
      options::parse_write_threshold(settings.write_threshold).threshold != WRITE_THRESHOLD_NONE;
  const bool buffers_writes =
      std::any_of(settings.cache.begin(), settings.cache.end(), [](const std::string& cache) {
        return options::parse_cache(cache).use == options::CacheUse::kReadWrite;
      });
  findings.add_if(has_threshold && !buffers_writes, "settings.write_threshold",
                  "is about writes that are reported from the buffer, and none are",
                  "set settings.cache to read-write");
  const Remap& remap = scenario.remap;
  findings.add_if(remap.maps.size() > 2, "remap.maps", "the drive has room for two maps",
                  "leave some out");
  const bool moves = !remap.maps.empty() || !remap.use.empty();
  const std::pair<const char*, bool> of_moves[] = {
      {"remap.share_percent", remap.share_percent != Remap().share_percent},
      {"remap.idle_ms", remap.idle_ms != Remap().idle_ms},
      {"remap.settled", remap.settled}};
  for (const auto& [key, is_given] : of_moves) {
    findings.add_if(is_given && !moves, key, "no block moves", "give remap.maps or remap.use");
  }
}

}  // namespace headstack::scenario
