// SPDX-License-Identifier: Apache-2.0
#include "host/cli/remap_commands.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <nlohmann/json.hpp>

#include "host/cli/validators.hpp"
#include "host/options/catalog.hpp"
#include "host/options/wave_window.hpp"
#include "host/output/json_text.hpp"
#include "host/output/message.hpp"
#include "host/output/output_file.hpp"
#include "host/remap/arrangement.hpp"

namespace headstack::cli {
namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, ::arrange_method> kMethods = {{"keep", ARRANGE_KEEP},
                                                          {"organ", ARRANGE_ORGAN},
                                                          {"popularity", ARRANGE_POPULARITY},
                                                          {"anneal", ARRANGE_ANNEAL}};
const std::map<std::string, ::energy_kind> kEnergies = {{"distance", ENERGY_DISTANCE},
                                                        {"seek", ENERGY_SEEK},
                                                        {"transfer", ENERGY_TRANSFER},
                                                        {"access", ENERGY_ACCESS}};

template <class Value>
std::vector<std::string> names(const std::map<std::string, Value>& table) {
  std::vector<std::string> all;
  all.reserve(table.size());
  for (const auto& row : table) all.push_back(row.first);
  return all;
}

struct ArrangeCommand {
  std::string drive;
  std::string counts;
  std::string output;
  std::string map;
  std::string method = "anneal";
  std::string energy = "access";
  std::string start = "organ";
  std::string overhead = "1ms";
  remap::Request request;
  bool force = false;
  bool json = false;
};

/// Checks the output before any work. An input is never overwritten, and another file only with
/// --force. A device or a pipe is written to directly. Throws OutputError.
void check_output(const ArrangeCommand& command) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!fs::is_regular_file(command.output, none)) return;
  for (const std::string& input : {command.counts, command.map}) {
    if (!input.empty() && fs::equivalent(command.output, input, none)) {
      throw output::OutputError(
          fmt::format("{}: is what the command reads; give another name", command.output));
    }
  }
  if (!command.force) {
    throw output::OutputError(
        fmt::format("{}: exists; give --force to overwrite it", command.output));
  }
}

double parse_overhead_ms(const std::string& text) {
  const double ms = to_ms(options::parse_time(text));
  if (ms > 1000) throw CLI::ValidationError("give at most 1s");
  return ms;
}

/// The mean energy over the counted pairs, in ms or slots.
Json mean_of(const remap::Arrangement& found, std::uint64_t energy) {
  if (found.report.divisor == 0) return nullptr;
  const double mean = static_cast<double>(energy) / static_cast<double>(found.report.divisor);
  return found.unit_ms == 0 ? mean : mean * found.unit_ms;
}

Json to_json(const ArrangeCommand& command, const remap::Counts& counts,
             const remap::Arrangement& found) {
  const ::arrange_report& report = found.report;
  return {{"method", command.method},
          {"energy", command.energy},
          {"mean_unit", found.unit_ms == 0 ? "slots" : "ms"},
          {"units", found.map.slots.size()},
          {"unit_blocks", found.map.unit_blocks},
          {"first_block", found.map.first_block},
          {"identity_energy", report.identity},
          {"start_energy", report.start},
          {"result_energy", report.energy},
          {"divisor", report.divisor},
          {"identity_mean", mean_of(found, report.identity)},
          {"start_mean", mean_of(found, report.start)},
          {"result_mean", mean_of(found, report.energy)},
          {"trials", report.trials},
          {"accepts", report.accepts},
          {"evaluations", report.evaluations},
          {"slices", found.slices},
          {"count_halvings", counts.halvings},
          {"pairs_left_out", counts.pairs_left_out}};
}

std::string mean_text(const Json& mean, const remap::Arrangement& found) {
  if (mean.is_null()) return "-";
  return fmt::format("{:.4f} {}", mean.get<double>(), found.unit_ms == 0 ? "slots" : "ms");
}

std::string to_text(const ArrangeCommand& command, const remap::Arrangement& found) {
  const ::arrange_report& report = found.report;
  return fmt::format(
      "{}: {} units of {} blocks from block {} on\n"
      "  energy     {}, mean over the counted pairs\n"
      "  no map     {}\n"
      "  start      {}\n"
      "  result     {}\n"
      "  annealing  {} trials, {} accepted, {} costs of two slots\n",
      command.method, found.map.slots.size(), found.map.unit_blocks, found.map.first_block,
      command.energy, mean_text(mean_of(found, report.identity), found),
      mean_text(mean_of(found, report.start), found),
      mean_text(mean_of(found, report.energy), found), report.trials, report.accepts,
      report.evaluations);
}

