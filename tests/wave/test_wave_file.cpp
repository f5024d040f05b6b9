// SPDX-License-Identifier: Apache-2.0
// Where waves may be written: below a folder, and over no file but an older wave file.
#include "host/wave/wave_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support.hpp"

namespace headstack::wave {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// GTKWave's fstapi.c, fstWriterEmitHdrBytes(): the block's type, 0, and its length, 329.
const std::string kWave("\0\0\0\0\0\0\0\1\x49 what follows", 23);

/// A folder with another one beside it, and links.
class WaveFile : public testing::Test {
 protected:
  void SetUp() override {
    base_ = fs::path(testing::TempDir()) / ("headstack_wave_file_" + std::to_string(::getpid()));
    fs::create_directories(base_ / "out/below");
    fs::create_directories(base_ / "other");
    write("out/old.fst", kWave);
    write("out/thesis.fst", "my thesis");
    write("out/empty.fst", "");
    write("out/cut.fst", kWave.substr(0, 8));
    write("out/named.fst.hier", "mine");
    write("other/old.fst", kWave);
    fs::create_directory(base_ / "out/folder.fst");
    fs::create_directory_symlink(base_ / "other", base_ / "out/away");
    fs::create_directory_symlink(base_ / "out/below", base_ / "out/here");
    fs::create_symlink(base_ / "other/old.fst", base_ / "out/link.fst");
    fs::create_symlink(base_ / "other/new.fst", base_ / "out/dangling.fst");
    fs::create_directory_symlink(base_ / "out", base_ / "out_link");
  }
  void TearDown() override { fs::remove_all(base_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(base_ / name, std::ios::binary) << bytes;
  }
  std::string in(const std::string& name) const { return (fs::canonical(base_) / name).string(); }
  /// The path below the folder, or the error's text.
  std::string place(const std::string& name, const std::string& folder = "out") const {
    try {
      return wave_path_below((base_ / folder).string(), name);
    } catch (const WaveFileError& error) {
      return std::string("no: ") + error.what();
    }
  }

  fs::path base_;
};

TEST_F(WaveFile, BelowTheFolder_NewOrAWave_IsWritten) {
  EXPECT_EQ(place("new.fst"), in("out/new.fst"));
  EXPECT_EQ(place("old.fst"), in("out/old.fst"));
  EXPECT_EQ(place("below/new.fst"), in("out/below/new.fst"));
  EXPECT_EQ(place("below/../new.fst"), in("out/new.fst"));
  EXPECT_EQ(place("here/new.fst"), in("out/below/new.fst")) << "a link that stays below it";
  EXPECT_EQ(place(in("out/new.fst")), in("out/new.fst"));
  EXPECT_EQ(place("new.fst", "out_link"), in("out/new.fst"));
}

TEST_F(WaveFile, OutsideOfTheFolder_IsRefused_HoweverItIsNamed) {
  for (const std::string name : {"../new.fst", "below/../../new.fst", "../other/old.fst",
                                 "away/new.fst", "away/old.fst", "/tmp/new.fst"}) {
    EXPECT_THAT(place(name), HasSubstr("lies outside of the run's folder")) << name;
  }
  fs::create_directories(base_ / "out2");
  EXPECT_THAT(place("../out2/new.fst"), HasSubstr("outside")) << "a name that begins alike";
  EXPECT_THAT(place(in("other/old.fst")), HasSubstr("outside"));
}

TEST_F(WaveFile, OverWhatIsNoWaveFile_IsRefused) {
  for (const std::string name :
       {"thesis.fst", "empty.fst", "cut.fst", "folder.fst", "link.fst", "dangling.fst"}) {
    EXPECT_THAT(place(name), HasSubstr("is not a wave file")) << name;
  }
  EXPECT_THAT(place("named.fst"), HasSubstr("named.fst.hier: exists"));
}

TEST_F(WaveFile, NamesThatAreNone_AreRefused) {
  for (const std::string name : {"", ".", "..", "new", "new.vcd", ".fst", "new.fst/"}) {
    EXPECT_THAT(place(name), HasSubstr("ends in .fst")) << name;
  }
  EXPECT_THAT(place("no/new.fst"), HasSubstr("there is no folder"));
}

// The file of signal names exists while a wave is written, or after its writer was killed.
TEST_F(WaveFile, AnUnfinishedWave_IsReplacedWithItsNames) {
  write("out/old.fst.hier", "names");
  EXPECT_EQ(place("old.fst"), in("out/old.fst"));
  fs::remove(base_ / "out/old.fst.hier");
  fs::create_symlink(base_ / "other/old.fst", base_ / "out/old.fst.hier");
  EXPECT_THAT(place("old.fst"), HasSubstr("old.fst.hier: exists"));
}

}  // namespace
}  // namespace headstack::wave
