// SPDX-License-Identifier: Apache-2.0
// Files and standard output are written as a whole, or the program reports an error.
#include "host/output/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

namespace headstack::output {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("headstack_output_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string slurp(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The text of what the action throws, or "nothing".
  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const OutputError& error) {
      return error.what();
    }
    return "nothing";
  }

  std::filesystem::path folder_;
};

// The sizes are around that of the buffer, and far beyond it.
TEST_F(OutputFileTest, HoldsAllThatWasWritten_WhateverIsHeldBack) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65'535},
                                  std::size_t{65'536}, std::size_t{65'537}, std::size_t{300'000}}) {
    const std::string text(bytes, 'x');
    write_file(path("f"), text);
    EXPECT_TRUE(slurp(path("f")) == text) << bytes;
  }
}

TEST_F(OutputFileTest, Commit_PutsItThere_BeforeTheEnd) {
  OutputFile file(path("f"));
  file << "half";
  EXPECT_EQ(slurp(path("f")), "");
  file.commit();
  EXPECT_EQ(slurp(path("f")), "half");
  file << " a loaf";
  file.close();
  EXPECT_EQ(slurp(path("f")), "half a loaf");
  EXPECT_FALSE(file.is_open());
  EXPECT_EQ(error_of([&] { file.close(); }), "nothing") << "once more is no harm";
}

// full(4): a write to /dev/full fails with ENOSPC.
TEST_F(OutputFileTest, OnAFullDisk_IsAnErrorWithNameReasonAndRemedy) {
  const auto full = AllOf(HasSubstr("/dev/full: cannot be written: No space left on device"),
                          HasSubstr("; make room on its disk"));
  EXPECT_THAT(error_of([] { write_file("/dev/full", "x"); }), full);
  OutputFile file("/dev/full");
  file << "x";
  EXPECT_THAT(error_of([&] { file.commit(); }), full);
  file << "y";
  EXPECT_THAT(error_of([&] { file.close(); }), full) << "it is not forgotten";
  OutputFile named;
  named.open("/dev/full", "shown");
  named << std::string(100'000, 'x');
  EXPECT_THAT(error_of([&] { named.close(); }), HasSubstr("shown: cannot be written"));
}

TEST_F(OutputFileTest, ThatCannotBeMade_IsAnErrorWithItsRemedy) {
  EXPECT_THAT(
      error_of([&] { OutputFile f(path("no/f")); }),
      AllOf(HasSubstr("no/f: cannot be written: No such file"), HasSubstr("make its folder")));
  EXPECT_THAT(error_of([&] { OutputFile f(folder_.string()); }), HasSubstr("there is a folder"));
  EXPECT_THAT(error_of([&] { OutputFile f(path(std::string(300, 'n'))); }), HasSubstr("shorter"));
}

/// The exit status of a child process that runs the action.
int in_child(const std::function<int()>& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

// setrlimit(2): a write past the limit sends SIGXFSZ, or fails with EFBIG where that is ignored.
TEST_F(OutputFileTest, PastALimitOfTheShell_IsAnError_AndNoDeath) {
  const int status = in_child([this] {
    take_signals_as_errors();
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    if (error_of([this] { write_file(path("f"), std::string(100, 'x')); }) != "nothing") return 1;
    const std::string error = error_of([this] { write_file(path("g"), std::string(101, 'x')); });
    return error.find("g: cannot be written: File too large; lift the limit") != std::string::npos
               ? 0
               : 2;
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(OutputFileTest, StandardOutput_ThatIsFull_IsAnError) {
  EXPECT_EQ(in_child([] {
              if (std::freopen("/dev/full", "w", stdout) == nullptr) return 1;
              print("x");
              const std::string error = error_of(finish_standard_output);
              return error.find("standard output: cannot be written: No space left") == 0 ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace headstack::output
