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
  app.add_option("--every", torture.every, "cut the power only at every Nth sector write")
      ->capture_default_str()
      ->transform(cli::whole_number(1, kMostCuts));
  app.add_option(
         "--bytes", torture.bytes_per_write,
         "number of cuts within each of these sector writes, at random bytes (--cut-seed); 0: none")
      ->capture_default_str()
      ->transform(cli::whole_number(0, 1000));
  app.add_option("--cuts", torture.most, "largest number of cuts (default: no limit)")
      ->transform(cli::whole_number(1, kMostCuts));
  app.add_option("--cut-seed", torture.seed, "seed for the bytes at which writes are cut")
      ->capture_default_str()
      ->transform(cli::whole_number(0, 9'000'000'000'000'000'000ULL));
  app.add_option("--whole", torture.whole_every,
                 "check the whole media at every Nth cut; 0: never. Other cuts check the units (or "
                 "cylinders of 160 blocks) that hosts accessed, and the units that have moved")
      ->capture_default_str()
      ->transform(cli::whole_number(0, kMostCuts));
  app.add_flag(
      "!--once", cuts_again,
      "no second cut after the restart, during saving of pages, moving of blocks or formatting");
  app.add_option("--jobs", torture.jobs,
                 "number of parallel processes (default: the number of processors)")
      ->transform(cli::whole_number(1, 1000));
}

}  // namespace headstack::run
