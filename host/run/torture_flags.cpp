// SPDX-License-Identifier: Apache-2.0
#include "host/run/power_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "host/cli/validators.hpp"
#include "host/options/power_cut.hpp"
#include "sim/description/words.hpp"

namespace headstack::run {
namespace {

constexpr std::uint64_t kMostCuts = 1'000'000'000;
constexpr std::uint64_t kMostAgain = 1'000'000'000'000;

void add_torture_options(CLI::App& app, RunOptions& options) {
  auto* flag =
      app.add_flag("--torture", options.is_torture,
                   "cut the power, in copies of the run, before each write of a sector and within "
                   "the write. Each copy restarts the drive, and reads back every block that the "
                   "hosts touched. Data are checked as by --verify-data");
  for (CLI::Option* option : add_torture_flags(app, options.torture, options.cuts_again,
                                               "--torture-", "--torture-seed")) {
    option->needs(flag);
  }
}

}  // namespace

std::vector<CLI::Option*> add_torture_flags(CLI::App& app, TortureOptions& torture,
                                            bool& cuts_again, const std::string& prefix,
                                            const std::string& seed) {
  torture.jobs = std::max(1U, std::thread::hardware_concurrency());
  return {
      app.add_option(prefix + "every", torture.every, "cut only at each Nth write of a sector")
          ->capture_default_str()
          ->transform(cli::whole_number(1, kMostCuts)),
      app.add_option(prefix + "bytes", torture.bytes_per_write,
                     fmt::format("number of cuts within each of these writes, at bytes that {} "
                                 "draws; 0: none",
                                 seed))
          ->capture_default_str()
          ->transform(cli::whole_number(0, 1000)),
      app.add_option(prefix + "cuts", torture.most,
                     "the largest number of cuts (default: no limit)")
          ->transform(cli::whole_number(1, kMostCuts)),
      app.add_option(seed, torture.seed, "seed of the bytes within writes")
          ->capture_default_str()
          ->transform(cli::whole_number(0, 9'000'000'000'000'000'000ULL)),
      app.add_option(
             prefix + "whole", torture.whole_every,
             "survey the whole disk on the media at each Nth cut; 0: never. At the other cuts the "
             "survey covers the units, or cylinders of 160 blocks, that the hosts touched, and the "
             "units that lie elsewhere than at home")
          ->capture_default_str()
          ->transform(cli::whole_number(0, kMostCuts)),
      app.add_flag(
          "!" + prefix + "once", cuts_again,
          "no second cut after the restart, while the drive saves pages, moves blocks or formats"),
      app.add_option(prefix + "jobs", torture.jobs,
                     "copies at a time (default: as many as there are processors)")
          ->transform(cli::whole_number(1, 1000)),
  };
}

void add_power_options(CLI::App& app, RunOptions& options) {
  app.add_option("--media", options.media,
                 "a file with the content of the drive's media, created if it does not exist. It "
                 "keeps what is written, even if this program is killed");
  app.add_option(
         "--power-cut", options.power_cut,
         "cut the drive's power at time:T (2.5ms), event:NAME[:N] (the Nth of firmware/events.h), "
         "cmd:N (when N commands are done) or byte:N (of all bytes written to the media). The run "
         "ends there. The drive is restarted, and every block that the hosts touched is read back "
         "and checked. Data are checked as by --verify-data")
      ->check(cli::parsed_by(options::parse_power_cut));
  app.add_option("--power-again", options.power_again,
                 "BYTE: after the restart the drive saves a page, moves a block and continues its "
                 "map. Its power is cut again before byte BYTE that it writes meanwhile, and the "
                 "drive is restarted once more")
      ->transform(cli::whole_number(0, kMostAgain));
  app.add_option_function<std::string>(
         "--power-loss",
         [&options](const std::string& word) {
           for (const auto& choice : drive::kPowerLossKinds) {
             if (choice.name == word) options.power_loss = choice.value;
           }
         },
         "the sector under the head at a power cut: finished from the spindle's energy, or torn "
         "(default: the specimen's power_loss)")
      ->check(CLI::IsMember({"finished", "torn"}));
  add_torture_options(app, options);
}

void check_power_options(const CLI::App& app, RunOptions& options) {
  const bool judges = options.is_torture || !options.power_cut.empty();
  if (options.is_torture && !options.power_cut.empty()) {
    throw CLI::ValidationError("--power-cut", "torture cuts at every write: leave one of them out");
  }
  if (options.is_torture && !options.media.empty()) {
    throw CLI::ValidationError("--media",
                               "torture works on copies of media in memory: leave one of them out");
  }
  if (!options.media.empty() && debug::wants_snapshots(options)) {
    throw CLI::ValidationError(
        "--media",
        "a media file cannot be rewound to a snapshot: leave --gdb, --snapshot-every and "
        "--post-mortem out");
  }
  if (options.is_torture && debug::wants_snapshots(options)) {
    throw CLI::ValidationError("--torture", "does not go with a debugger or snapshots");
  }
  if (app.count("--power-loss") > 0 && !judges) {
    throw CLI::ValidationError("--power-loss", "goes with --power-cut or torture");
  }
  if (options.power_again && options.power_cut.empty()) {
    throw CLI::ValidationError("--power-again",
                               "needs --power-cut, which says where the first cut is");
  }
  if (judges) options.verify_data = true;
}

}  // namespace headstack::run