void run_arrange(ArrangeCommand command) {
  check_output(command);
  remap::Request& request = command.request;
  request.method = kMethods.at(command.method);
  request.energy = kEnergies.at(command.energy);
  request.start = command.start == "organ" ? ARRANGE_FROM_ORGAN : ARRANGE_FROM_IDENTITY;
  request.overhead_ms = parse_overhead_ms(command.overhead);
  const drive::DriveDescription drive = options::load_drive(command.drive).description;
  const remap::Counts counts = remap::read_counts(command.counts);
  if (request.unit_blocks == 0) request.unit_blocks = counts.group_blocks;
  std::optional<remap::Map> given;
  if (!command.map.empty()) {
    given = remap::read_map(command.map);
    request.start = ARRANGE_FROM_GIVEN;
  }
  const remap::Arrangement found = remap::arrange(drive, counts, request, given);
  if (!command.output.empty()) remap::write_map(command.output, found.map);
  if (counts.pairs_left_out != 0) {
    output::say(
        "headstack: warning: {}: the {} rarest pairs are left out; a drive has room for {}\n",
        command.counts, counts.pairs_left_out, REMAP_PAIRS_MAX);
  }
  if (command.json) {
    output::print(fmt::format("{}\n", output::json_text(to_json(command, counts, found), 2)));
  } else {
    output::print(to_text(command, found));
  }
}

void add_files(CLI::App& app, ArrangeCommand& command) {
  app.add_option("drive", command.drive, "name of a drive in `drive list`, or path of a .toml file")
      ->required()
      ->type_name("DRIVE");
  app.add_option("--counts", command.counts, "file of access counts, as written by 'remap analyse'")
      ->required()
      ->type_name("FILE.json");
  app.add_option("-o,--out", command.output,
                 "file for the map (default: only the map's energy is printed)")
      ->type_name("FILE.json");
  app.add_flag("--force", command.force, "overwrite an existing output file");
  app.add_option("--map", command.map,
                 "initial map; 'keep' prints its energy, 'anneal' accepts only changes that do not "
                 "increase it")
      ->type_name("FILE.json");
}

void add_choices(CLI::App& app, ArrangeCommand& command) {
  app.add_option("--method", command.method,
                 "method of arrangement. anneal: simulated annealing; organ: pipe organ of groups; "
                 "popularity: busiest units at the outer edge; keep: no change")
      ->capture_default_str()
      ->check(CLI::IsMember(names(kMethods)));
  app.add_option("--energy", command.energy,
                 "quantity to minimize. distance: seek distance; seek: seek time; transfer: seek "
                 "and transfer time; access: seek time, rotational latency and transfer time")
      ->capture_default_str()
      ->check(CLI::IsMember(names(kEnergies)));
  app.add_option("--unit", command.request.unit_blocks,
                 "blocks per unit, which stay together; 0: those of a group")
      ->capture_default_str()
      ->transform(whole_number(0, UINT32_MAX));
  app.add_flag("--whole-groups", command.request.whole_groups,
               "annealing as in the paper: the units of a group stay together");
  app.add_option("--start", command.start, "initial map for annealing groups: organ or identity")
      ->capture_default_str()
      ->check(CLI::IsMember({"organ", "identity"}));
}

void add_amounts(CLI::App& app, ArrangeCommand& command) {
  remap::Request& request = command.request;
  request.trials = 400'000;
  app.add_option("--trials", request.trials, "number of trials for annealing units")
      ->capture_default_str()
      ->transform(whole_number(0, 1'000'000'000));
  app.add_option("--hottest", request.hottest,
                 "largest number of units that may move, the hottest first; 0: all")
      ->capture_default_str()
      ->transform(whole_number(0, REMAP_UNITS_MAX));
  app.add_option("--request", request.request_blocks,
                 "mean request length in blocks; 0: the blocks of a unit or group")
      ->capture_default_str()
      ->transform(whole_number(0, UINT32_MAX));
  app.add_option("--overhead", command.overhead,
                 "time from a command's arrival to the start of the arm, as in 500us")
      ->capture_default_str()
      ->check(parsed_by(parse_overhead_ms));
  app.add_option("--gaps-share", request.share_of_gaps,
                 "weight of the counted gaps against commands without a gap")
      ->capture_default_str()
      ->check(finite_number(0, 1));
  app.add_flag("--literal-temperature", request.literal_temperature,
               "groups: the paper's temperatures are in mean slots, not in counts times slots");
  app.add_option("--seed", request.seed, "seed of the random numbers")
      ->capture_default_str()
      ->transform(whole_number(0, UINT32_MAX));
}

}  // namespace

void add_remap_commands(CLI::App& app) {
  CLI::App* group = app.add_subcommand("remap", "maps for block remapping");
  group->require_subcommand(1);
  CLI::App* arrange = group->add_subcommand(
      "arrange", "compute a map from access counts, with the firmware's own code");
  auto command = std::make_shared<ArrangeCommand>();
  add_files(*arrange, *command);
  add_choices(*arrange, *command);
  add_amounts(*arrange, *command);
  arrange->add_flag("--json", command->json, "print the result as JSON");
  arrange->callback([command] { run_arrange(*command); });
}

}  // namespace headstack::cli
