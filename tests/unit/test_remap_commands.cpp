// SPDX-License-Identifier: Apache-2.0
// `headstack remap arrange`: it reads files and writes a map, with one clear error for each fault
// of a file.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <vector>
#include <nlohmann/json.hpp>

#include "tests/unit/cli_fixture.hpp"

namespace headstack {
namespace {

using test::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

class RemapCli : public test::Cli {
 protected:
  void SetUp() override {
    test::Cli::SetUp();
    counts_ = {{"format", "headstack-counts-1"},
               {"first_block", 0},
               {"group_blocks", 160},
               {"groups", 40}};
    counts_["visits"] = {{4, 700}, {30, 600}, {31, 80}};
    counts_["pairs"] = {{4, 30, 600}, {30, 4, 590}, {4, 31, 80}, {31, 4, 70}};
    counts_["gaps"] = {{0, 5}, {1.414, 3}, {64, 9}};
  }

  std::string write(const std::string& name, const Json& json) const {
    std::ofstream(file(name)) << json.dump();
    return file(name);
  }

  Outcome arrange(const std::string& options) const {
    return run("remap arrange zoned_179mb --counts " + write("counts.json", counts_) + " " +
               options);
  }

  static bool is_map(const Json& map, std::uint32_t units) {
    std::vector<std::uint32_t> slots = map["slots"];
    std::sort(slots.begin(), slots.end());
    for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
      if (slots[slot] != slot) return false;
    }
    return slots.size() == units;
  }

