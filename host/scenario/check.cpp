// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/options/policy_option.hpp"
#include "host/reference/reference_scheduler.hpp"
#include "host/scenario/findings.hpp"
#include "host/scenario/words.hpp"
#include "sim/drive/text.hpp"

namespace headstack::scenario {
namespace {

/// A key that only some platforms have.
struct OfPlatforms {
  const char* key;
  bool is_given;
  std::vector<Platform> platforms;
};

std::vector<OfPlatforms> platform_keys(const Scenario& s) {
  const std::vector<Platform> rtl = {Platform::kRtl};
  const std::vector<Platform> cores = {Platform::kVp, Platform::kRtl};
  const std::vector<Platform> native = {Platform::kNative};
  return {
      {"platform.gating", !s.platform.gating, rtl},
      {"observe.waves.file", !s.observe.waves.file.empty(), rtl},
      {"observe.post_mortem", s.observe.post_mortem, rtl},
      {"platform.firmware", !s.platform.firmware.empty(), cores},
      {"observe.ledger", s.observe.ledger, cores},
      {"observe.accesses", s.observe.accesses, cores},
      {"observe.profile", s.observe.profile, cores},
      {"observe.snapshot_every", s.observe.snapshot_every.has_value(), cores},
      {"platform.ideal_electronics", s.platform.ideal_electronics, native},
      {"platform.access_price", s.platform.access_price.has_value(), native},
      {"platform.reference", !s.platform.reference.empty(), native},
  };
}

void check_platform(const Scenario& s, Purpose purpose, Findings& findings) {
  const Platform platform = platform_of(s);
  for (const OfPlatforms& row : platform_keys(s)) {
    const bool has_it =
        std::find(row.platforms.begin(), row.platforms.end(), platform) != row.platforms.end();
    std::vector<std::string> names;
    for (const Platform one : row.platforms) names.emplace_back(drive::name_of(kPlatforms, one));
    findings.add_if(row.is_given && !has_it, row.key,
                    fmt::format("does not work on {}", drive::name_of(kPlatforms, platform)),
                    fmt::format("set platform.kind to {}", fmt::join(names, " or ")));
  }
  findings.add_if(purpose == Purpose::kDebug && platform == Platform::kNative, "platform.kind",
                  "the debugger does not work on native", "set it to vp or rtl");
  findings.add_if(s.platform.access_price && s.platform.ideal_electronics, "platform.access_price",
                  "with ideal electronics an access takes no time", "leave one of them out");
  const std::string& reference = s.platform.reference;
  const std::vector<std::string> known = reference_scheduler::names();
  const bool is_known = std::find(known.begin(), known.end(), reference) != known.end();
  const bool is_python = reference.find(':') != std::string::npos;
  findings.add_if(!reference.empty() && !is_known && !is_python, "platform.reference",
                  fmt::format("'{}' is not known", reference), drive::suggest(reference, known));
  findings.add_if(!reference.empty() && s.settings.policy != Settings().policy,
                  "platform.reference", "chooses in place of a policy",
                  "leave settings.policy out");
  if (platform == Platform::kNative) return;
  for (const std::string& policy : s.settings.policy) {
    findings.add_error_of("settings.policy", [&] { options::check_on_core(policy); });
  }
}

void check_snapshots(const Scenario& s, Purpose purpose, Findings& findings) {
  const bool has_snapshots = wants_snapshots(s) || purpose == Purpose::kDebug;
  findings.add_if(!has_snapshots && s.observe.snapshots != Observe().snapshots, "observe.snapshots",
                  "there are none", "give observe.snapshot_every or observe.post_mortem");
  if (!has_snapshots) return;
  findings.add_if(s.load.trace == "-", "load.trace",
                  "standard input cannot be rewound to a snapshot", "name a file");
  findings.add_if(!s.observe.waves.file.empty(), "observe.waves.file",
                  "a wave file cannot be rewound to a snapshot",
                  "leave it or the snapshots out; a post-mortem has waves of its own");
  findings.add_if(s.observe.ledger, "observe.ledger", "does not go with snapshots",
                  "leave one of them out");
  findings.add_if(s.observe.accesses, "observe.accesses", "does not go with snapshots",
                  "leave one of them out");
  findings.add_if(!s.drive.media.empty(), "drive.media",
                  "a media file cannot be rewound to a snapshot",
                  "leave it, or observe.snapshot_every and observe.post_mortem out");
}

void check_observers(const Scenario& s, Findings& findings) {
  const Waves& waves = s.observe.waves;
  const std::pair<const char*, bool> of_waves[] = {
      {"observe.waves.windows", !waves.windows.empty()},
      {"observe.waves.on", !waves.on.empty()},
      {"observe.waves.after", waves.after != Waves().after},
  };
  for (const auto& [key, is_given] : of_waves) {
    findings.add_if(is_given && waves.file.empty(), key, "there are no waves",
                    "give observe.waves.file");
  }
  findings.add_if(s.observe.records == Records::kNone && !s.stop.fail_on.empty(), "stop.fail_on",
                  "judges records, and there are none", "set observe.records to summary");
}

void check_torture(const Scenario& s, Findings& findings) {
  findings.add_if(!s.faults.power_cut.empty(), "faults.power_cut", "torture cuts at every write",
                  "leave it out");
  findings.add_if(!s.drive.media.empty(), "drive.media",
                  "torture works on copies of media in memory", "leave it out");
  findings.add_if(wants_snapshots(s),
                  s.observe.post_mortem ? "observe.post_mortem" : "observe.snapshot_every",
                  "torture has no snapshots", "leave it out");
}

void check_faults(const Scenario& s, Purpose purpose, Findings& findings) {
  if (purpose == Purpose::kTorture) check_torture(s, findings);
  findings.add_if(s.faults.power_loss && s.faults.power_cut.empty() && purpose != Purpose::kTorture,
                  "faults.power_loss", "the power is not cut", "give faults.power_cut");
  findings.add_if(s.faults.power_again && s.faults.power_cut.empty(), "faults.power_again",
                  "there is no first cut", "give faults.power_cut");
}

}  // namespace

std::vector<Finding> check(const Scenario& scenario, Purpose purpose) {
  Findings findings;
  check_load(scenario, findings);
  check_hosts(scenario, findings);
  check_settings(scenario, findings);
  check_platform(scenario, purpose, findings);
  check_snapshots(scenario, purpose, findings);
  check_observers(scenario, findings);
  check_faults(scenario, purpose, findings);
  return findings.found;
}

}  // namespace headstack::scenario
