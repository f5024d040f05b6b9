// SPDX-License-Identifier: Apache-2.0
// Mistakes of `headstack run`'s users: each is an error that names it, and has no other effect.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <utility>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class RunMistakes : public ReplayFixture {
 protected:
  void SetUp() override {
    ReplayFixture::SetUp();
    keep_runs();
    write_trace(3, 4, 2'056'008, 300);
  }
  /// Runs the program without the folder and the trace of other runs of the fixture.
  int run_words(const std::string& words) const {
    const std::string line = "cd '" + folder().string() + "' && HEADSTACK_ROOT='" +
                             test::source_dir().string() + "' '" + test::run_program() + "' " +
                             words + " >'" + file("stdout") + "' 2>'" + file("stderr") + "'";
    return WEXITSTATUS(std::system(line.c_str()));
  }
  static constexpr const char* kVp = "--platform vp --drive hp_c3323a ";
};

// File names are bytes, and JSON is UTF-8: U+FFFD replaces invalid bytes.
TEST_F(RunMistakes, NamesThatAreNotUtf8_AreReplacedInTheSummary) {
  fs::rename(file("trace"), file("v\xFF.trace"));
  ASSERT_EQ(run_words(std::string(kVp) + "--trace 'v\xFF.trace' drive.media='m\xFF' --out out"), 0)
      << errors();
  EXPECT_EQ(summary("out")["trace"], "v\uFFFD.trace");
  EXPECT_EQ(summary("out")["media"], "m\uFFFD");
  EXPECT_EQ(summary("out")["result"]["commands"], 4);
}

TEST_F(RunMistakes, FoldersInPlaceOfFiles_AreCalledFolders) {
  fs::create_directories(file("folder"));
  EXPECT_EQ(run_words(std::string(kVp) + "--trace folder --out out"), 1);
  EXPECT_EQ(errors(), "headstack: error: folder: is a folder; name the trace in it\n");
  EXPECT_EQ(run(std::string(kVp) + "--firmware '" + file("folder") + "'", "out"), 1);
  EXPECT_THAT(errors(), HasSubstr("folder: is a folder; give the linked firmware"));
}

// --force replaces the older run when the new one begins, and no mistake of a user begins a run.
TEST_F(RunMistakes, WithForce_CostNoOlderRun) {
  ASSERT_EQ(run(kVp, "out"), 0) << errors();
  const std::string records = slurp(file("out/records.csv"));
  std::ofstream(file("typo.json")) << "{";
  std::ofstream(file("unreadable"))
      << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\nx\n";
  std::ofstream(file("far")) << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n"
                             << "- R 9000000 8 -\n";
  const std::string trace = "--trace trace ", drive = kVp;
  const std::pair<std::string, std::string> mistakes[] = {
      {drive + trace + "remap.maps=typo.json", "typo.json"},
      {drive + trace + "remap.maps=none.json", "none.json"},
      {drive + trace + "--firmware nofile", "nofile"},
      {drive + trace + "--firmware /bin/ls", "/bin/ls"},
      {drive + trace + "drive.media=/etc/passwd", "/etc/passwd"},
      {"--drive hp_c3323a --wave nodir/x.fst " + trace, "nodir/x.fst: cannot be written"},
      {drive + trace + "--gdb bogus", "--gdb bogus: not an address"},
      {drive + trace + "--gdb :99999", "--gdb :99999: there is no such port; give one from 0"},
      {drive + trace + "--gdb unix:nodir/x", "--gdb unix:nodir/x: No such file"},
      {"--platform vp --drive abstract_1000_track " + trace, "mean latency"},
      {drive + "--trace unreadable", "unreadable:5"},
      {drive + "--trace far", "far:5: lba"},
      {drive + "--trace far load.map=scale load.trace_end=100", "9000000 lies past the given end"},
  };
  for (const auto& [words, told] : mistakes) {
    EXPECT_EQ(run_words(words + " --out out --force"), 1) << words;
    EXPECT_THAT(errors(), AllOf(HasSubstr("headstack: error: "), HasSubstr(told))) << words;
    EXPECT_TRUE(slurp(file("out/records.csv")) == records) << words;
    EXPECT_EQ(summary("out")["result"]["commands"], 4) << words;
  }
  EXPECT_EQ(run(std::string(kVp) + "--force --limit 2", "out"), 0) << errors();
  EXPECT_EQ(summary("out")["result"]["commands"], 2);
}

// A port in use by another program is reported before, too.
TEST_F(RunMistakes, WithForce_AndAPortInUse_CostNoOlderRun) {
  ASSERT_EQ(run(kVp, "out"), 0) << errors();
  const int other = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof place;
  ASSERT_EQ(::bind(other, reinterpret_cast<sockaddr*>(&place), bytes), 0);
  ASSERT_EQ(::listen(other, 1), 0);
  ASSERT_EQ(::getsockname(other, reinterpret_cast<sockaddr*>(&place), &bytes), 0);
  const std::string port = std::to_string(ntohs(place.sin_port));
  EXPECT_EQ(run(std::string(kVp) + "--force --gdb :" + port, "out"), 1);
  EXPECT_THAT(errors(), HasSubstr("another run may use it"));
  EXPECT_EQ(summary("out")["result"]["commands"], 4);
  ::close(other);
}

