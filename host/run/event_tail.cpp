// SPDX-License-Identifier: Apache-2.0
#include "host/run/event_tail.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/observe/event_text.hpp"
#include "host/options/event_names.hpp"
#include "sim/soc/core_access.hpp"

namespace headstack::run {

void EventTail::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  events_[count_++ % kEvents] = {edge, number, argument};
}

Picoseconds EventTail::last_at() const {
  return count_ == 0 ? 0 : soc::time_of_edge(events_[(count_ - 1) % kEvents].edge);
}

std::vector<EventTail::Line> EventTail::lines() const {
  std::vector<Line> lines;
  for (std::size_t i = count_ - std::min(count_, kEvents); i < count_; ++i) {
    const Event& event = events_[i % kEvents];
    if (!lines.empty() && lines.back().first.number == event.number &&
        lines.back().first.argument == event.argument) {
      lines.back().last_edge = event.edge;
      ++lines.back().count;
    } else {
      lines.push_back({event, event.edge, 1});
    }
  }
  return lines;
}

std::string EventTail::text_of(const Line& line) {
  std::string text =
      fmt::format("{:>14.6f} ms  edge {:<12} {:<18} {}", to_ms(soc::time_of_edge(line.first.edge)),
                  line.first.edge, options::event_name(line.first.number),
                  observe::event_argument_text(line.first.number, line.first.argument));
  if (line.count > 1) {
    text += fmt::format("  x {} times, the last at {:.6f} ms", line.count,
                        to_ms(soc::time_of_edge(line.last_edge)));
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string EventTail::around(Picoseconds at) const {
  const std::vector<Line> all = lines();
  const auto first_from = [&all](Picoseconds time) {
    return std::partition_point(all.begin(), all.end(), [time](const Line& line) {
      return soc::time_of_edge(line.last_edge) < time;
    });
  };
  // If there are many events, the last before `at` are shown, and the first after it.
  constexpr std::ptrdiff_t kMost = kLines;
  constexpr std::ptrdiff_t kMostBefore = kMost * 3 / 5;
  const auto here = first_from(at);
  const std::ptrdiff_t behind = all.end() - here;
  const std::ptrdiff_t before = std::max(kMostBefore, kMost - behind);
  auto begin =
      std::max(first_from(at - kPostMortemLead), here - std::min(before, here - all.begin()));
  // If few events precede the failure within that time, earlier ones are shown, too.
  if (here - begin < before && behind + (here - begin) < kMost) {
    begin = here - std::min(here - all.begin(), kMost - behind);
  }
  std::string text;
  for (auto line = begin; line != all.end() && line - begin < kMost; ++line) text += text_of(*line);
  return text;
}

}  // namespace headstack::run
