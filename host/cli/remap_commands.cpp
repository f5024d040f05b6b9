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

/// Before any work. Nothing is written over an input, and over another file only with --force. A
/// device or a pipe is written to as it is. Throws OutputError.
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

/// The mean over the counted pairs: ms, or slots.
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
  app.add_option("drive", command.drive, "a name from `drive list`, or a .toml file")
      ->required()
      ->type_name("DRIVE");
  app.add_option("--counts", command.counts, "counts of accesses, as 'remap analyse' writes them")
      ->required()
      ->type_name("FILE.json");
  app.add_option("-o,--out", command.output, "the map; default: only its energy is told")
      ->type_name("FILE.json");
  app.add_flag("--force", command.force, "overwrite the output");
  app.add_option("--map", command.map,
                 "begin from this map: 'keep' tells its energy, 'anneal' makes only changes that "
                 "cost no more")
      ->type_name("FILE.json");
}

void add_choices(CLI::App& app, ArrangeCommand& command) {
  app.add_option("--method", command.method,
                 "anneal; organ: pipe organ of groups; popularity: the busiest units outside; "
                 "keep: no change")
      ->capture_default_str()
      ->check(CLI::IsMember(names(kMethods)));
  app.add_option("--energy", command.energy,
                 "what is to be small: distance, seek; transfer: seek and transfer; access: seek, "
                 "wait and transfer")
      ->capture_default_str()
      ->check(CLI::IsMember(names(kEnergies)));
  app.add_option("--unit", command.request.unit_blocks, "blocks that stay together; 0: a group's")
      ->capture_default_str()
      ->transform(whole_number(0, UINT32_MAX));
  app.add_flag("--whole-groups", command.request.whole_groups,
               "units of a group stay together: the paper's annealing");
  app.add_option("--start", command.start, "of annealing groups: organ or identity")
      ->capture_default_str()
      ->check(CLI::IsMember({"organ", "identity"}));
}

void add_amounts(CLI::App& app, ArrangeCommand& command) {
  remap::Request& request = command.request;
  request.trials = 400'000;
  app.add_option("--trials", request.trials, "of annealing units")
      ->capture_default_str()
      ->transform(whole_number(0, 1'000'000'000));
  app.add_option("--hottest", request.hottest, "only so many units leave their places; 0: all may")
      ->capture_default_str()
      ->transform(whole_number(0, REMAP_UNITS_MAX));
  app.add_option("--request", request.request_blocks,
                 "blocks of a mean request; 0: as many as are arranged together")
      ->capture_default_str()
      ->transform(whole_number(0, UINT32_MAX));
  app.add_option("--overhead", command.overhead,
                 "from a command's arrival to the start of the arm, as in 500us")
      ->capture_default_str()
      ->check(parsed_by(parse_overhead_ms));
  app.add_option("--gaps-share", request.share_of_gaps,
                 "what the counted gaps weigh beside commands without a gap")
      ->capture_default_str()
      ->check(finite_number(0, 1));
  app.add_flag("--literal-temperature", request.literal_temperature,
               "groups: temperatures of the paper in mean slots, not in counts times slots");
  app.add_option("--seed", request.seed, "of the random numbers")
      ->capture_default_str()
      ->transform(whole_number(0, UINT32_MAX));
}

}  // namespace

void add_remap_commands(CLI::App& app) {
  CLI::App* group = app.add_subcommand("remap", "maps of a drive's blocks");
  group->require_subcommand(1);
  CLI::App* arrange = group->add_subcommand(
      "arrange", "where blocks should lie, by counts of accesses; with the firmware's own code");
  auto command = std::make_shared<ArrangeCommand>();
  add_files(*arrange, *command);
  add_choices(*arrange, *command);
  add_amounts(*arrange, *command);
  arrange->add_flag("--json", command->json, "as JSON");
  arrange->callback([command] { run_arrange(*command); });
}

}  // namespace headstack::cli
