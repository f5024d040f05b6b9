// SPDX-License-Identifier: Apache-2.0
/// @file `headstack run` from the user's side, with traces made by the test.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <nlohmann/json.hpp>

#include "tests/paths.hpp"
#include "tests/support.hpp"

namespace headstack::scenario {

using Json = nlohmann::json;

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A row of a table of runs.
struct DriveLoad {
  const char* what;
  const char* drive;
  std::uint64_t blocks;  // the drive's capacity
  const char* arguments;
};

/// Runs the program in a folder of its own, which is removed with the test.
class ReplayFixture : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("headstack_replay_" + std::to_string(::getpid()) + "_" + name);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  using NextSize = std::function<std::uint32_t(std::mt19937_64&)>;

  /// A closed-loop trace of seeded requests, reads and writes equally likely. Half of them are
  /// anywhere, half within `hot` blocks, so that reads and writes overlap. Sizes are in blocks, at
  /// most 256.
  void write_trace(std::uint32_t seed, int requests, std::uint64_t blocks, std::uint64_t hot,
                   const NextSize& next_size = small_mix) const {
    std::mt19937_64 random(seed);
    std::ofstream out(file("trace"));
    out << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n";
    for (int i = 0; i < requests; ++i) {
      const std::uint32_t size = next_size(random);
      const std::uint64_t lba = random() % ((random() % 2 == 0 ? blocks : hot) - 256);
      out << "- " << (random() % 2 == 0 ? 'R' : 'W') << ' ' << lba << ' ' << size << " -\n";
    }
  }
  static std::uint32_t small_mix(std::mt19937_64& random) {
    constexpr std::uint32_t kSizes[] = {1, 2, 7, 8, 8, 8, 33, 128};
    return kSizes[random() % 8];
  }
  /// A size of 1 to 256: the range between powers of two is uniform, and so is the size within it.
  static std::uint32_t any_size(std::mt19937_64& random) {
    const auto power = static_cast<unsigned>(random() % 9);
    return power == 8 ? 256 : (1U << power) + static_cast<std::uint32_t>(random() % (1U << power));
  }

  std::string command(const std::string& arguments, const std::string& out) const {
    return "HEADSTACK_ROOT='" + test::source_dir().string() + "' exec '" + program_ +
           "' --trace '" + file("trace") + "' --out '" + file(out) + "' " + force_ + arguments +
           " >'" + file("stdout") + "' 2>'" + file("stderr") + "'";
  }
  int run(const std::string& arguments, const std::string& out) const {
    return WEXITSTATUS(std::system(command(arguments, out).c_str()));
  }
  /// Starts a run without waiting for it.
  ::pid_t start(const std::string& arguments, const std::string& out) const {
    const std::string line = command(arguments, out);
    const ::pid_t child = ::fork();
    if (child == 0) ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    return child;
  }
  Json summary(const std::string& out) const {
    return Json::parse(slurp(std::filesystem::path(file(out)) / "summary.json"));
  }
  std::string errors() const { return slurp(file("stderr")); }

  /// Makes the following runs fail in folders that hold a run. By default the run there is
  /// replaced, for tests that repeat a run.
  void keep_runs() { force_.clear(); }
  /// Uses another build of `headstack run` from here on.
  void use_program(const std::string& program) { program_ = program; }
  /// The folder of the test's files.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string program_ = test::run_program();
  std::string force_ = "--force ";
};

inline void expect_sound(const Json& summary, int commands) {
  EXPECT_EQ(summary["result"]["commands"], commands);
  EXPECT_EQ(summary["result"]["failed"], 0);
  EXPECT_EQ(summary["result"]["record_faults"], 0);
  EXPECT_EQ(summary["bus_violations"], 0) << "SCSI-2 timing, by the bus's own checker";
  EXPECT_EQ(summary["failure"], "");
}

}  // namespace headstack::scenario
