// SPDX-License-Identifier: Apache-2.0
#include "host/run/torture_flags.hpp"

#include <algorithm>
#include <thread>

#include "host/cli/validators.hpp"

namespace headstack::run {
namespace {

constexpr std::uint64_t kMostCuts = 1'000'000'000;

}  // namespace

void add_torture_flags(CLI::App& app, TortureOptions& torture, bool& cuts_again) {
  torture.jobs = std::max(1U, std::thread::hardware_concurrency());
  app.add_option("--every", torture.every, "cut only at each Nth write of a sector")
      ->capture_default_str()
      ->transform(cli::whole_number(1, kMostCuts));
  app.add_option("--bytes", torture.bytes_per_write,
                 "number of cuts within each of these writes, at bytes that --cut-seed draws; 0: "
                 "none")
      ->capture_default_str()
      ->transform(cli::whole_number(0, 1000));
  app.add_option("--cuts", torture.most, "the largest number of cuts (default: no limit)")
      ->transform(cli::whole_number(1, kMostCuts));
  app.add_option("--cut-seed", torture.seed, "seed of the bytes within writes")
      ->capture_default_str()
      ->transform(cli::whole_number(0, 9'000'000'000'000'000'000ULL));
  app.add_option("--whole", torture.whole_every,
                 "survey the whole disk on the media at each Nth cut; 0: never. At the other cuts "
                 "the survey covers the units, or cylinders of 160 blocks, that the hosts touched, "
                 "and the units that lie elsewhere than at home")
      ->capture_default_str()
      ->transform(cli::whole_number(0, kMostCuts));
  app.add_flag("!--once", cuts_again,
               "no second cut after the restart, while the drive saves pages, moves blocks or "
               "formats");
  app.add_option("--jobs", torture.jobs,
                 "copies at a time (default: as many as there are processors)")
      ->transform(cli::whole_number(1, 1000));
}

}  // namespace headstack::run
