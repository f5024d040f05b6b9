// SPDX-License-Identifier: Apache-2.0
// The front end from its user's side: a folder for each test, output and exit status of a command.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support.hpp"

namespace headstack::test {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("headstack_cli_" + std::to_string(::getpid()) + "_" + name);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// @param environment  Shell assignments in front of the command.
  Outcome run(const std::string& arguments, const std::string& environment = "") const {
    const std::string command = environment + " HEADSTACK_ROOT='" + source_dir().string() + "' '" +
                                built(HEADSTACK_PROGRAM) + "' " + arguments + " >'" + file("out") +
                                "' 2>'" + file("err") + "'";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), slurp(file("out")), slurp(file("err"))};
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace headstack::test
