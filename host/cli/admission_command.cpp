// SPDX-License-Identifier: Apache-2.0
#include "host/cli/admission_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/admission.hpp"
#include "host/cli/validators.hpp"
#include "host/options/catalog.hpp"
#include "host/options/wave_window.hpp"
#include "host/output/json_text.hpp"
#include "host/output/output_file.hpp"
#include "sim/drive/load.hpp"

namespace headstack::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMega = 1e6;
constexpr std::uint32_t kMostBlocks = 65'535;

struct AmountUnit {
  const char* name;
  double bytes;
};
constexpr AmountUnit kAmountUnits[] = {{"kB", 1e3},        {"MB", 1e6},   {"KiB", 1024},
                                       {"MiB", 1'048'576}, {"kbit", 125}, {"Mbit", 125e3}};

/// The bytes of an amount such as "192kB" or "1.5Mbit".
double parse_amount(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  for (const AmountUnit& unit : kAmountUnits) {
    if (end == unit.name || std::string(end) != unit.name) continue;
    if (end != text.c_str() && std::isfinite(number) && number > 0) return number * unit.bytes;
  }
  throw CLI::ValidationError(fmt::format(
      "'{}' is not an amount: give a number above 0 with kB, MB, KiB, MiB, kbit or Mbit", text));
}

double parse_ms(const std::string& text) { return to_ms(options::parse_time(text)); }

struct AdmissionCommand {
  std::string drive;
  std::string rate;
  std::string round;
  std::string overhead = "500us";
  std::string buffer;
  std::vector<std::string> schemes = admission_schemes();
  AdmissionLoad load;
  bool json = false;
};

Json to_json(const AdmissionCommand& command, const drive::DriveDescription& drive,
             const ServiceBounds& bounds, const AdmissionResult& result) {
  Json schemes = Json::array();
  for (const Admission& one : result.schemes) {
    schemes.push_back(
        {{"scheme", one.scheme},
         {"formula", one.formula},
         {"streams", one.streams},
         {"busy_ms", one.busy_ms},
         {"buffer_bytes", one.buffer_bytes},
         {"response_ms", one.response_ms ? Json(*one.response_ms) : Json(nullptr)},
         {"groups", one.groups ? Json(*one.groups) : Json(nullptr)},
         {"streams_any_round", one.any_round ? Json(*one.any_round) : Json(nullptr)}});
  }
  const AdmissionLoad& load = command.load;
  return {{"drive", drive.name},
          {"rate_bytes_per_second", load.bytes_per_second},
          {"blocks", load.blocks},
          {"request_bytes", std::uint64_t{load.blocks} * drive.design.sector_bytes},
          {"write", load.is_write},
          {"round_ms", result.round_ms},
          {"requests_per_round", result.requests_per_round},
          {"overhead_ms", load.overhead_ms},
          {"rotation_ms", bounds.revolution()},
          {"transfer_ms", bounds.transfer()},
          {"longest_seek_ms", bounds.longest_seek()},
          {"request_ms", bounds.alone()},
          {"slowest_bytes_per_second", bounds.slowest_rate()},
          {"fastest_bytes_per_second", bounds.fastest_rate()},
          {"schemes", schemes}};
}

std::string to_text(const AdmissionCommand& command, const drive::DriveDescription& drive,
                    const ServiceBounds& bounds, const AdmissionResult& result) {
  const AdmissionLoad& load = command.load;
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "{}\n\n"
                 "  a stream    {:.1f} kB a second: {} of {} blocks in a round of {:.3f} ms\n"
                 "  a request   {:.3f} ms at most: overhead {:.3f}, seek {:.3f}, rotation {:.3f}, "
                 "transfer {:.3f}\n"
                 "  the media   {:.2f} MB a second in the slowest zone, {:.2f} in the fastest: {} "
                 "and {} streams\n\n"
                 "  {:<8} {:>8} {:>14} {:>12} {:>14}  {}\n",
                 drive.name, load.bytes_per_second / 1000, result.requests_per_round, load.blocks,
                 result.round_ms, bounds.alone(), load.overhead_ms, bounds.longest_seek(),
                 bounds.revolution(), bounds.transfer(), bounds.slowest_rate() / kMega,
                 bounds.fastest_rate() / kMega,
                 std::floor(bounds.slowest_rate() / load.bytes_per_second),
                 std::floor(bounds.fastest_rate() / load.bytes_per_second), "scheme", "streams",
                 "busy ms a round", "buffer kB", "response ms", "formula");
  for (const Admission& one : result.schemes) {
    fmt::format_to(out, "  {:<8} {:>8} {:>15.3f} {:>12.1f} {:>14}  {}", one.scheme, one.streams,
                   one.busy_ms, one.buffer_bytes / 1000,
                   one.response_ms ? fmt::format("{:.3f}", *one.response_ms) : "-", one.formula);
    if (one.groups) fmt::format_to(out, "; {} groups", *one.groups);
    if (one.any_round) fmt::format_to(out, "; {} in rounds of any length", *one.any_round);
    text += '\n';
  }
  return text;
}

