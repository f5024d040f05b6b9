// SPDX-License-Identifier: Apache-2.0
// What is generated from the schema: lists of keys, JSON Schema, stub of Python, and a page that
// must have each key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <nlohmann/json.hpp>

#include "host/scenario/fields.hpp"
#include "host/scenario/keys.hpp"
#include "tests/scenario_value/errors.hpp"

namespace headstack::scenario {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(ScenarioKeys, List_HasKindRangeDefaultAndShortName) {
  const std::string list = list_keys("hosts");
  EXPECT_THAT(list,
              HasSubstr("  hosts.depth (depth)\n      whole, 1 .. 5120 commands, default 32; queue "
                        "depth: most commands outstanding in the drive, summed over all hosts\n"));
  EXPECT_THAT(list, HasSubstr("[hosts.every]")) << "sections below it";
  EXPECT_THAT(list, Not(HasSubstr("settings.")));
  EXPECT_EQ(error_of([] { list_keys("host"); }),
            "(command line): there is no section 'host'; did you mean 'hosts'?");
}

TEST(ScenarioKeys, List_HasEachKey) {
  const std::string list = list_keys();
  for (const Field& field : schema_fields().fields) {
    EXPECT_THAT(list, HasSubstr("  " + field.path())) << field.path();
  }
  EXPECT_THAT(list, HasSubstr("settings.streams[].period"));
}

TEST(ScenarioKeys, ShortNames_AreUniqueAndNoSectionOfAnotherKey) {
  std::set<std::string> seen;
  for (const Field& field : schema_fields().fields) {
    if (*field.key.short_name == '\0') continue;
    EXPECT_TRUE(seen.insert(field.key.short_name).second) << field.key.short_name;
    EXPECT_EQ(path_of_short_name(field.key.short_name), field.path());
  }
  EXPECT_EQ(seen.size(), 14U) << "the flags that stay, but for --out and --force";
}

TEST(ScenarioKeys, List_HasTheWordsThatKeysTake) {
  EXPECT_THAT(list_keys("stop"), HasSubstr("  missed-revolution "));
  EXPECT_THAT(list_keys("observe"), HasSubstr("  missed-revolution "));
}

/// The schema of a key by its path.
json at(const json& schema, std::string path) {
  json now = schema;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    if (now.contains("anyOf")) now = now["anyOf"].back();  // or a text
    now = now["properties"][path.substr(0, dot)];
    path = dot == path.size() ? "" : path.substr(dot + 1);
  }
  return now;
}

TEST(ScenarioJsonSchema, EachKey_HasItsSchemaAndMeaning) {
  const json schema = json::parse(json_schema());
  EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-04/schema#");
  EXPECT_EQ(schema["additionalProperties"], false);
  for (const Field& field : schema_fields().fields) {
    EXPECT_EQ(at(schema, field.path())["description"], field.key.help) << field.path();
  }
  for (const Section& section : schema_fields().sections) {
    json one = at(schema, section.path);
    if (one.contains("anyOf")) one = one["anyOf"].back();
    EXPECT_EQ(one["additionalProperties"], false) << section.path;
  }
}

TEST(ScenarioJsonSchema, Kinds_AreThoseOfDraft4) {
  const json schema = json::parse(json_schema());
  const json depth = at(schema, "hosts.depth");
  EXPECT_EQ(depth["type"], "integer");
  EXPECT_EQ(depth["minimum"], 1);
  EXPECT_EQ(depth["maximum"], 5120);
  EXPECT_EQ(depth["default"], 32);
  EXPECT_EQ(at(schema, "settings.policy")["default"], "fcfs");
  EXPECT_EQ(at(schema, "stop.fail_on")["default"], json::array());
  EXPECT_FALSE(at(schema, "load.think").contains("default"));
  EXPECT_EQ(at(schema, "settings.qerr")["enum"], json::parse(R"(["0", 0, "1", 1, "3", 3])"));
  EXPECT_EQ(at(schema, "platform.kind")["enum"], json::parse(R"(["vp", "rtl", "native"])"));
  EXPECT_EQ(at(schema, "settings.policy")["anyOf"][1]["type"], "array");
  EXPECT_EQ(at(schema, "stop.watchdog")["pattern"], "^[0-9]+(\\.[0-9]+)?(ps|ns|us|ms|s)$");
  EXPECT_EQ(at(schema, "drive.specimen.flaw_seed")["type"], "integer");
  EXPECT_FALSE(at(schema, "drive.design").contains("required")) << "a part of a drive's file";
  EXPECT_EQ(schema["properties"]["drive"]["anyOf"][0]["type"], "string");
}

TEST(ScenarioStub, EachSection_IsAClassWithItsKeys) {
  const std::string stub = python_stub();
  for (const char* line : {
           "class Hosts(TypedDict, total=False):\n",
           "    every: HostsEvery\n",
           "    depth: int\n    \"\"\"queue depth: most commands outstanding in the drive, summed "
           "over all hosts\"\"\"\n",
           "    kind: Literal[\"vp\", \"rtl\", \"native\"]\n",
           "    policy: Union[str, list[str]]\n",
           "    streams: list[SettingsStreams]\n",
           "    drive: Union[str, Drive]\n",
           "    watchdog: Time\n",
           "class ScenarioKeys(TypedDict, total=False):\n",
       }) {
    EXPECT_THAT(stub, HasSubstr(line));
  }
  for (const Field& field : schema_fields().fields) {
    EXPECT_THAT(stub, HasSubstr(std::string("    ") + field.key.name + ": ")) << field.path();
  }
}

TEST(ScenarioSchema, EachKey_HasAMeaningWithoutAFullStop) {
  for (const Field& field : schema_fields().fields) {
    const std::string help = field.key.help;
    ASSERT_FALSE(help.empty()) << field.path();
    EXPECT_NE(help.back(), '.') << field.path();
  }
}

}  // namespace
}  // namespace headstack::scenario
