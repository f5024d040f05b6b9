// SPDX-License-Identifier: Apache-2.0
// The record audit notices records that are made wrongly. A program's stage log makes the mistake
// that HEADSTACK_MISTAKE names (mistakes.py). It ends with status 1 and says what does not fit.
#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

constexpr int kRequests = 120;
constexpr std::uint64_t kBlocks = 60'000;
constexpr std::uint64_t kHot = 2'000;
constexpr std::uint32_t kSeed = 5;
constexpr char kPlain[] = "--platform vp --drive cheetah_9lp --depth 4 --verify ";
constexpr char kCached[] =
    "--platform vp --drive cheetah_9lp --depth 2 --cache read hosts.every.flush=5 ";

struct Mistake {
  const char* name;
  const char* load;
  const char* told;  // a part of the message
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

/// The program that makes mistakes. It is not in the folder where the firmware is looked for.
class RecordMistakes : public ReplayFixture {
 protected:
  RecordMistakes() { use_program(test::built(HEADSTACK_RUN_MISTAKEN)); }
  static std::string with_firmware(const char* load) {
    return std::string(load) + "--firmware '" + test::drive_elf() + "' ";
  }
};

class MistakenRecords : public RecordMistakes, public testing::WithParamInterface<Mistake> {
 protected:
  void TearDown() override {
    ::unsetenv("HEADSTACK_MISTAKE");
    ReplayFixture::TearDown();
  }
  void write_load(const std::string& load) const {
    if (load == kPlain) return write_trace(kSeed, kRequests, kBlocks, kHot);
    // A sequential reader: some join the read-ahead.
    std::ofstream out(file("trace"));
    out << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n";
    for (int i = 0; i < 3 * kRequests; ++i) out << "- R " << 1000 + 16 * i << " 16 -\n";
  }
};

TEST_P(MistakenRecords, EndTheRun_AndAreCounted) {
  const Mistake& mistake = GetParam();
  write_load(mistake.load);
  ::setenv("HEADSTACK_MISTAKE", mistake.name, 1);
  EXPECT_EQ(run(with_firmware(mistake.load), "out"), 1);
  EXPECT_NE(errors().find(mistake.told), std::string::npos) << errors();
  const Json result = summary("out");
  EXPECT_GT(result["result"]["record_faults"], 0);
  EXPECT_NE(errors().find(result["failure"].get<std::string>()), std::string::npos)
      << "the first fault is what the run says";
}

// Mistakes: time in the wrong stage, dropped, at the wrong instant, or of another command. The
// messages are those of the rule for that stage.
INSTANTIATE_TEST_SUITE_P(
    Each, MistakenRecords,
    testing::Values(Mistake{"seek-is-rotation", kPlain, "'seek' of the movement at"},
                    Mistake{"settle-is-seek", kPlain, "'seek' of the movement at"},
                    Mistake{"seek-late", kPlain, "'seek' of the movement at"},
                    Mistake{"transfer-late", kPlain, "media_transfer begins at"},
                    Mistake{"transfer-short", kPlain, "have not passed under the heads"},
                    Mistake{"last-change-dropped", kPlain, "not 'status'"},
                    Mistake{"behind-the-end", kPlain, "lies after its end"},
                    Mistake{"before-submission", kPlain, "lies before it was submitted"},
                    Mistake{"commands-swapped", kPlain, "command "},
                    Mistake{"queued-early", kPlain, "command "},
                    Mistake{"bus-late", kPlain, "command "},
                    Mistake{"flush-on-media", kCached, "in a command without the media"},
                    Mistake{"joined-late", kCached, "media_transfer begins at"}),
    [](const testing::TestParamInfo<Mistake>& one) {
      std::string name = one.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// Without a mistake the program equals the original one, so the audit's findings above are caused
// by the mistake.
TEST_F(RecordMistakes, WithoutAMistake_TheRecordsAreThoseOfTheProgram) {
  write_trace(kSeed, kRequests, kBlocks, kHot);
  ASSERT_EQ(run(with_firmware(kPlain), "out"), 0) << errors();
  expect_sound(summary("out"), kRequests);
  const std::string line = "HEADSTACK_ROOT='" + test::source_dir().string() + "' '" +
                           test::run_program() + "' --trace '" + file("trace") + "' --out '" +
                           file("sound") + "' " + with_firmware(kPlain) + " >/dev/null";
  ASSERT_EQ(std::system(line.c_str()), 0);
  EXPECT_EQ(slurp(file("out") + "/records.csv"), slurp(file("sound") + "/records.csv"));
}

}  // namespace
}  // namespace headstack::scenario
