// SPDX-License-Identifier: Apache-2.0
#include "host/cli/trace_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/cli/reading_options.hpp"
#include "host/traces/text_input.hpp"

namespace headstack::cli {
namespace {

using traces::Loop;
using traces::TraceReader;
using traces::TraceStatistics;

constexpr std::size_t kDevicesShown = 10;
constexpr std::size_t kNumbersShown = 16;  // most streams that are listed
constexpr std::uint64_t kPerMille[] = {500, 900, 990};

double seconds(Picoseconds time) { return to_ms(time) / 1000; }

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double percent(std::uint64_t part, std::uint64_t whole) { return 100 * ratio(part, whole); }

double mean_rate(const TraceStatistics& s) {
  const Picoseconds span = s.last_arrival - s.first_arrival;
  return span == 0 ? 0 : static_cast<double>(s.requests() - 1) / seconds(span);
}

std::string bytes_text(double bytes) {
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes)
                   : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string time_text(double ps) {
  struct Unit {
    double picoseconds;
    const char* name;
  };
  for (const Unit& unit : {Unit{1e12, "s"}, Unit{1e9, "ms"}, Unit{1e6, "us"}}) {
    if (ps >= unit.picoseconds) return fmt::format("{:.3g} {}", ps / unit.picoseconds, unit.name);
  }
  return fmt::format("{:.3g} us", ps / 1e6);
}

Json distribution_json(const traces::LogHistogram& values) {
  if (values.count() == 0) return nullptr;
  return {{"count", values.count()},          {"min_ps", values.smallest()},
          {"mean_ps", values.mean()},         {"p50_ps", values.percentile(500)},
          {"p90_ps", values.percentile(900)}, {"p99_ps", values.percentile(990)},
          {"max_ps", values.largest()}};
}

std::string distribution_text(const char* what, const traces::LogHistogram& values) {
  if (values.count() == 0) return "";
  std::string text = fmt::format("  {}: mean {}", what, time_text(values.mean()));
  for (const std::uint64_t per_mille : kPerMille) {
    text += fmt::format(", {} % within {}", per_mille / 10,
                        time_text(static_cast<double>(values.percentile(per_mille))));
  }
  return text + fmt::format(", at most {}\n", time_text(static_cast<double>(values.largest())));
}

Json sizes_json(const TraceStatistics& s) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < TraceStatistics::kSizeClasses; ++i) {
    if (s.sizes[i] == 0) continue;
    rows.push_back({{"from_blocks", std::uint64_t{1} << i},
                    {"to_blocks", (std::uint64_t{2} << i) - 1},
                    {"requests", s.sizes[i]}});
  }
  return rows;
}

std::string sizes_text(const TraceStatistics& s, std::uint32_t block_bytes) {
  constexpr double kBarWidth = 40;
  const std::uint64_t all = s.reads + s.writes;
  const std::uint64_t most = *std::max_element(s.sizes.begin(), s.sizes.end());
  std::string text;
  for (std::size_t i = 0; i < TraceStatistics::kSizeClasses; ++i) {
    if (s.sizes[i] == 0) continue;
    const auto width = static_cast<std::size_t>(std::lround(kBarWidth * ratio(s.sizes[i], most)));
    text += fmt::format("    from {:>10} {:>14} {:>6.2f} % {}\n",
                        bytes_text(static_cast<double>(std::uint64_t{block_bytes} << i)),
                        grouped(s.sizes[i]), percent(s.sizes[i], all), std::string(width, '#'));
  }
  return text.empty() ? text : "  sizes, each up to twice its beginning:\n" + text;
}

Json devices_json(const TraceReader& reader) {
  std::uint64_t all = 0;
  Json rows = Json::array();
  for (const traces::TraceDevice& device : reader.devices()) all += device.requests;
  for (const traces::TraceDevice& device : reader.devices()) {
    rows.push_back({{"name", device.name},
                    {"requests", device.requests},
                    {"share", ratio(device.requests, all)}});
  }
  return rows;
}

std::string verifies_text(const TraceStatistics& s) {
  return s.verifies == 0 ? "" : fmt::format(", {} verifies", grouped(s.verifies));
}

