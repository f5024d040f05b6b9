// SPDX-License-Identifier: Apache-2.0
// `headstack trace convert|head|slice|scale|remap-lba|deadlines`: copies a trace to one in
// headstack's own format, request by request.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "host/cli/reading_options.hpp"
#include "host/cli/trace_output.hpp"
#include "host/cli/trace_subcommands.hpp"
#include "host/cli/validators.hpp"
#include "host/options/catalog.hpp"
#include "host/options/time_range.hpp"
#include "host/options/wave_window.hpp"
#include "host/output/message.hpp"
#include "host/traces/address_map.hpp"
#include "host/traces/deadlines.hpp"
#include "host/traces/time_scale.hpp"
#include "host/traces/trace_formats.hpp"
#include "sim/geometry/geometry.hpp"

namespace headstack::cli {
namespace {

using traces::Loop;
using traces::Operation;
using traces::TraceError;
using traces::TraceRequest;

constexpr std::uint64_t kMostRequests = 1'000'000'000'000'000;
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 48;

const std::map<std::string, traces::DeadlineTarget> kTargets = {
    {"read", traces::DeadlineTarget::kRead},
    {"write", traces::DeadlineTarget::kWrite},
    {"all", traces::DeadlineTarget::kAll}};

struct CopyOptions {
  TraceInput input;
  OutputOptions output;
};

/// What is done with a request: it is kept (and perhaps changed), left out, or the end of the copy.
enum class Verdict { kKeep, kLeaveOut, kStop };
using Step = std::function<Verdict(TraceRequest&)>;

void copy(const CopyOptions& options, traces::TraceReader& reader, const Step& step,
          const traces::TraceHeader& header) {
  TraceOutput output(options.output, header);
  while (auto request = reader.next()) {
    const Verdict verdict = step(*request);
    if (verdict == Verdict::kStop) break;
    if (verdict == Verdict::kKeep) output.write(*request);
  }
  warn_of_counts(reader);
  if (output.count() == 0 && !options.input.reading.allow_empty) {
    throw TraceError(
        fmt::format("{}: no request of it is left for the output; select some, or accept that with "
                    "--allow-empty",
                    options.input.file));
  }
  output.finish();
}

void copy(const CopyOptions& options, traces::TraceReader& reader, const Step& step) {
  copy(options, reader, step, reader.header());
}

Verdict keep(TraceRequest& /*request*/) { return Verdict::kKeep; }

std::shared_ptr<CopyOptions> add_copy_options(CLI::App& command) {
  auto options = std::make_shared<CopyOptions>();
  add_trace_input(command, options->input);
  add_output_options(command, options->output);
  return options;
}

void add_convert(CLI::App& group) {
  CLI::App* command =
      group.add_subcommand("convert", "convert a trace into headstack's own format");
  auto options = add_copy_options(*command);
  command->callback([options] { copy(*options, *options->input.open(), keep); });
}

/// Takes `count` requests after the first `skip`.
Step take_requests(std::uint64_t skip, std::uint64_t count) {
  return [skip, count, number = std::uint64_t{0}](TraceRequest&) mutable {
    const std::uint64_t at = number++;
    if (at < skip) return Verdict::kLeaveOut;
    return at - skip < count ? Verdict::kKeep : Verdict::kStop;
  };
}

void add_head(CLI::App& group) {
  CLI::App* command = group.add_subcommand("head", "copy the first requests of a trace");
  auto options = add_copy_options(*command);
  auto count = std::make_shared<std::uint64_t>(10);
  command->add_option("-n,--count", *count, "number of requests")
      ->capture_default_str()
      ->transform(whole_number(0, kMostRequests));
  command->callback(
      [options, count] { copy(*options, *options->input.open(), take_requests(0, *count)); });
}

struct SliceOptions {
  std::uint64_t skip = 0, count = kMostRequests;
  std::string begin, end;
};

Step take_slice(const SliceOptions& slice) {
  const Picoseconds begin = slice.begin.empty() ? 0 : options::parse_time(slice.begin);
  const Picoseconds end = slice.end.empty() ? INT64_MAX : options::parse_time(slice.end);
  if (end <= begin) {
    throw TraceError(
        fmt::format("--end: {} is not after --begin; give the earlier time first", slice.end));
  }
  Step by_number = take_requests(slice.skip, slice.count);
  std::optional<Picoseconds> start;
  if (!slice.begin.empty()) start = begin;
  return [=](TraceRequest& request) mutable {
    if (request.arrival < begin) return Verdict::kLeaveOut;
    if (request.arrival >= end) return Verdict::kStop;
    const Verdict verdict = by_number(request);
    if (verdict != Verdict::kKeep) return verdict;
    if (!start) start = request.arrival;
    request.arrival -= *start;
    return verdict;
  };
}

void add_slice(CLI::App& group) {
  CLI::App* command = group.add_subcommand("slice",
                                           "copy a part of a trace, selected by number or time; "
                                           "times are relative to the part's beginning");
  auto options = add_copy_options(*command);
  auto slice = std::make_shared<SliceOptions>();
  command->add_option("--skip", slice->skip, "number of requests to skip at the beginning")
      ->transform(whole_number(0, kMostRequests));
  command->add_option("--count", slice->count, "number of requests to copy")
      ->transform(whole_number(0, kMostRequests));
  command
      ->add_option("--begin", slice->begin,
                   "first arrival time of the part, with unit: 1.5s (ps to s)")
      ->check(parsed_by(options::parse_time));
  command->add_option("--end", slice->end, "arrival time at which the part ends, exclusive")
      ->check(parsed_by(options::parse_time));
  command->callback([options, slice] {
    const auto reader = options->input.open();
    const bool by_time = !slice->begin.empty() || !slice->end.empty();
    if (by_time && reader->header().loop != Loop::kOpen) {
      throw TraceError(fmt::format("{}: a {} loop has no times; slice by --skip and --count",
                                   options->input.file, to_string(reader->header().loop)));
    }
    copy(*options, *reader, take_slice(*slice));
  });
}

struct ScaleOptions {
  std::string factor, rate;
};

/// The scale to a mean rate. The trace is read once to find its own rate.
traces::TimeScale scale_to_rate(const CopyOptions& options, const std::string& rate) {
  if (options.input.file == "-") {
    throw TraceError("standard input cannot be read twice; give --rate a file, or --time-factor");
  }
  const auto reader = options.input.open();
  std::uint64_t count = 0;
  Picoseconds first = 0, last = 0;
  while (const auto request = reader->next()) {
    if (count++ == 0) first = request->arrival;
    last = request->arrival;
  }
  if (count < 2 || last == first) {
    throw TraceError(fmt::format("{}: all requests arrive at once: there is no rate to scale",
                                 options.input.file));
  }
  return traces::TimeScale::to_rate(count - 1, last - first, rate);
}

void add_scale(CLI::App& group) {
  CLI::App* command = group.add_subcommand(
      "scale",
      "scale arrival times, think times and times of options, by a factor or to a mean rate");
  auto options = add_copy_options(*command);
  auto scale = std::make_shared<ScaleOptions>();
  auto* which = command->add_option_group("by");
  which
      ->add_option("--time-factor", scale->factor,
                   "factor for all times, a decimal number: 0.5 is twice as fast")
      ->check(parsed_by(traces::TimeScale::by_factor));
  which
      ->add_option("--rate", scale->rate,
                   "mean rate of the result in requests per second; the trace is read twice")
      ->check(parsed_by(traces::TimeScale::require_rate));
  which->require_option(1);
  command->callback([options, scale] {
    const auto reader = options->input.open();
    if (!scale->rate.empty() && reader->header().loop != Loop::kOpen) {
      throw TraceError(fmt::format("{}: a {} loop has no rate; give --time-factor",
                                   options->input.file, to_string(reader->header().loop)));
    }
    const traces::TimeScale times = scale->rate.empty()
                                        ? traces::TimeScale::by_factor(scale->factor)
                                        : scale_to_rate(*options, scale->rate);
    copy(*options, *reader, [times](TraceRequest& request) {
      request.arrival = times.apply(request.arrival);
      if (request.think) request.think = times.apply(*request.think);
      request.options.act_delay = times.apply(request.options.act_delay);
      return Verdict::kKeep;
    });
  });
}

struct RemapOptions {
  std::string how;
  std::string drive;
  std::uint64_t capacity = 0;
  std::uint64_t trace_end = 0;
  std::int64_t offset = 0;
};

std::uint64_t capacity_of(const RemapOptions& remap, const traces::TraceReader& reader) {
  if (remap.drive.empty()) return remap.capacity;
  const drive::DriveDescription description = options::load_drive(remap.drive).description;
  if (description.design.sector_bytes != reader.header().block_bytes) {
    throw TraceError(fmt::format("{}: its blocks have {} bytes, but the trace's {}; choose another",
                                 remap.drive, description.design.sector_bytes,
                                 reader.header().block_bytes));
  }
  return geometry::Geometry(description.design).capacity();
}

/// The trace's last block + 1, found by reading the trace once.
std::uint64_t find_end(const CopyOptions& options) {
  if (options.input.file == "-") {
    throw TraceError("standard input cannot be read twice; give --trace-end, or a file");
  }
  std::uint64_t end = 1;
  const auto reader = options.input.open();
  while (const auto request = reader->next()) end = std::max(end, request->lba + request->blocks);
  return end;
}

Step move_by(std::int64_t offset) {
  return [offset](TraceRequest& request) {
    if (request.operation == Operation::kFlush) return Verdict::kKeep;
    const Int128 lba = Int128{request.lba} + offset;
    if (lba < 0 || lba + request.blocks > Int128{kMostBlocks}) {
      throw TraceError(
          fmt::format("--offset: block {} moved by {} is not a valid block; give a smaller offset",
                      request.lba, offset));
    }
    request.lba = static_cast<std::uint64_t>(lba);
    return Verdict::kKeep;
  };
}

/// Shortens requests that reach past the end. Requests that lie past it completely are left out,
/// and counted.
Step clip_to(std::uint64_t capacity, std::shared_ptr<std::uint64_t> cut,
             std::shared_ptr<std::uint64_t> dropped) {
  return [=](TraceRequest& request) {
    if (request.operation == Operation::kFlush) return Verdict::kKeep;
    if (request.lba >= capacity) {
      ++*dropped;
      return Verdict::kLeaveOut;
    }
    if (request.blocks > capacity - request.lba) {
      ++*cut;
      request.blocks = static_cast<std::uint32_t>(capacity - request.lba);
    }
    return Verdict::kKeep;
  };
}

void run_remap(const CopyOptions& options, const RemapOptions& remap) {
  const auto reader = options.input.open();
  if (remap.how == "offset") return copy(options, *reader, move_by(remap.offset));
  const std::uint64_t capacity = capacity_of(remap, *reader);
  if (remap.how == "clip") {
    auto cut = std::make_shared<std::uint64_t>(0), dropped = std::make_shared<std::uint64_t>(0);
    copy(options, *reader, clip_to(capacity, cut, dropped));
    if (*cut + *dropped != 0) {
      output::say("headstack: warning: {} requests past block {} left out, {} cut short at it\n",
                  *dropped, capacity, *cut);
    }
    return;
  }
  const bool scales = remap.how == "scale";
  const std::uint64_t end =
      scales ? (remap.trace_end != 0 ? remap.trace_end : find_end(options)) : 0;
  const traces::AddressMap map(
      scales ? traces::AddressMapping::kScale : traces::AddressMapping::kFold, capacity, end);
  copy(options, *reader, [&](TraceRequest& request) {
    map.apply(request);
    if (request.blocks > capacity) {
      throw TraceError(
          fmt::format("{}:{}: blocks: {} in one request are more than the {} of the "
                      "drive; choose a larger one",
                      options.input.file, reader->line(), request.blocks, capacity));
    }
    return Verdict::kKeep;
  });
}

void add_remap(CLI::App& group) {
  CLI::App* command = group.add_subcommand("remap-lba", "map addresses to a drive of another size");
  auto options = add_copy_options(*command);
  auto remap = std::make_shared<RemapOptions>();
  command
      ->add_option("--how", remap->how,
                   "address mapping: fold (modulo the capacity), scale (proportionally), clip "
                   "(drop requests past the end) or offset (add --offset)")
      ->required()
      ->check(CLI::IsMember({"fold", "scale", "clip", "offset"}));
  auto* capacity =
      command->add_option("--capacity", remap->capacity, "capacity of the drive in blocks")
          ->transform(whole_number(1, kMostBlocks));
  auto* drive =
      command
          ->add_option("--drive", remap->drive,
                       "drive whose capacity applies: a name in `drive list`, or a .toml file")
          ->excludes(capacity);
  auto* end = command
                  ->add_option("--trace-end", remap->trace_end,
                               "scale: end of the trace's address range, last block + 1 (default: "
                               "found by reading the trace twice)")
                  ->transform(whole_number(1, kMostBlocks));
  auto* offset = command->add_option("--offset", remap->offset, "offset: number of blocks to add");
  command->callback([=] {
    const bool moves = remap->how == "offset";
    if (moves && offset->count() == 0) {
      throw CLI::ValidationError("--how offset", "needs --offset BLOCKS");
    }
    if (!moves && capacity->count() + drive->count() == 0) {
      throw CLI::ValidationError("--how " + remap->how, "needs --capacity or --drive");
    }
    for (const CLI::Option* size : {capacity, drive}) {
      if (moves && size->count() > 0) {
        throw CLI::ValidationError(size->get_name(), "goes with --how fold, scale or clip");
      }
    }
    if (!moves && offset->count() > 0) {
      throw CLI::ValidationError("--offset", "goes with --how offset");
    }
    if (remap->how != "scale" && end->count() > 0) {
      throw CLI::ValidationError("--trace-end", "goes with --how scale");
    }
    run_remap(*options, *remap);
  });
}

struct DeadlineWords {
  traces::DeadlineOptions made;
  std::string slack, base;
};

void run_deadlines(const CopyOptions& options, const DeadlineWords& words) {
  traces::DeadlineOptions made = words.made;
  const options::TimeRange slack = options::parse_slack(words.slack);
  made.least_slack = slack.earliest;
  made.most_slack = slack.latest;
  if (!words.base.empty()) made.base = options::parse_time(words.base);
  if (made.base > traces::kLongestTime - made.most_slack) {
    throw TraceError("--base: with the slack, deadlines exceed 30 days; reduce one of them");
  }
  const auto reader = options.input.open();
  traces::TraceHeader header = reader->header();
  header.has_deadlines = true;
  traces::DeadlineMaker maker(made);
  const Step give = [&maker](TraceRequest& request) {
    maker.give(request);
    return Verdict::kKeep;
  };
  copy(options, *reader, give, header);
}

void add_deadlines(CLI::App& group) {
  CLI::App* command = group.add_subcommand(
      "deadlines", "add deadlines: arrival time plus a random slack, reproducible by --seed");
  auto options = add_copy_options(*command);
  auto words = std::make_shared<DeadlineWords>();
  command
      ->add_option("--slack", words->slack,
                   "range of the random slack, uniformly distributed, as in 10ms:100ms; deadline = "
                   "arrival + base + slack")
      ->required()
      ->check(parsed_by(options::parse_slack));
  command
      ->add_option("--base", words->base,
                   "constant part of every deadline, as in 26ms (default: 0)")
      ->check(parsed_by(options::parse_time));
  command
      ->add_option("--class", words->made.target,
                   "requests that get deadlines: read (includes verify), write or all; others are "
                   "copied unchanged")
      ->default_str("all")
      ->transform(one_of(kTargets));
  command->add_option("--seed", words->made.seed, "seed of the random slack")
      ->capture_default_str()
      ->transform(whole_number(0, 9'000'000'000'000'000'000ULL));
  command->callback([options, words] { run_deadlines(*options, *words); });
}

}  // namespace

void add_trace_copies(CLI::App& group) {
  add_convert(group);
  add_head(group);
  add_slice(group);
  add_scale(group);
  add_remap(group);
  add_deadlines(group);
}

}  // namespace headstack::cli
