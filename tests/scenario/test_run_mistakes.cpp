// SPDX-License-Identifier: Apache-2.0
// Words that users of `headstack run` got wrong: each is an error that names it, and costs nothing.
#include <gmock/gmock.h>
#include <sys/stat.h>

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
  /// Without the folder and the trace that other runs of the fixture get.
  int run_words(const std::string& words) const {
    const std::string line = "cd '" + folder().string() + "' && HEADSTACK_ROOT='" +
                             test::source_dir().string() + "' '" + test::run_program() + "' " +
                             words + " >'" + file("stdout") + "' 2>'" + file("stderr") + "'";
    return WEXITSTATUS(std::system(line.c_str()));
  }
  static constexpr const char* kVp = "--platform vp --drive hp_c3323a ";
};

// Names of files are bytes; JSON is UTF-8, where U+FFFD stands for what is none.
TEST_F(RunMistakes, NamesThatAreNotUtf8_AreReplacedInTheSummary) {
  fs::rename(file("trace"), file("v\xFF.trace"));
  ASSERT_EQ(run_words(std::string(kVp) + "--trace 'v\xFF.trace' --media 'm\xFF' --out out"), 0)
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

}  // namespace
}  // namespace headstack::scenario