  Json counts_;
};

TEST_F(RemapCli, Popularity_WritesAMap_ThatBeginsWithTheBusiest) {
  const Outcome outcome = arrange("--method popularity --json -o " + file("map.json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json map = Json::parse(test::slurp(file("map.json")));
  EXPECT_EQ(map["format"], "headstack-map-1");
  EXPECT_EQ(map["first_block"], 0);
  EXPECT_EQ(map["unit_blocks"], 16);
  EXPECT_TRUE(is_map(map, 348'960 / 16));
  EXPECT_EQ(map["slots"][40], 0);  // the first unit of group 4
  EXPECT_EQ(Json::parse(outcome.out)["units"], 348'960 / 16);
}

TEST_F(RemapCli, KeptMap_HasTheEnergyThatWasReported) {
  const Json made = Json::parse(
      arrange("--unit 0 --whole-groups --energy transfer --json -o " + file("map.json")).out);
  const Json kept =
      Json::parse(arrange("--unit 0 --whole-groups --energy transfer --method keep --json --map " +
                          file("map.json"))
                      .out);
  EXPECT_EQ(kept["result_energy"], made["result_energy"]);
  EXPECT_EQ(kept["identity_energy"], made["identity_energy"]);
  EXPECT_LT(made["result_mean"].get<double>(), made["identity_mean"].get<double>());
}

TEST_F(RemapCli, EqualSeeds_MakeEqualMaps) {
  const std::string options = "--trials 500 --seed 5 -o ";
  ASSERT_EQ(arrange(options + file("one.json")).status, 0);
  ASSERT_EQ(arrange(options + file("two.json")).status, 0);
  ASSERT_EQ(arrange("--trials 500 --seed 6 -o " + file("other.json")).status, 0);
  EXPECT_EQ(test::slurp(file("one.json")), test::slurp(file("two.json")));
  EXPECT_NE(test::slurp(file("one.json")), test::slurp(file("other.json")));
}

// 16 bits hold 65,535: all counts are halved alike, and keep their proportions.
TEST_F(RemapCli, LargeCounts_AreHalved) {
  const Json plain = Json::parse(arrange("--method organ --energy seek --json").out);
  for (auto& row : counts_["visits"]) row[1] = row[1].get<int>() * 1024;
  for (auto& row : counts_["pairs"]) row[2] = row[2].get<int>() * 1024;
  const Json large = Json::parse(arrange("--method organ --energy seek --json").out);
  EXPECT_EQ(plain["count_halvings"], 0);
  EXPECT_EQ(large["count_halvings"], 4);
  EXPECT_EQ(large["result_mean"], plain["result_mean"]);
}

TEST_F(RemapCli, RarestPairs_AreLeftOut_WithAWarning) {
  counts_["groups"] = 2000;
  for (int i = 0; i < 20'478; ++i) {
    counts_["pairs"].push_back({100 + i % 1900, 40 + i / 1900, 1});
  }
  const Outcome outcome = arrange("--method organ --json");
  ASSERT_EQ(outcome.status, 0);
  EXPECT_EQ(Json::parse(outcome.out)["pairs_left_out"], 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning"), HasSubstr("the 2 rarest pairs")));
}

TEST_F(RemapCli, FaultsOfCounts_AreOneLine_WithFileFieldAndRemedy) {
  const auto faulty = [this](const char* what, const Json& counts, const std::string& problem) {
    const Outcome outcome =
        run("remap arrange zoned_179mb --method organ --counts " + write("counts.json", counts));
    EXPECT_EQ(outcome.status, 1) << what;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("headstack: error: " + file("counts.json")),
                                   HasSubstr(problem), HasSubstr("remap analyse")))
        << what;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << what;
  };
  const auto with = [this](const char* key, const Json& value) {
    Json counts = counts_;
    counts[key] = value;
    return counts;
  };
  faulty("no object", Json::array(), "is no JSON object");
  faulty("format", with("format", "headstack-map-1"), "'format'");
  faulty("number", with("group_blocks", 0), "'group_blocks' has 0");
  faulty("text", with("groups", "forty"), "'groups' has \"forty\"");
  faulty("no list", with("visits", 7), "'visits' is no list");
  faulty("row", with("visits", {{1, 2, 3}}), "'visits' has [1,2,3]");
  faulty("group", with("pairs", {{1, 40, 3}}), "'pairs' has 40");
  faulty("negative", with("visits", {{1, -2}}), "'visits' has -2");
  faulty("group twice", with("visits", {{1, 2}, {1, 3}}), "'visits' has group 1 twice");
  faulty("pair twice", with("pairs", {{1, 2, 3}, {1, 2, 4}}), "'pairs' has 1, 2 twice");
  faulty("gaps", with("gaps", {{5, 1}, {5, 1}}), "'gaps' has [5,1], which does not ascend");
  Json counts = counts_;
  counts.erase("pairs");
  faulty("missing", counts, "'pairs' is missing");
  EXPECT_THAT(run("remap arrange zoned_179mb --counts " + file("nowhere.json")).err,
              AllOf(HasSubstr("nowhere.json"), HasSubstr("cannot be read")));
}

TEST_F(RemapCli, AMapThatIsThere_StaysWithoutForce_AndAnInputWithIt) {
  const std::string map = file("map.json"), counts = file("counts.json");
  ASSERT_EQ(arrange("--method organ -o " + map).status, 0);
  const std::string before = test::slurp(map);
  const Outcome refused = arrange("--method popularity -o " + map);
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.err, "headstack: error: " + map + ": exists; give --force to overwrite it\n");
  EXPECT_EQ(test::slurp(map), before);
  EXPECT_EQ(arrange("--method popularity --force -o " + map).status, 0);
  EXPECT_NE(test::slurp(map), before);
  for (const std::string& words :
       {"--force -o " + counts, "--map " + map + " --method keep --force -o " + map}) {
    EXPECT_EQ(arrange(words).status, 1) << words;
    EXPECT_THAT(arrange(words).err, HasSubstr(": is what the command reads; give another name"));
  }
  EXPECT_EQ(Json::parse(test::slurp(counts)), counts_);
  EXPECT_EQ(arrange("--method organ -o /dev/null").status, 0);
}

TEST_F(RemapCli, FaultsOfMaps_AreOneLine) {
  const Json good = {
      {"format", "headstack-map-1"}, {"first_block", 0}, {"unit_blocks", 16}, {"slots", {0, 1, 2}}};
  const auto faulty = [this, &good](const char* key, const Json& value,
                                    const std::string& problem) {
    Json map = good;
    map[key] = value;
    const Outcome outcome = arrange("--method keep --map " + write("map.json", map));
    EXPECT_EQ(outcome.status, 1) << key;
    EXPECT_THAT(outcome.err, HasSubstr(problem));
  };
  faulty("slots", {0, 1, 1}, "'slots' has 1 twice");
  faulty("slots", {0, 3, 1}, "'slots' has 3, which is no whole number from 0 to 2");
  faulty("slots", Json::array(), "'slots' has 0 entries");
  faulty("unit_blocks", 16, "--map: its grid is 3 units of 16 blocks");
}

TEST_F(RemapCli, WhatTheFirmwareHasNot_IsAnError) {
  EXPECT_THAT(arrange("--unit 7").err,
              HasSubstr("7 blocks do not divide a group of the counts, 160"));
  EXPECT_THAT(arrange("--unit 1").err,
              HasSubstr("make 160 units of a group; give 2 blocks or more"));
  EXPECT_THAT(arrange("--energy distance").err, HasSubstr("the firmware has no such arrangement"));
  counts_["first_block"] = 348'950;
  EXPECT_THAT(arrange("").err,
              HasSubstr("no unit of 16 blocks fits on this drive from block 348950 on"));
  EXPECT_EQ(arrange("--method best").status, 2);
}

}  // namespace
}  // namespace headstack
