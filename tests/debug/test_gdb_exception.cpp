// SPDX-License-Identifier: Apache-2.0
// GDB after an exception of the firmware: the frames below the handler.
#include <gmock/gmock.h>

#include "tests/debug/gdb_fixture.hpp"
#include "tests/scenario/patched_program.hpp"

namespace headstack::scenario {
namespace {

using testing::ContainsRegex;

class GdbException : public GdbOnPlatforms {};
INSTANTIATE_TEST_SUITE_P(On, GdbException, testing::Values("rtl", "vp"), platform_of);

// The handler's frame is that of a signal. The next one is the function that failed, with its own
// registers, and then its callers.
TEST_P(GdbException, Backtrace_HasTheFunctionThatFailed) {
  SKIP_WITHOUT_GDB();
  write_patched_firmware("seek_start", code::kIllegal, file("broken.elf"));
  const std::string said = debug(
      "continue\n"
      "bt\n"
      "frame function seek_start\n"
      "print seek == &the_drive.seek\n"
      "kill\n",
      "out", "--firmware '" + file("broken.elf") + "'", file("broken.elf"));
  end_run();
  EXPECT_THAT(said, ContainsRegex("#[0-9]+ +<signal handler called>\n"
                                  "#[0-9]+ +(0x[0-9a-f]+ in )?seek_start \\(seek=0x[^\n]*\n"
                                  "#[0-9]+ +0x[0-9a-f]+ in position "));
  EXPECT_THAT(said, ContainsRegex("= 1\n"));
}

}  // namespace
}  // namespace headstack::scenario
