// SPDX-License-Identifier: Apache-2.0
// Two scenarios have one identity if their runs have the same results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/scenario/digest.hpp"
#include "host/scenario/identity.hpp"
#include "host/scenario/load.hpp"
#include "tests/paths.hpp"
#include "tests/scenario_value/errors.hpp"

namespace headstack::scenario {
namespace {

namespace fs = std::filesystem;

// FIPS 180-4's example, and the hash of nothing.
constexpr const char* kHashOfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kHashOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

class ScenarioIdentity : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("HEADSTACK_ROOT", test::source_root(), 1);
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("identity-") + test->name());
    fs::create_directories(folder_);
    write("abc.trace", "abc");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string of(std::vector<std::string> settings) const {
    settings.insert(settings.begin(), "trace=" + path("abc.trace"));
    return identity(load_settings(settings).scenario);
  }

  fs::path folder_;
};

TEST_F(ScenarioIdentity, Hashes_AreThoseOfTheStandard) {
  EXPECT_EQ(sha256_of_text("abc"), kHashOfAbc);
  EXPECT_EQ(sha256_of_text(""), kHashOfNothing);
  EXPECT_EQ(sha256_of_file(path("abc.trace")), kHashOfAbc);
  write("empty", "");
  EXPECT_EQ(sha256_of_file(path("empty")), kHashOfNothing);
  write("large", std::string(200'000, 'x'));
  EXPECT_EQ(sha256_of_file(path("large")), sha256_of_text(std::string(200'000, 'x')));
}

TEST_F(ScenarioIdentity, Text_HasSchemaAndContentInThePlaceOfFiles) {
  const Scenario s = load_settings({"trace=" + path("abc.trace"), "depth=3"}).scenario;
  const std::string drive =
      sha256_of_file(std::string(test::source_root()) + "/sim/drives/cheetah_9lp.toml");
  EXPECT_EQ(identity_text(s), "schema = 1\n\n[drive]\nname = \"sha256:" + drive +
                                  "\"\n\n[load]\ntrace = \"sha256:" + kHashOfAbc +
                                  "\"\n\n[hosts]\ndepth = 3\n");
  EXPECT_EQ(identity(s), sha256_of_text(identity_text(s)));
}

TEST_F(ScenarioIdentity, NamesAndTitle_ChangeNothing) {
  write("other.trace", "abc");
  const std::string same = of({});
  EXPECT_EQ(of({"trace=" + path("other.trace")}), same);
  EXPECT_EQ(of({"title=another"}), same);
  EXPECT_EQ(of({"depth=32"}), same);
  EXPECT_EQ(of({"platform=vp"}), same);
  EXPECT_EQ(of({"wave=a.fst"}), of({"wave=b.fst", "platform=rtl"}));
}

TEST_F(ScenarioIdentity, ContentAndValues_ChangeIt) {
  const std::string same = of({});
  EXPECT_NE(of({"depth=31"}), same);
  EXPECT_NE(of({"drive=eagle"}), same);
  EXPECT_NE(of({"platform=rtl"}), same);
  EXPECT_NE(of({"wave=a.fst", "platform=rtl"}), of({"platform=rtl"}));
  write("abc.trace", "abd");
  EXPECT_NE(of({}), same);
}

TEST_F(ScenarioIdentity, Media_AreTheirContentOrNew) {
  const std::string media = "drive.media=" + path("m.img");
  const std::string fresh = of({media});
  EXPECT_NE(fresh, of({}));
  write("m.img", "content");
  EXPECT_NE(of({media}), fresh);
}

TEST_F(ScenarioIdentity, WhatCannotBeRead_IsAnError) {
  EXPECT_EQ(error_of([&] { of({"trace=" + path("none")}); }),
            path("none") + ": cannot be read; check that the file exists");
  EXPECT_EQ(error_of([&] { of({"trace=" + folder_.string()}); }),
            folder_.string() + ": is a folder; name a file");
  EXPECT_EQ(error_of([&] { of({"trace=-"}); }),
            "load.trace: standard input has no identity; write it into a file, and name that");
}

}  // namespace
}  // namespace headstack::scenario
