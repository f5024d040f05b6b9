// SPDX-License-Identifier: Apache-2.0
// Runs of the same requests are equal, whatever their trace's format, packed or not.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::HasSubstr;

constexpr const char* kArguments = "--drive hp_c3323a --platform vp --policy stf ";

class RunFormats : public ReplayFixture {
 protected:
  void write(const std::string& text) const {
    std::ofstream(file("trace"), std::ios::binary) << text;
  }
  /// The records without the column of measured service times, which only some traces have.
  std::string records(const std::string& out) const {
    std::istringstream in(slurp(file(out) + "/records.csv"));
    std::string text;
    std::vector<bool> kept;  // by column
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      const bool is_header = text.empty();
      std::size_t column = 0;
      for (std::string field; std::getline(fields, field, ','); ++column) {
        if (is_header) kept.push_back(field != "measured_service_ps");
        if (kept.at(column)) text += field + ',';
      }
      text += '\n';
    }
    return text;
  }
};

const std::string kOwn =
    "headstack-trace 1\ntime-unit ms\nrequests\n0 R 100 8 -\n1 W 900000 16 -\n2 R 5000 1 -\n";
// Seconds and bytes; Windows' ticks of 100 ns from anywhere; milliseconds.
const std::string kSpc = "0,100,4096,R,0.000\n0,900000,8192,W,0.001\n0,5000,512,R,0.002\n";
const std::string kMsr =
    "128166372003061629,h,0,Read,51200,4096,1\n128166372003081629,h,0,Read,2560000,512,1\n"
    "128166372003071629,h,0,Write,460800000,8192,1\n";
const std::string kTwoDevices = "0.0 0 100 8 1\n0.5 1 7 8 1\n1.0 0 900000 16 0\n2.0 0 5000 1 1\n";

TEST_F(RunFormats, SameRequests_GiveTheSameBits) {
  write(kOwn);
  ASSERT_EQ(run(kArguments, "own"), 0) << errors();
  const std::pair<const char*, const std::string*> others[] = {
      {"spc", &kSpc}, {"msr", &kMsr}, {"disksim", &kTwoDevices}};
  for (const auto& [format, text] : others) {
    write(*text);
    const std::string device = text == &kTwoDevices ? " load.device=0" : "";
    ASSERT_EQ(run(kArguments + ("load.format=" + std::string(format)) + device, format), 0)
        << errors();
    EXPECT_EQ(summary(format)["event_hash"], summary("own")["event_hash"]) << format;
    EXPECT_EQ(records(format), records("own")) << format;
  }
  ASSERT_EQ(std::system(("gzip -f '" + file("trace") + "' && mv '" + file("trace.gz") + "' '" +
                         file("trace") + "'")
                            .c_str()),
            0);
  ASSERT_EQ(run(std::string(kArguments) + "load.device=0", "packed"), 0) << errors();
  EXPECT_EQ(summary("packed")["event_hash"], summary("own")["event_hash"]);
}

TEST_F(RunFormats, SecondDevice_IsAnErrorWithItsRemedy) {
  write(kTwoDevices);
  EXPECT_EQ(run(kArguments, "out"), 1);
  EXPECT_THAT(errors(),
              testing::AllOf(HasSubstr("trace:2: device"), HasSubstr("a drive is one device")));
  ASSERT_EQ(run(std::string(kArguments) + "load.device=all", "all"), 0) << errors();
}

TEST_F(RunFormats, SkippedLines_AreReported) {
  write("0,100,4096,R,0\n0,100,0,R,0\n0,nonsense,4096,R,0\n");
  ASSERT_EQ(run(std::string(kArguments) + "load.on_bad=skip", "out"), 0) << errors();
  EXPECT_THAT(errors(), testing::AllOf(HasSubstr("zero-length"), HasSubstr("1 bad line left out")));
}

}  // namespace
}  // namespace headstack::scenario
