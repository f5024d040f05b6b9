// SPDX-License-Identifier: Apache-2.0
// The folder of a run belongs to this run alone: no other run writes to it, and no older run's
// files remain.
#include "host/output/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

namespace headstack::output {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = fs::path(testing::TempDir()) / ("headstack_run_folder_" + std::to_string(::getpid()));
    fs::create_directories(base_);
    out_ = (base_ / "out").string();
  }
  void TearDown() override { fs::remove_all(base_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(base_ / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(base_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool is_there(const std::string& name) const {
    return fs::exists(fs::symlink_status(base_ / name));
  }
  /// A run that leaves files of these names.
  void run(const std::vector<std::string>& names, bool replace = false) const {
    RunFolder folder(out_, replace);
    folder.begin();
    for (const std::string& name : names) write_file(claim_run_file(out_, name), name);
  }
  /// The message that refuses a run; "" when it may begin.
  std::string objection(bool replace = false) const {
    try {
      const RunFolder folder(out_, replace);
      return "";
    } catch (const OutputError& error) {
      return error.what();
    }
  }

  fs::path base_;
  std::string out_;
};

TEST_F(RunFolderTest, NewOrWithStrangersAlone_IsTaken) {
  EXPECT_EQ(objection(), "");
  write("out/trace", "mine");
  EXPECT_EQ(objection(), "");
  EXPECT_EQ(read("out/trace"), "mine");
  EXPECT_EQ(fs::directory_iterator(out_)->path().filename(), "trace") << "no trace of us is left";
}

TEST_F(RunFolderTest, WithARun_IsRefused_WithTheRemedy) {
  run({"records.csv", "summary.json"});
  EXPECT_THAT(objection(), AllOf(HasSubstr("--out " + out_ + ": holds a run already (records.csv)"),
                                 HasSubstr("another folder"), HasSubstr("--force")));
  EXPECT_EQ(read("out/records.csv"), "records.csv");
}

// A run that was killed at once, before it had records.
TEST_F(RunFolderTest, WithARunThatWasCutShort_IsRefused) {
  run({"drive.toml"});
  EXPECT_THAT(objection(), HasSubstr("holds a run already"));
}

TEST_F(RunFolderTest, Replaced_LosesThatRunsFiles_AndNoOthers) {
  run({"records.csv", "events.txt", "below.fst"});
  write("out/notes.txt", "mine");
  write("out/other.fst", "mine");
  run({"records.csv"}, true);
  EXPECT_FALSE(is_there("out/events.txt"));
  EXPECT_FALSE(is_there("out/below.fst"));
  EXPECT_EQ(read("out/notes.txt"), "mine");
  EXPECT_EQ(read("out/other.fst"), "mine");
  EXPECT_EQ(read("out/records.csv"), "records.csv");
}

// The new run's input may still be wrong, so the older run's files stay.
TEST_F(RunFolderTest, UntilTheRunBegins_TheOlderOneStays) {
  run({"records.csv"});
  { const RunFolder folder(out_, true); }
  EXPECT_EQ(read("out/records.csv"), "records.csv");
  EXPECT_THAT(objection(), HasSubstr("holds a run already"));
}

TEST_F(RunFolderTest, StrangersUnderARunsNames_AreRefused_EvenWithForce) {
  fs::create_directories(out_);
  write("out/drive.toml", "my drive");
  EXPECT_THAT(objection(true),
              AllOf(HasSubstr("drive.toml: has the name of a run's file"), HasSubstr("move it")));
  fs::remove(base_ / "out/drive.toml");
  run({"records.csv"});
  write("out/events.txt", "mine");
  EXPECT_THAT(objection(true), HasSubstr("events.txt: has the name of a run's file"));
  EXPECT_EQ(read("out/events.txt"), "mine");
  EXPECT_EQ(read("out/records.csv"), "records.csv");
}

// A write through a link would overwrite another file. A write to a device overwrites none.
TEST_F(RunFolderTest, Links_AreStrangers_UnlessTheyLeadToADevice) {
  fs::create_directories(out_);
  write("thesis", "mine");
  fs::create_symlink(base_ / "thesis", base_ / "out/records.csv");
  EXPECT_THAT(objection(), HasSubstr("was not left by a run"));
  fs::remove(base_ / "out/records.csv");
  fs::create_symlink(base_ / "nothing", base_ / "out/records.csv");
  EXPECT_THAT(objection(), HasSubstr("was not left by a run"));
  fs::remove(base_ / "out/records.csv");
  fs::create_symlink("/dev/null", base_ / "out/records.csv");
  run({"records.csv"});
  EXPECT_EQ(objection(), "");
  run({}, true);
  EXPECT_TRUE(is_there("out/records.csv")) << "it is the user's";
  EXPECT_EQ(read("thesis"), "mine");
}

// The folder of an old version of headstack, which left no manifest.
TEST_F(RunFolderTest, AnOldRun_IsKnownByItsSummary) {
  fs::create_directories(out_);
  write("out/summary.json", R"({"headstack": "0.1", "event_hash": "0"})");
  write("out/records.csv", "command");
  write("out/notes.txt", "mine");
  EXPECT_THAT(objection(), HasSubstr("holds a run already"));
  run({"drive.toml"}, true);
  EXPECT_FALSE(is_there("out/records.csv"));
  EXPECT_TRUE(is_there("out/notes.txt"));
}

// A manifest may come from another source, and may name any file.
TEST_F(RunFolderTest, AManifestThatNamesFilesElsewhere_RemovesNone) {
  fs::create_directories(out_);
  write("thesis", "mine");
  write("out/.headstack-run", "headstack-run 1          -\n../thesis\n" +
                                  (base_ / "thesis").string() + "\nrecords.csv\n");
  write("out/records.csv", "old");
  run({"summary.json"}, true);
  EXPECT_EQ(read("thesis"), "mine");
  EXPECT_FALSE(is_there("out/records.csv"));
}

TEST_F(RunFolderTest, FilesElsewhere_AreNotNoted) {
  RunFolder folder(out_, false);
  folder.begin();
  fs::create_directories(base_ / "elsewhere");
  fs::create_directory_symlink(base_ / "elsewhere", base_ / "out/link");
  note_run_file(out_, (base_ / "elsewhere/run.fst").string());
  note_run_file(out_, out_ + "/link/run.fst");
  note_run_file(out_, out_ + "/run.fst");
  note_run_file(out_, out_ + "/run.fst");
  EXPECT_EQ(read("out/.headstack-run").substr(27), "run.fst\n");
}

TEST_F(RunFolderTest, WhileARunLasts_AnotherIsRefused_AndToldItsProcess) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    RunFolder folder(out_, false);
    folder.begin();
    [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  for (const bool replace : {false, true}) {
    EXPECT_THAT(objection(replace),
                AllOf(HasSubstr("process " + std::to_string(other) + " is writing a run there"),
                      HasSubstr("another folder")));
  }
  // The lock is gone, whatever ends the run. The run has left no file yet.
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_EQ(objection(), "");
  ::close(ready[0]);
  ::close(ready[1]);
}

// A snapshot of the run may outlive it for a moment, and has the same lock.
TEST_F(RunFolderTest, GivenBack_IsFree_WhoeverElseHeldTheLockToo) {
  auto folder = std::make_unique<RunFolder>(out_, false);
  folder->begin();
  const pid_t snapshot = ::fork();
  if (snapshot == 0) {
    ::pause();
    ::_exit(0);
  }
  folder.reset();
  EXPECT_EQ(objection(), "");
  EXPECT_EQ(read("out/.headstack-run"), "headstack-run 1          -\n");
  ::kill(snapshot, SIGKILL);
  ::waitpid(snapshot, nullptr, 0);
}

}  // namespace
}  // namespace headstack::output
