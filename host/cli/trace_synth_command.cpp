// SPDX-License-Identifier: Apache-2.0
// `headstack trace synth`: makes a synthetic trace in headstack's own format.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "host/cli/trace_output.hpp"
#include "host/cli/trace_subcommands.hpp"
#include "host/cli/validators.hpp"
#include "host/options/catalog.hpp"
#include "host/options/time_range.hpp"
#include "host/options/wave_window.hpp"
#include "host/traces/synth.hpp"
#include "host/traces/trace_formats.hpp"
#include "sim/geometry/geometry.hpp"

namespace headstack::cli {
namespace {

using traces::SynthArrivals;
using traces::SynthOptions;
using traces::SynthPattern;
using traces::TraceError;

constexpr std::uint64_t kMostRequests = 1'000'000'000'000;
constexpr std::size_t kMostSizes = 1000;
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 48;

const std::map<std::string, SynthPattern> kPatterns = {{"uniform", SynthPattern::kUniform},
                                                       {"zipf", SynthPattern::kZipf},
                                                       {"sequential", SynthPattern::kSequential},
                                                       {"mixed", SynthPattern::kMixed},
                                                       {"realtime", SynthPattern::kRealtime}};
const std::map<std::string, SynthArrivals> kArrivals = {{"poisson", SynthArrivals::kPoisson},
                                                        {"bursty", SynthArrivals::kBursty},
                                                        {"closed", SynthArrivals::kClosed},
                                                        {"think", SynthArrivals::kThink}};

struct SynthCommand {
  OutputOptions output;
  SynthOptions synth;
  std::uint64_t count = 1000;
  std::uint64_t capacity = 0;
  std::string drive;
  std::string range;
  std::string sizes = "8";
  std::vector<std::string> with;
  std::string on_time = "100ms", off_time = "400ms", think = "10ms", period = "100ms", deadline;
  std::string slack;
};

std::uint64_t number_of(std::string_view text, std::uint64_t most, const std::string& error) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value > most) {
    throw TraceError(error);
  }
  return value;
}

/// Parses sizes: BLOCKS[:WEIGHT],...
std::vector<traces::SizeWeight> parse_sizes(const std::string& text) {
  const std::string error =
      fmt::format("'{}' is not a list of sizes: give BLOCKS[:WEIGHT],... with whole numbers", text);
  std::vector<traces::SizeWeight> sizes;
  std::string_view rest = text;
  while (sizes.size() < kMostSizes) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    const std::size_t colon = std::min(part.find(':'), part.size());
    const std::uint64_t blocks = number_of(part.substr(0, colon), traces::kMostBlocks, error);
    const std::uint64_t weight =
        colon == part.size() ? 1 : number_of(part.substr(colon + 1), 1'000'000'000, error);
    if (blocks == 0 || weight == 0) throw TraceError(error);
    sizes.push_back({static_cast<std::uint32_t>(blocks), static_cast<double>(weight)});
    if (comma == rest.size()) return sizes;
    rest.remove_prefix(comma + 1);
  }
  throw TraceError(error);
}

/// Parses a range A..B: blocks A to B - 1.
std::pair<std::uint64_t, std::uint64_t> parse_range(const std::string& text) {
  const std::string error = fmt::format("'{}' is not a range of blocks: give FIRST..END", text);
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) throw TraceError(error);
  const std::string_view view = text;
  const std::uint64_t begin = number_of(view.substr(0, dots), kMostBlocks, error);
  const std::uint64_t end = number_of(view.substr(dots + 2), kMostBlocks, error);
  if (end <= begin) throw TraceError(error);
  return {begin, end};
}

/// Parses a time above 0. Throws as the other parsers do.
Picoseconds parse_span(const std::string& text) {
  const Picoseconds span = options::parse_time(text);
  if (span == 0) throw TraceError(fmt::format("'{}' is not a time: give more than 0", text));
  if (span > traces::kLongestTime) throw TraceError(fmt::format("'{}' is over 30 days", text));
  return span;
}

/// Parses WORD:SHARE, or WORD=TIME:SHARE, or WORD=TIME..TIME:SHARE.
traces::OptionShare parse_with(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    throw TraceError(fmt::format("'{}' has no share: give WORD:SHARE, as in ordered:0.1", text));
  }
  traces::OptionShare option;
  const std::string share = text.substr(colon + 1);
  const auto number = decimal_number(share);
  if (!number || *number < 0 || *number > 1) {
    throw TraceError(fmt::format("'{}' is not a share: give a number from 0 to 1", share));
  }
  option.share = *number;
  option.word = text.substr(0, colon);
  const std::size_t equals = option.word.find('=');
  const std::string name = option.word.substr(0, equals);
  if (traces::takes_time(name) && equals != std::string::npos) {
    const options::TimeRange delay = options::parse_time_range(option.word.substr(equals + 1));
    option.earliest = delay.earliest;
    option.latest = delay.latest;
    option.word = name;
  }
  traces::RequestOptions tried;
  if (const auto problem = traces::add_option_word(option.word, option.earliest, tried)) {
    throw TraceError(fmt::format("{}; {}", problem->problem, problem->remedy));
  }
  return option;
}