// A timeline may replace an older one, and no other file.
TEST_F(RunMistakes, Timelines_ReplaceOnlyTimelines) {
  const std::string words = std::string(kVp) + "--limit 2 observe.timeline=true";
  ASSERT_EQ(run(words, "older"), 0) << errors();
  const std::string timeline = slurp(file("older/timeline.perfetto"));
  const std::string name = "out/timeline.perfetto";
  fs::create_directories(file("out"));
  for (const fs::path& other :
       {folder() / "trace", test::source_dir() / "sim/drives/hp_c3323a.toml",
        folder() / "older/records.csv", folder() / "older/summary.json"}) {
    fs::copy_file(other, file(name), fs::copy_options::overwrite_existing);
    EXPECT_EQ(run(words, "out"), 1) << other;
    EXPECT_THAT(errors(), HasSubstr(name)) << other;
    EXPECT_TRUE(slurp(file(name)) == slurp(other));
    EXPECT_FALSE(fs::exists(file("out/records.csv"))) << other;
  }
  // The older one was cut off, or belongs to a killed run that had not begun it.
  for (const std::size_t length : {std::size_t{20}, std::size_t{3}, std::size_t{0}}) {
    std::ofstream(file("older/timeline.perfetto")) << timeline.substr(0, length);
    EXPECT_EQ(run(words + " --force", "older"), 0) << errors();
    EXPECT_TRUE(slurp(file("older/timeline.perfetto")) == timeline) << length;
  }
}

// The run's own files in OUT have reserved names, in any spelling. Each is refused before it
// exists.
TEST_F(RunMistakes, FilesUnderTheNamesOfTheRunsOwn_AreRefused) {
  fs::create_directories(file("out"));
  fs::create_directory_symlink(file("out"), file("link"));
  const char* names[] = {"out/records.csv",  "out/drive.toml",      "out/summary.json",
                         "out/events.txt",   "out/profile.txt",     "./out/../out/records.csv",
                         "link/records.csv", "out/.headstack-run",  "out/counts.json",
                         "out/ledger.txt",   "out/post-mortem.txt", "out/timeline.perfetto",
                         "out/scenario.toml"};
  for (const std::string name : names) {
    EXPECT_EQ(run_words(std::string(kVp) + "--trace trace --out out drive.media=" + name), 1);
    EXPECT_THAT(errors(), HasSubstr("drive.media " + name +
                                    ": the run leaves a file of its own under this name; give "
                                    "another name"));
  }
  EXPECT_EQ(run_words("--drive hp_c3323a --trace trace --out out --wave out/post-mortem.fst"), 1);
  EXPECT_THAT(errors(), HasSubstr("file of its own"));
  EXPECT_TRUE(fs::is_empty(file("out")));
  // The nearest valid name is accepted.
  EXPECT_EQ(run_words(std::string(kVp) + "--trace trace --out out drive.media=out/records.media"),
            0)
      << errors();
}

TEST_F(RunMistakes, OneNameForTwoFiles_IsRefused) {
  fs::create_hard_link(file("trace"), file("also"));
  EXPECT_EQ(run_words(std::string(kVp) + "--trace trace --out out drive.media=also"), 1);
  EXPECT_THAT(errors(), HasSubstr("drive.media also: is the file of load.trace, too"));
}

// Opening a pipe waits for a reader, for ever.
TEST_F(RunMistakes, PipeUnderARunsName_IsRefused) {
  fs::create_directories(file("out"));
  ASSERT_EQ(::mkfifo(file("out/records.csv").c_str(), 0600), 0);
  EXPECT_EQ(run_words("--drive hp_c3323a --platform vp --trace trace --out out --force"), 1);
  EXPECT_THAT(errors(), HasSubstr("out/records.csv: has the name of a run's file"));
}

// An unset variable of the shell makes such words.
TEST_F(RunMistakes, EmptyValues_NameTheirOption) {
  const char* options[] = {"--out",   "--policy", "--cache", "--firmware", "--gdb",
                           "--trace", "--drive",  "--wave",  "--depth"};
  for (const std::string option : options) {
    EXPECT_EQ(run_words("--platform vp " + option + " ''"), 2) << option;
    EXPECT_THAT(errors(), HasSubstr(option + ": its value is empty; give one, or leave the option "
                                             "out"));
  }
  EXPECT_EQ(run_words("--batch ''"), 2);
  EXPECT_THAT(errors(), HasSubstr("--batch: its value is empty"));
}

TEST_F(RunMistakes, BatchesOfNothing_AreErrors) {
  EXPECT_EQ(run_words("--batch ."), 1);
  EXPECT_THAT(errors(), HasSubstr("--batch .: is a folder"));
  std::ofstream(file("empty")) << "";
  EXPECT_EQ(run_words("--batch empty"), 1);
  EXPECT_THAT(errors(), HasSubstr("--batch empty: is empty; write a run a line"));
}

// The words would be lost, as the runs have the options of their lines.
TEST_F(RunMistakes, WordsBesideABatch_AreErrors) {
  std::ofstream(file("batch"))
      << R"(["--platform", "vp", "--drive", "hp_c3323a", "--trace", "trace", "--out", "out"])"
      << '\n';
  for (const std::string words : {"--force --batch batch", "--batch batch --policy stf",
                                  "--batch=batch --nonsense", "--batch batch word"}) {
    EXPECT_EQ(run_words(words), 2) << words;
    EXPECT_THAT(errors(), HasSubstr("--batch: goes by itself")) << words;
    EXPECT_FALSE(fs::exists(file("out"))) << words;
  }
  EXPECT_EQ(run_words("--batch=batch"), 0) << errors();
  EXPECT_EQ(summary("out")["result"]["commands"], 4);
}

}  // namespace
}  // namespace headstack::scenario
