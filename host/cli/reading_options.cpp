// SPDX-License-Identifier: Apache-2.0
#include "host/cli/reading_options.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "host/cli/validators.hpp"
#include "host/output/message.hpp"
#include "host/traces/trace_formats.hpp"
#include "sim/drive/text.hpp"

namespace headstack::cli {
namespace {

using traces::DeviceChoice;
using traces::ReadOptions;

constexpr int kBadLinesTold = 5;

void require_format(const std::string& name) {
  if (traces::find_format(name) != nullptr) return;
  std::vector<std::string> names;
  for (const traces::TraceFormat* format : traces::trace_formats())
    names.emplace_back(format->name);
  throw traces::TraceError(
      fmt::format("there is no format '{}'; {}", name, drive::suggest(name, names)));
}

std::string counted(std::uint64_t count, const char* thing, const std::string& what) {
  return fmt::format("{} {}{} {}", count, thing, count == 1 ? "" : "s", what);
}

}  // namespace

void skip_bad_lines(ReadOptions& options) {
  options.skip_bad = true;
  auto told = std::make_shared<int>(0);
  options.on_bad = [told](const std::string& error) {
    if (++*told <= kBadLinesTold) {
      output::say("headstack: warning: left out: {}\n", error);
    } else if (*told == kBadLinesTold + 1) {
      output::say("headstack: warning: further bad lines are counted only\n");
    }
  };
}

std::string events_text(const traces::TraceCounts& counts) {
  std::string text;
  for (const traces::EventCount& event : counts.events) {
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", event.count, event.name,
                        event.is_used ? " used" : "");
  }
  return text;
}

const std::vector<CountRow>& count_rows() {
  using Counts = traces::TraceCounts;
  static const std::vector<CountRow> rows = {
      {"widened", &Counts::widened, "request", "widened to whole blocks of 512 bytes"},
      {"put_in_order", &Counts::moved, "request", "sorted: their lines were out of order"},
      {"other_devices", &Counts::other_devices, "request", "of other devices left out"},
      {"ends_before_issue", &Counts::early_ends, "end",
       "of requests left out: completed or requeued before they were issued"},
      {"ends_without_request", &Counts::unmatched_ends, "end",
       "of requests left out: the requests came before the trace began, or outside the sort "
       "window"},
      {"services_too_long", &Counts::overlong, "service time", "of more than 30 days left out"},
      {"bad_lines", &Counts::bad, "bad line", "left out"},
  };
  return rows;
}

std::string count_text(const CountRow& row, const traces::TraceCounts& counts) {
  const std::uint64_t count = counts.*row.count;
  return count == 0 ? "" : counted(count, row.thing, row.what);
}

void add_reading_options(CLI::App& app, ReadOptions& options) {
  app.add_option("--from", options.format,
                 "trace format, a name in `trace formats` (default: detected from the content)")
      ->check(parsed_by(require_format));
  auto* device = app.add_option_function<std::string>(
      "--device",
      [&options](const std::string& name) {
        options.devices = DeviceChoice::kNamed;
        options.device = name;
      },
      "name of the device in the trace whose requests are read");
  app.add_flag_callback(
         "--all-devices", [&options] { options.devices = DeviceChoice::kAll; },
         "replay the requests of all devices on the one drive, each device as an initiator of its "
         "own")
      ->excludes(device);
  auto* skip = app.add_flag_callback(
      "--skip-bad", [&options] { skip_bad_lines(options); },
      "skip lines that cannot be read, and count them");
  app.add_flag("--strict", "stop at the first line that cannot be read (default)")->excludes(skip);
  app.add_option("--sort-window", options.sort_window,
                 "number of places by which requests may be out of order and are still sorted by "
                 "time (default: the format's)")
      ->transform(whole_number(0, traces::kLargestSortWindow));
  app.add_option_function<std::string>(
         "--events",
         [&options](const std::string& word) {
           options.events =
               word == "queue" ? traces::BlockEvent::kQueue : traces::BlockEvent::kIssue;
         },
         "blktrace or blkparse event that counts as a request: issue (D, to the driver) or queue "
         "(Q, by programs)")
      ->default_str("issue")
      ->check(CLI::IsMember({"issue", "queue"}));
  options.allow_empty = false;
  app.add_flag("--allow-empty", options.allow_empty,
               "an empty trace or measurement is not an error");
}

void warn_of_counts(const traces::TraceReader& reader) {
  const traces::TraceCounts counts = reader.counts();
  for (const auto& [name, count] : counts.skipped) {
    output::say(
        "headstack: warning: {}\n",
        counted(count, "request", fmt::format("passed over as '{}': no counterpart", name)));
  }
  for (const CountRow& row : count_rows()) {
    const std::string text = count_text(row, counts);
    if (!text.empty()) output::say("headstack: warning: {}\n", text);
  }
  if (counts.unended) {
    output::say("headstack: warning: the last line has no end: is the file truncated?\n");
  }
}

}  // namespace headstack::cli