/// Rejects options without effect, since their user would expect properties that the trace does not
/// have.
void require_effect(const CLI::App& app, const SynthCommand& command) {
  const SynthPattern pattern = command.synth.pattern;
  const SynthArrivals arrivals = command.synth.arrivals;
  const bool zipf = pattern == SynthPattern::kZipf, mixed = pattern == SynthPattern::kMixed;
  const bool realtime = pattern == SynthPattern::kRealtime;
  const bool sequential = pattern == SynthPattern::kSequential;
  const bool bursty = !realtime && arrivals == SynthArrivals::kBursty;
  const struct {
    const char* option;
    bool has_effect;
    const char* needs;
  } rules[] = {
      {"--theta", zipf, "--pattern zipf"},
      {"--places", zipf, "--pattern zipf"},
      {"--streams", sequential || mixed || realtime, "--pattern sequential, mixed or realtime"},
      {"--sequential-share", mixed, "--pattern mixed"},
      {"--align", !sequential && !realtime, "--pattern uniform, zipf or mixed"},
      {"--period", realtime, "--pattern realtime"},
      {"--deadline", realtime || !command.slack.empty(), "--pattern realtime, or with --slack"},
      {"--arrivals", !realtime, "--pattern uniform, zipf, sequential or mixed"},
      {"--rate", bursty || (!realtime && arrivals == SynthArrivals::kPoisson),
       "--arrivals poisson or bursty, and not with --pattern realtime"},
      {"--on-time", bursty, "--arrivals bursty"},
      {"--off-time", bursty, "--arrivals bursty"},
      {"--think", !realtime && arrivals == SynthArrivals::kThink, "--arrivals think"},
  };
  for (const auto& rule : rules) {
    if (app.count(rule.option) == 0 || rule.has_effect) continue;
    throw CLI::ValidationError(rule.option, fmt::format("goes with {}", rule.needs));
  }
}

void run_synth(SynthCommand command) {
  SynthOptions& synth = command.synth;
  synth.end_lba = command.capacity;
  traces::TraceHeader header;
  if (!command.drive.empty()) {
    const drive::DriveDescription description = options::load_drive(command.drive).description;
    synth.end_lba = geometry::Geometry(description.design).capacity();
    header.block_bytes = description.design.sector_bytes;
  }
  if (!command.range.empty()) {
    const std::uint64_t capacity = synth.end_lba;
    std::tie(synth.begin_lba, synth.end_lba) = parse_range(command.range);
    if (capacity != 0 && synth.end_lba > capacity) {
      throw TraceError(fmt::format("--lba: {} lies past the drive's {} blocks; give a smaller one",
                                   synth.end_lba, capacity));
    }
  }
  synth.sizes = parse_sizes(command.sizes);
  for (const std::string& text : command.with) synth.options.push_back(parse_with(text));
  synth.on_time = parse_span(command.on_time);
  synth.off_time = parse_span(command.off_time);
  synth.think = parse_span(command.think);
  synth.period = parse_span(command.period);
  if (!command.deadline.empty()) {
    synth.deadline = parse_span(command.deadline);
  } else if (synth.pattern == SynthPattern::kRealtime) {
    synth.deadline = synth.period;
  }
  if (!command.slack.empty()) {
    const options::TimeRange slack = options::parse_slack(command.slack);
    if (synth.deadline > traces::kLongestTime - slack.latest) {
      throw TraceError("--slack: with --deadline, deadlines exceed 30 days; reduce one of them");
    }
    synth.slack = SynthOptions::Slack{slack.earliest, slack.latest};
  }

  traces::Synth maker(synth);
  const std::uint32_t block_bytes = header.block_bytes;
  header = maker.header();
  header.block_bytes = block_bytes;
  TraceOutput output(command.output, header);
  for (std::uint64_t i = 0; i < command.count; ++i) output.write(maker.next());
  output.finish();
}