std::string options_text(const TraceStatistics& s) {
  std::string text;
  for (const auto& [word, count] : s.options) {
    text += fmt::format("{} {} {}", text.empty() ? "  options:" : ",", grouped(count), word);
  }
  return text.empty() ? text : text + '\n';
}

std::string urgency_text(const TraceStatistics& s) {
  std::string text;
  if (s.deadlines != 0 || s.real_time != 0) {
    text +=
        fmt::format("  with a deadline: {}; {} real-time, {} best-effort\n", grouped(s.deadlines),
                    grouped(s.real_time), grouped(s.requests() - s.real_time));
  }
  const auto add = [&text](const char* what, const std::map<unsigned, std::uint64_t>& counts) {
    if (counts.empty()) return;
    std::string row;
    std::size_t shown = 0;
    for (const auto& [number, count] : counts) {
      if (shown++ == kNumbersShown) break;
      row += fmt::format("{} {}: {}", row.empty() ? "" : ",", number, grouped(count));
    }
    text +=
        fmt::format("  {} {}{}:{}{}\n", grouped(counts.size()), what, counts.size() == 1 ? "" : "s",
                    row, counts.size() > kNumbersShown ? ", ... (--json has all)" : "");
  };
  add("stream", s.streams);
  add("priority level", s.priorities);
  return text;
}

Json counts_json(const std::map<unsigned, std::uint64_t>& counts) {
  Json json = Json::object();
  for (const auto& [number, count] : counts) json[std::to_string(number)] = count;
  return json;
}

std::string devices_text(const TraceReader& reader) {
  std::vector<traces::TraceDevice> devices = reader.devices();
  if (devices.empty()) return "";
  std::uint64_t all = 0;
  for (const traces::TraceDevice& device : devices) all += device.requests;
  std::stable_sort(devices.begin(), devices.end(),
                   [](const auto& a, const auto& b) { return a.requests > b.requests; });
  std::string text = fmt::format("  {} device{}:\n", grouped(devices.size()),
                                 devices.size() == 1 ? "" : "s, the busiest first");
  for (std::size_t i = 0; i < std::min(devices.size(), kDevicesShown); ++i) {
    text += fmt::format("    {:<16} {:>14} {:>6.2f} %\n", traces::printable(devices[i].name, 40),
                        grouped(devices[i].requests), percent(devices[i].requests, all));
  }
  if (devices.size() > kDevicesShown) text += "    ... (--json has all)\n";
  return text;
}

std::string counts_text(const TraceReader& reader) {
  const traces::TraceCounts counts = reader.counts();
  const std::string events = events_text(counts);
  std::string text = events.empty() ? "" : fmt::format("  events: {}\n", events);
  for (const auto& [name, count] : counts.skipped) {
    text += fmt::format("  passed over, no counterpart: {} '{}'\n", grouped(count), name);
  }
  for (const CountRow& row : count_rows()) {
    const std::string line = count_text(row, counts);
    if (!line.empty()) text += fmt::format("  {}\n", line);
  }
  if (counts.unended) text += "  the last line has no end: the file may be truncated\n";
  return text;
}

std::string rates_text(const TraceReader& reader, const TraceStatistics& s) {
  if (reader.header().loop != Loop::kOpen || s.requests() == 0) return "";
  return fmt::format("  arrivals from {:.6f} to {:.6f} s: {:.1f} a second, {} in the fullest\n",
                     seconds(s.first_arrival), seconds(s.last_arrival), mean_rate(s),
                     grouped(s.peak_second)) +
         distribution_text("gaps", s.gaps);
}

Json series_json(const traces::FoldingSeries& series) {
  return {{"width", series.axis().width()}, {"counts", series.counts()}};
}

Json grid_json(const traces::FoldingGrid& grid) {
  return {{"x_width", grid.x().width()},
          {"x_bins", grid.x().bins()},
          {"y_width", grid.y().width()},
          {"counts", grid.counts()}};
}

}  // namespace

