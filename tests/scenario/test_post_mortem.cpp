// What a run leaves that the drive has failed.
#include <gmock/gmock.h>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::HasSubstr;
using testing::Not;

class PostMortem : public ReplayFixture {
 protected:
  /// The watchdog bites in the middle of the first accesses: they take longer than 6 ms,
  /// and the boot does not.
  int run_into_watchdog(const std::string& more = "") const {
    write_trace(1, 20, 2'056'008, 40'000);
    return run("--drive hp_c3323a --queue-depth 4 --watchdog 0.006" + more, "out");
  }
};

TEST_F(PostMortem, Watchdog_EndsTheRun_AndSaysWhereToLook) {
  EXPECT_EQ(run_into_watchdog(), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("watchdog: no command has come back for 0.006 s"),
                              HasSubstr("post-mortem.txt tells more")));
  EXPECT_EQ(summary("out")["result"]["record_faults"], 0) << "what was done by then is sound";
  const std::string text = slurp(file("out") + "/post-mortem.txt");
  EXPECT_THAT(text, AllOf(HasSubstr("watchdog: no command"), HasSubstr("TASK_CHOSEN"),
                          HasSubstr("./headstack debug --launch --trace"),
                          HasSubstr("--run-until 'time ")));
}

TEST_F(PostMortem, BadTrace_IsNotTheDrivesFault) {
  std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nrequests\n0 R 1 1 -\n1 R 2";
  EXPECT_EQ(run("--drive hp_c3323a", "out"), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("truncated"), Not(HasSubstr("post-mortem"))));
  EXPECT_FALSE(std::filesystem::exists(file("out") + "/post-mortem.txt"));
}

}  // namespace
}  // namespace headstack::scenario
