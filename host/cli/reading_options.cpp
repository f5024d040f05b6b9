#include "host/cli/reading_options.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "host/cli/validators.hpp"
#include "host/replay/trace_formats.hpp"
#include "sim/drive/text.hpp"

namespace headstack::cli {
namespace {

using replay::DeviceChoice;
using replay::ReadOptions;

constexpr int kBadLinesTold = 5;

void require_format(const std::string& name) {
  if (replay::find_format(name) != nullptr) return;
  std::vector<std::string> names;
  for (const replay::TraceFormat* format : replay::trace_formats()) names.push_back(format->name);
  throw replay::TraceError(
      fmt::format("there is no format '{}'; {}", name, drive::suggest(name, names)));
}

void skip_bad_lines(ReadOptions& options) {
  options.skip_bad = true;
  auto told = std::make_shared<int>(0);
  options.on_bad = [told](const std::string& error) {
    if (++*told <= kBadLinesTold) {
      fmt::print(stderr, "headstack: warning: left out: {}\n", error);
    } else if (*told == kBadLinesTold + 1) {
      fmt::print(stderr, "headstack: warning: further bad lines are counted only\n");
    }
  };
}

void warn(std::uint64_t count, const std::string& what) {
  if (count != 0) {
    fmt::print(stderr, "headstack: warning: {} request{} {}\n", count, count == 1 ? "" : "s", what);
  }
}

}  // namespace

void add_reading_options(CLI::App& app, ReadOptions& options, const std::string& format_flag) {
  app.add_option(format_flag, options.format,
                 "the trace's format, of `trace formats` (default: by content)")
      ->check(parsed_by(require_format));
  auto* device = app.add_option_function<std::string>(
      "--device",
      [&options](const std::string& name) {
        options.devices = DeviceChoice::kNamed;
        options.device = name;
      },
      "of a trace of several devices, read this one");
  app.add_flag_callback(
         "--all-devices", [&options] { options.devices = DeviceChoice::kAll; },
         "put the requests of all devices on the one drive; each device is an initiator")
      ->excludes(device);
  auto* skip = app.add_flag_callback(
      "--skip-bad", [&options] { skip_bad_lines(options); },
      "leave out lines that cannot be read, and count them");
  app.add_flag("--strict", "stop at the first line that cannot be read (the default)")
      ->excludes(skip);
  app.add_option("--sort-window", options.sort_window,
                 "put requests in order that are at most so many places too late (default: by "
                 "format)")
      ->transform(whole_number(0, replay::kLargestSortWindow));
}

void warn_of_counts(const replay::TraceReader& reader) {
  const replay::TraceCounts counts = reader.counts();
  for (const auto& [name, count] : counts.skipped) {
    warn(count, fmt::format("passed over as '{}': no counterpart", name));
  }
  warn(counts.widened, "widened to whole blocks of 512 bytes");
  warn(counts.moved, "came out of order, and are put in order");
  warn(counts.other_devices, "of other devices left out");
  if (counts.unended) {
    fmt::print(stderr, "headstack: warning: the last line has no end: is the file truncated?\n");
  }
  if (counts.bad != 0) {
    fmt::print(stderr, "headstack: warning: {} bad line{} left out\n", counts.bad,
               counts.bad == 1 ? "" : "s");
  }
}

}  // namespace headstack::cli
