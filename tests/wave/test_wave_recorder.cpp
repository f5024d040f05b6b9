// SPDX-License-Identifier: Apache-2.0
// The recorder, used directly (host/wave/wave_control.hpp), as by a debugger or a forked process.
#include "host/wave/wave_recorder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "sim/platform/rtl_drive.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"
#include "tests/wave/fst_file.hpp"

namespace headstack::wave {
namespace {

constexpr Picoseconds kMs = kPicosecondsPerMillisecond;

/// A drive that boots, with a recorder that records nothing by itself.
struct Bench {
  Bench() {
    observers.add(probe);
    observers.add(recorder);
    watchers.add(probe);
    watchers.add(recorder);
    drive.clock().watch_core(&watchers);
  }
  void run_until(Picoseconds at) { drive.clock().run_until(at); }

  static platform::RtlOptions inspecting() {
    platform::RtlOptions options;
    options.build = soc::SocBuild::kInspect;
    return options;
  }

  observe::RunObservers observers;
  observe::CoreWatchers watchers;
  drive::DriveDescription description = headstack::test::shipped("eagle");
  soc::ElfImage image = soc::ElfImage::read(headstack::test::drive_elf());
  bus::ScsiBus bus{"bus"};
  platform::RtlDrive drive{"drive", description, image, bus, inspecting(), &observers, &observers};
  observe::DriveProbe probe{image,
                            {drive.hda().spindle().spindle(), drive.hda().heads().stack(),
                             drive.hda().geometry(), drive.hda().surface().layout().raw_bytes},
                            bus};
  WaveRecorder recorder{{}, image, drive.soc(), drive.hda(), bus, probe};
};

class WaveRecorderByHand : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                  ("headstack_recorder_" + std::to_string(::getpid()));
};

TEST_F(WaveRecorderByHand, OpensAndClosesAtOnce) {
  Bench bench;
  bench.run_until(kMs / 10);
  WaveControl& waves = bench.recorder;
  waves.open(file("one.fst"));
  bench.run_until(2 * kMs / 10);
  waves.open(file("two.fst"));
  bench.run_until(3 * kMs / 10);
  waves.close();
  waves.close();
  bench.run_until(4 * kMs / 10);
  EXPECT_TRUE(bench.recorder.finish(4 * kMs / 10).empty()) << "nothing was asked for";
  const test::FstFile one(file("one.fst"));
  const test::FstFile two(file("two.fst"));
  // The recording begins at the last edge before the time, or at the time itself.
  EXPECT_NEAR(static_cast<double>(one.begin()), 0.1e9, soc::kClockPeriodPs);
  EXPECT_EQ(one.end(), two.begin());
  EXPECT_NEAR(static_cast<double>(two.end()), 0.3e9, soc::kClockPeriodPs);
  EXPECT_THROW(waves.open("/dev/null/x.fst"), std::runtime_error);
}

TEST_F(WaveRecorderByHand, AForkedProcessAbandonsTheFile_AndMakesItsOwn) {
  Bench bench;
  bench.recorder.open(file("parent.fst"));
  bench.run_until(kMs / 10);
  const ::pid_t child = ::fork();
  if (child == 0) {
    bench.recorder.abandon();
    bench.recorder.open(file("child.fst"));
    bench.run_until(2 * kMs / 10);
    bench.recorder.close();
    std::exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  bench.run_until(3 * kMs / 10);
  bench.recorder.close();
  const test::FstFile parent(file("parent.fst"));
  EXPECT_EQ(parent.begin(), 0);
  EXPECT_NEAR(static_cast<double>(parent.end()), 0.3e9, soc::kClockPeriodPs);
  const test::FstFile own(file("child.fst"));
  EXPECT_NEAR(static_cast<double>(own.begin()), 0.1e9, soc::kClockPeriodPs);
  EXPECT_NEAR(static_cast<double>(own.end()), 0.2e9, soc::kClockPeriodPs);
  // Both processes recorded the same edges.
  const auto theirs = parent.changes("soc_top.core_clk_i");
  for (const test::Change& change : own.changes("soc_top.core_clk_i")) {
    EXPECT_EQ(test::value_at(theirs, change.at).bits, change.bits) << change.at;
  }
}

}  // namespace
}  // namespace headstack::wave