void add_places(CLI::App& app, SynthCommand& command) {
  SynthOptions& synth = command.synth;
  app.add_option("--pattern", synth.pattern,
                 "address pattern: uniform, zipf, sequential, mixed (sequential and uniform) or "
                 "realtime (streams with a period and deadlines)")
      ->transform(one_of(kPatterns));
  auto* room = app.add_option_group("room");
  room->add_option("--capacity", command.capacity, "capacity of the drive in blocks")
      ->transform(whole_number(1, kMostBlocks));
  room->add_option("--drive", command.drive,
                   "drive whose capacity applies: a name in `drive list`, or a .toml file");
  room->require_option(1);
  app.add_option("--lba", command.range,
                 "range of blocks that requests use, FIRST..END, END excluded")
      ->check(parsed_by(parse_range));
  app.add_option("--sizes", command.sizes, "request lengths and their weights: BLOCKS[:WEIGHT],...")
      ->capture_default_str()
      ->check(parsed_by(parse_sizes));
  app.add_option("--align", synth.align_blocks, "alignment of random requests, in blocks")
      ->capture_default_str()
      ->transform(whole_number(1, traces::kMostBlocks));
  app.add_option("--read-share", synth.read_share, "fraction of the requests that are reads")
      ->capture_default_str()
      ->transform(finite_number(0, 1));
  app.add_option("--verify-share", synth.verify_share, "fraction of the reads that become verifies")
      ->capture_default_str()
      ->transform(finite_number(0, 1));
  app.add_option("--flush-share", synth.flush_share, "fraction of the requests that become flushes")
      ->capture_default_str()
      ->transform(finite_number(0, 1));
  app.add_option("--with", command.with,
                 "WORD:SHARE of the requests have this word of the column options: ordered:0.1, "
                 "abort=0ms..20ms:0.02; may be given again. Words: " +
                     traces::option_words())
      ->check(parsed_by(parse_with));
  app.add_option("--theta", synth.theta, "zipf: exponent; rank i has weight i^-theta")
      ->capture_default_str()
      ->transform(finite_number(0, 10));
  app.add_option("--places", synth.places,
                 "zipf: number of parts of the range, ranked in random order; addresses within a "
                 "part are uniform")
      ->capture_default_str()
      ->transform(whole_number(1, 1 << 24));
  app.add_option(
         "--streams", synth.streams,
         "sequential, mixed, realtime: number of streams, each in its own part of the range")
      ->capture_default_str()
      ->transform(whole_number(1, 1 << 20));
  app.add_option("--sequential-share", synth.sequential_share,
                 "mixed: fraction of the requests that are sequential")
      ->capture_default_str()
      ->transform(finite_number(0, 1));
}

void add_times(CLI::App& app, SynthCommand& command) {
  SynthOptions& synth = command.synth;
  app.add_option("--arrivals", synth.arrivals,
                 "arrival process: poisson, bursty (Poisson during exponential on-times, silent "
                 "off-times), closed or think (exponential think times)")
      ->transform(one_of(kArrivals));
  app.add_option("--rate", synth.rate, "poisson, bursty: mean rate in requests per second")
      ->capture_default_str()
      ->transform(finite_number(1e-5, 1e9));
  const std::pair<const char*, std::pair<std::string*, const char*>> spans[] = {
      {"--on-time", {&command.on_time, "bursty: mean on-time"}},
      {"--off-time", {&command.off_time, "bursty: mean off-time"}},
      {"--think", {&command.think, "think: mean think time"}},
      {"--period", {&command.period, "realtime: period of a stream's requests"}},
      {"--deadline",
       {&command.deadline,
        "realtime: time from arrival to deadline (default: the period); other patterns: constant "
        "added to --slack"}}};
  for (const auto& [name, option] : spans) {
    app.add_option(name, *option.first, option.second)
        ->capture_default_str()
        ->check(parsed_by(parse_span));
  }
}

void add_urgency(CLI::App& app, SynthCommand& command) {
  SynthOptions& synth = command.synth;
  app.add_option("--slack", command.slack,
                 "range of the random time from arrival to deadline, as in 10ms:100ms; every "
                 "request gets a deadline")
      ->check(parsed_by(options::parse_slack));
  app.add_option(
         "--best-effort-share", synth.best_effort_share,
         "fraction of the requests with class best-effort and no deadline; adds the column class")
      ->capture_default_str()
      ->transform(finite_number(0, 1));
  app.add_option("--service-streams", synth.service_streams,
                 "number of streams, numbered from 0, that requests name; adds the column stream")
      ->transform(whole_number(1, UINT8_MAX + 1));
  app.add_option("--priorities", synth.priorities,
                 "number of priorities, from 1 on, that requests have; adds the column priority")
      ->transform(whole_number(1, traces::Urgency::kLargestPriority));
}

}  // namespace

void add_trace_synth(CLI::App& group) {
  CLI::App* app =
      group.add_subcommand("synth", "make a synthetic trace; equal options give identical traces");
  auto command = std::make_shared<SynthCommand>();
  add_places(*app, *command);
  add_times(*app, *command);
  add_urgency(*app, *command);
  app->add_option("--count", command->count, "number of requests")
      ->capture_default_str()
      ->transform(whole_number(0, kMostRequests));
  app->add_option("--seed", command->synth.seed, "seed of all random choices")
      ->capture_default_str()
      ->transform(whole_number(0, 9'000'000'000'000'000'000ULL));
  add_output_options(*app, command->output);
  app->callback([app, command] {
    require_effect(*app, *command);
    run_synth(*command);
  });
}

}  // namespace headstack::cli