Json trace_info_json(const TraceReader& reader, const TraceStatistics& s) {
  const traces::TraceHeader& header = reader.header();
  const traces::TraceCounts counts = reader.counts();
  Json skipped = Json::object();
  for (const auto& [name, count] : counts.skipped) skipped[name] = count;
  const std::uint64_t page_bytes = std::uint64_t{TraceStatistics::kPageBlocks} * header.block_bytes;
  Json json = {
      {"format", reader.format()},
      {"loop", to_string(header.loop)},
      {"block_bytes", header.block_bytes},
      {"source", header.source},
      {"requests", s.requests()},
      {"reads", s.reads},
      {"writes", s.writes},
      {"flushes", s.flushes},
      {"verifies", s.verifies},
      {"blocks", s.blocks_read + s.blocks_written},
      {"blocks_read", s.blocks_read},
      {"blocks_written", s.blocks_written},
      {"largest_request_blocks", s.largest},
      {"sizes", sizes_json(s)},
      {"end_lba", s.end_lba},
      {"sequential_requests", s.sequential},
      {"footprint_bytes", s.pages.count() * page_bytes},
      {"footprint_is_exact", s.pages.is_exact()},
      {"first_arrival_ps", s.first_arrival},
      {"last_arrival_ps", s.last_arrival},
      {"mean_requests_per_second", mean_rate(s)},
      {"fullest_second_requests", s.peak_second},
      {"gaps", distribution_json(s.gaps)},
      {"service", distribution_json(s.service)},
      {"think", distribution_json(s.think)},
      {"requests_with_deadline", s.deadlines},
      {"classes", {{"real-time", s.real_time}, {"best-effort", s.requests() - s.real_time}}},
      {"streams", counts_json(s.streams)},
      {"priorities", counts_json(s.priorities)},
      {"initiators", s.initiators},
      {"options", s.options},
      {"devices", devices_json(reader)},
      {"skipped", skipped}};
  for (const traces::EventCount& event : counts.events) {
    json["events"].push_back(
        {{"event", event.name}, {"count", event.count}, {"used", event.is_used}});
  }
  for (const CountRow& row : count_rows()) json[row.key] = counts.*row.count;
  json["last_line_unended"] = counts.unended;
  return json;
}

std::string trace_info_text(const std::string& file, const TraceReader& reader,
                            const TraceStatistics& s) {
  const traces::TraceHeader& header = reader.header();
  const std::uint64_t moving = s.reads + s.writes;
  const double block = header.block_bytes;
  std::string text = fmt::format("{}: {} reads, {} writes, {} flushes{}, {} loop (format {})\n",
                                 file, grouped(s.reads), grouped(s.writes), grouped(s.flushes),
                                 verifies_text(s), to_string(header.loop), reader.format());
  text += fmt::format("  {} blocks of {} bytes moved, {} in the largest request, below LBA {}\n",
                      grouped(s.blocks_read + s.blocks_written), header.block_bytes,
                      grouped(s.largest), grouped(s.end_lba));
  text += fmt::format("  {:.1f} % of the requests and {:.1f} % of the bytes are reads\n",
                      percent(s.reads, moving),
                      percent(s.blocks_read, s.blocks_read + s.blocks_written));
  text += fmt::format(
      "  {:.1f} % begin where the one before ended; {}{} in pages of 4 KiB touched\n",
      percent(s.sequential, moving), s.pages.is_exact() ? "" : "about ",
      bytes_text(static_cast<double>(s.pages.count()) * TraceStatistics::kPageBlocks * block));
  text += rates_text(reader, s);
  text += distribution_text("service", s.service);
  text += distribution_text("think", s.think);
  text += urgency_text(s);
  if (s.initiators > 1) text += fmt::format("  initiators: {}\n", grouped(s.initiators));
  text += options_text(s);
  text += sizes_text(s, header.block_bytes) + devices_text(reader) + counts_text(reader);
  if (!header.source.empty())
    text += fmt::format("  source: {}\n", traces::printable(header.source, 200));
  return text;
}

Json trace_plot_json(const std::string& file, const TraceReader& reader, const TraceStatistics& s) {
  Json json = trace_info_json(reader, s);
  json["file"] = file;
  json["read_rate"] = series_json(s.read_rate);
  json["write_rate"] = series_json(s.write_rate);
  json["read_places"] = grid_json(s.read_places);
  json["write_places"] = grid_json(s.write_places);
  json["gap_curve"] = s.gaps.cumulative();
  json["service_curve"] = s.service.cumulative();
  return json;
}

}  // namespace headstack::cli