void run_admission(AdmissionCommand command) {
  AdmissionLoad& load = command.load;
  load.bytes_per_second = parse_amount(command.rate);
  load.overhead_ms = parse_ms(command.overhead);
  if (!command.round.empty()) load.round_ms = parse_ms(command.round);
  if (!command.buffer.empty()) load.buffer_bytes = parse_amount(command.buffer);
  const drive::DriveDescription drive = options::load_drive(command.drive).description;
  const mechanics::AccessModel model(drive.design, drive.specimen);
  if (load.blocks > model.geometry().capacity()) {
    throw drive::FileError(fmt::format("--blocks: {}, but the drive has {}; give less", load.blocks,
                                       model.geometry().capacity()));
  }
  if (load.scatter >= drive.design.cylinders) {
    throw drive::FileError(
        fmt::format("--scatter: {}, but the drive has {} cylinders; give 0 .. {}", load.scatter,
                    drive.design.cylinders, drive.design.cylinders - 1));
  }
  const ServiceBounds bounds(drive.design, model, load);
  const double request_bytes = static_cast<double>(load.blocks) * drive.design.sector_bytes;
  const AdmissionResult result = admit(bounds, load, request_bytes, command.schemes);
  if (command.json) {
    output::print(
        fmt::format("{}\n", output::json_text(to_json(command, drive, bounds, result), 2)));
  } else {
    output::print(to_text(command, drive, bounds, result));
  }
}

void add_load(CLI::App& app, AdmissionCommand& command) {
  app.add_option("drive", command.drive, "name of a drive in `drive list`, or path of a .toml file")
      ->required()
      ->type_name("DRIVE");
  app.add_option("--rate", command.rate,
                 "data rate of a stream per second, as in 192kB or 1.5Mbit (units: kB, MB, KiB, "
                 "MiB, kbit, Mbit)")
      ->required()
      ->check(parsed_by(parse_amount));
  app.add_option("--blocks", command.load.blocks, "length of a request, in blocks")
      ->capture_default_str()
      ->transform(whole_number(1, kMostBlocks));
  app.add_option(
         "--round", command.round,
         "length of a round, as in 500ms (default: the playback time of one request at --rate)")
      ->check(parsed_by([](const std::string& text) {
        if (parse_ms(text) <= 0) throw CLI::ValidationError("a round is longer than 0: give 500ms");
      }));
  app.add_option("--overhead", command.overhead,
                 "overhead per request, for command, bus and firmware")
      ->capture_default_str()
      ->check(parsed_by(parse_ms));
  app.add_option("--buffer", command.buffer,
                 "buffer memory for all streams together, as in 2MB (default: no limit)")
      ->check(parsed_by(parse_amount));
  app.add_flag("--write", command.load.is_write, "streams write instead of read");
}

void add_schemes(CLI::App& app, AdmissionCommand& command) {
  app.add_option("--scheme", command.schemes,
                 "admission schemes, separated by commas: gss, rangan, reddy, wrr, chen, horizon "
                 "(default: all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(admission_schemes()));
  app.add_option("--groups", command.load.groups,
                 "gss: number of groups (default: the number that needs the least buffer)")
      ->transform(whole_number(1, 1'000'000));
  app.add_option("--scatter", command.load.scatter,
                 "rangan: largest distance, in cylinders, between a stream's blocks of one round")
      ->capture_default_str()
      ->transform(whole_number(0, UINT32_MAX));
  app.add_option("--share", command.load.share,
                 "reddy: fraction of the drive's time that the streams may use")
      ->capture_default_str()
      ->check(finite_number(0.001, 1));
  app.add_option("--best-effort", command.load.best_effort, "wrr: best-effort requests per round")
      ->capture_default_str()
      ->transform(whole_number(0, 1'000'000));
  app.add_option("--late-rounds", command.load.late_rounds,
                 "chen: fraction of the rounds that may exceed their length")
      ->capture_default_str()
      ->check(finite_number(1e-12, 0.5));
}

}  // namespace

void add_admission_command(CLI::App& app) {
  CLI::App* admission = app.add_subcommand("admission",
                                           "number of streams of a given rate that a drive "
                                           "sustains, by the formulas of round-based schemes");
  auto command = std::make_shared<AdmissionCommand>();
  add_load(*admission, *command);
  add_schemes(*admission, *command);
  admission->add_flag("--json", command->json, "print the result as JSON");
  admission->callback([command] { run_admission(*command); });
}

}  // namespace headstack::cli
