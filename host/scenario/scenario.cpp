// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/scenario.hpp"

#include <fmt/format.h>

#include "host/scenario/value_text.hpp"
#include "host/scenario/write.hpp"

namespace headstack::scenario {

Platform platform_of(const Scenario& scenario) {
  if (scenario.platform.kind) return *scenario.platform.kind;
  const bool asks_for_waves = !scenario.observe.waves.file.empty() || scenario.observe.post_mortem;
  return asks_for_waves || !scenario.platform.gating ? Platform::kRtl : Platform::kVp;
}

bool wants_snapshots(const Scenario& scenario) {
  return scenario.observe.snapshot_every.has_value() || scenario.observe.post_mortem;
}

std::string drive_keys(const Drive& drive) {
  std::string keys;
  if (!drive.design.toml.empty()) keys += fmt::format("design = {}\n", drive.design.toml);
  if (!drive.specimen.toml.empty()) keys += fmt::format("specimen = {}\n", drive.specimen.toml);
  return keys;
}

std::string stream_word(const Stream& stream) {
  std::string word;
  const auto add = [&word](const char* name, const std::string& value) {
    word += fmt::format("{}{}={}", word.empty() ? "" : ",", name, value);
  };
  if (stream.u) add("u", fmt::format("{:f}", *stream.u));
  if (stream.period) {
    const bool is_whole = *stream.period % kPicosecondsPerMillisecond == 0;
    add("p", is_whole ? fmt::format("{}ms", *stream.period / kPicosecondsPerMillisecond)
                      : time_text(*stream.period));
  }
  if (stream.share) add("share", std::to_string(*stream.share));
  if (stream.w) add("w", std::to_string(*stream.w));
  if (stream.k) add("k", std::to_string(*stream.k));
  return fmt::format("{}:{}", stream.number, word);
}

bool operator==(const Scenario& a, const Scenario& b) {
  return to_toml(a, Written::kAll) == to_toml(b, Written::kAll);
}

}  // namespace headstack::scenario
