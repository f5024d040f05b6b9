// SPDX-License-Identifier: Apache-2.0
// `headstack run --wave`: the file shows what the drive did, by the equations and clauses that
// define it. Recording changes nothing.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <sstream>

#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/seek_curve.hpp"
#include "sim/mechanics/spindle.hpp"
#include "tests/scenario/replay_fixture.hpp"
#include "tests/wave/fst_file.hpp"

namespace headstack::wave {
namespace {

using scenario::slurp;
using test::Change;
using test::FstFile;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct Record {
  std::uint64_t command = 0;
  Picoseconds submitted = 0;
  Picoseconds completed = 0;
};

class Waves : public scenario::ReplayFixture {
 protected:
  /// One command at a time: from the first cylinder almost to the last, and half the way back.
  void write_far_trace() const {
    std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n"
                                    "- R 100 2 -\n- R 1124000 2 -\n- W 560000 1 -\n";
  }
  std::string far() const { return "--drive eagle --depth 1 "; }
  std::string wave(const std::string& name) const { return "--wave '" + file(name) + "' "; }

  std::vector<Record> records(const std::string& out) const {
    std::istringstream lines(slurp(file(out) + "/records.csv"));
    std::vector<Record> records;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::vector<std::string> fields;
      std::istringstream stream(line);
      for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
      records.push_back({std::stoull(fields[0]), std::stoll(fields[4]), std::stoll(fields[5])});
    }
    return records;
  }
};

std::vector<std::string> names_between(const std::vector<Change>& changes, Picoseconds begin,
                                       Picoseconds end) {
  std::vector<std::string> names;
  for (const Change& change : changes) {
    if (change.at > begin && change.at <= end) names.push_back(change.name);
  }
  return names;
}

/// The times at which a signal takes a value's name, and at which it leaves it.
std::vector<std::pair<Picoseconds, Picoseconds>> spans_of(const std::vector<Change>& changes,
                                                          const std::string& name) {
  std::vector<std::pair<Picoseconds, Picoseconds>> spans;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    if (changes[i].name == name) spans.emplace_back(changes[i].at, changes[i + 1].at);
  }
  return spans;
}

// Samples of the arm's motion follow sim/mechanics/seek_curve.hpp. They also follow the published
// drive: top speed 1 / 0.028 cylinders per ms, settling 4.6 ms (Seltzer et al. 1990, table 1).
void expect_seek_profile(const FstFile& fst) {
  const mechanics::SeekCurve curve(headstack::test::shipped("eagle").design);
  const auto seeks = spans_of(fst.changes("drive.arm.state[1:0]"), "seeking");
  const auto settles = spans_of(fst.changes("drive.arm.state[1:0]"), "settling");
  ASSERT_EQ(seeks.size(), 2U) << "two far seeks; command 0 is on the first cylinder";
  ASSERT_EQ(settles.size(), 2U);
  const auto positions = fst.changes("drive.arm.position_cylinders");
  const auto velocities = fst.changes("drive.arm.velocity_cylinders_per_ms");
  const auto targets = fst.changes("drive.arm.target_cylinder[23:0]");
  double from = 0;
  for (std::size_t i = 0; i < seeks.size(); ++i) {
    const auto [begin, end] = seeks[i];
    const auto target = static_cast<double>(value_at(targets, begin).number());
    const auto distance = static_cast<std::uint32_t>(std::abs(target - from));
    const double direction = target > from ? 1 : -1;
    const mechanics::SeekProfile profile = curve.profile(distance);
    EXPECT_EQ(end - begin, profile.motion_time());
    EXPECT_EQ(settles[i].first, end);
    EXPECT_EQ(settles[i].second - end, from_ms(4.6));
    int samples = 0;
    for (const Change& change : positions) {
      if (change.at < begin || change.at > end) continue;
      ++samples;
      ASSERT_DOUBLE_EQ(change.real,
                       from + direction * profile.position_cylinders(change.at - begin));
    }
    EXPECT_GT(samples, (end - begin) / (10 * kPicosecondsPerMicrosecond) - 5) << "every 10 us";
    double top = 0;
    for (const Change& change : velocities) {
      if (change.at < begin || change.at > end) continue;
      top = std::max(top, direction * change.real);
    }
    EXPECT_NEAR(top, 1 / 0.028, 1e-6) << "it coasts";
    EXPECT_DOUBLE_EQ(value_at(positions, end).real, target);
    from = target;
  }
}

// At 3600 rpm a turn takes 16.6 ms. The angle wraps at the index, where the electronics have their
// index pulse.
void expect_saw_tooth(const FstFile& fst) {
  const mechanics::Rotation rotation(3600);
  const auto angles = fst.changes("drive.spindle.angle_turn32[31:0]");
  const auto degrees = fst.changes("drive.spindle.angle_degrees");
  std::vector<Picoseconds> wraps;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    ASSERT_EQ(angles[i].number(), rotation.angle(angles[i].at)) << angles[i].at;
    if (i > 0 && angles[i].number() < angles[i - 1].number()) wraps.push_back(angles[i].at);
  }
  ASSERT_GT(wraps.size(), 3U);
  for (std::size_t i = 1; i < wraps.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(wraps[i] - wraps[i - 1]), 60e12 / 3600, 1);
    EXPECT_GT(value_at(degrees, wraps[i] - 1).real, 359.999);
    EXPECT_LT(value_at(degrees, wraps[i]).real, 0.001);
  }
  int pulses = 0;
  for (const Change& pulse : fst.changes("soc_top.channel_i.index_pulse")) {
    if (pulse.bits == "0") continue;
    ++pulses;
    EXPECT_TRUE(std::count(wraps.begin(), wraps.end(), pulse.at)) << pulse.at;
  }
  EXPECT_GT(pulses, 0);
}

// The formatter reads from the platter the sector that the drive shows under the head.
void expect_sector_of_header(const FstFile& fst) {
  const auto sectors = fst.changes("drive.spindle.sector[16:0]");
  const auto headers = fst.changes("soc_top.u_formatter.u_sequencer.status_q.header_sector[15:0]");
  const auto valid = fst.changes("soc_top.u_formatter.u_sequencer.status_q.header_valid");
  ASSERT_GT(headers.size(), 5U);
  for (std::size_t i = 1; i < headers.size(); ++i) {
    if (value_at(valid, headers[i].at).bits == "0") continue;
    EXPECT_EQ(headers[i].number(), value_at(sectors, headers[i].at).number()) << headers[i].at;
  }
}

// SCSI-2 6.1 and 6.2: the phases of a tagged read that disconnects, and their messages.
void expect_phases_of_read(const FstFile& fst, const Record& read) {
  EXPECT_THAT(names_between(fst.changes("drive.bus.phase[3:0]"), read.submitted, read.completed),
              ElementsAre("ARBITRATION", "SELECTION", "MESSAGE OUT", "COMMAND", "MESSAGE IN",
                          "BUS FREE", "ARBITRATION", "RESELECTION", "MESSAGE IN", "DATA IN",
                          "STATUS", "MESSAGE IN", "BUS FREE"));
  EXPECT_THAT(names_between(fst.changes("drive.bus.message[8:0]"), read.submitted, read.completed),
              ElementsAre("IDENTIFY", "SIMPLE QUEUE TAG", "-", "DISCONNECT", "-", "IDENTIFY",
                          "SIMPLE QUEUE TAG", "-", "COMMAND COMPLETE", "-"));
  EXPECT_THAT(names_between(fst.changes("drive.bus.status[8:0]"), read.submitted, read.completed),
              ElementsAre("GOOD", "-"));
}

// Commands come one at a time, so each is in service only between its issue and its completion.
void expect_commands(const FstFile& fst, const std::vector<Record>& records) {
  constexpr std::uint64_t kNone = (std::uint64_t{1} << 40) - 1;
  const auto commands = fst.changes("drive.queue.command[39:0]");
  std::vector<std::uint64_t> seen;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::uint64_t number = commands[i].number();
    if (number == kNone) continue;
    const auto record = std::find_if(records.begin(), records.end(),
                                     [&](const Record& r) { return r.command == number; });
    // The commands before the trace, TEST UNIT READY and MODE SELECT, do not use the media.
    ASSERT_NE(record, records.end()) << number;
    EXPECT_GT(commands[i].at, record->submitted);
    EXPECT_LT(commands.at(i + 1).at, record->completed);
    seen.push_back(number);
  }
  EXPECT_THAT(seen, ElementsAre(0, 1, 2));
}

void expect_views_exist(const FstFile& fst) {
  const std::string views = slurp(headstack::test::source_dir() / "host/wave/views.toml");
  const std::string key = "{ signal = \"";
  int count = 0;
  for (std::size_t at = views.find(key); at != std::string::npos; at = views.find(key, at + 1)) {
    const std::size_t begin = at + key.size();
    const std::string signal = views.substr(begin, views.find('"', begin) - begin);
    EXPECT_TRUE(fst.has(signal)) << signal;
    ++count;
  }
  EXPECT_GT(count, 50);
}

TEST_F(Waves, ShowTheDriveAsItIs) {
  write_far_trace();
  ASSERT_EQ(run(far() + wave("run.fst"), "out"), 0) << errors();
  const FstFile fst(file("run.fst"));
  EXPECT_EQ(fst.time_unit_exponent(), -12);
  EXPECT_EQ(fst.begin(), 0);
  expect_seek_profile(fst);
  expect_saw_tooth(fst);
  expect_sector_of_header(fst);
  const std::vector<Record> all = records("out");
  ASSERT_EQ(all.size(), 3U);
  expect_phases_of_read(fst, all[1]);
  expect_commands(fst, all);
  expect_views_exist(fst);
  for (const char* function : {"main", "asleep"}) {
    EXPECT_FALSE(spans_of(fst.changes("drive.firmware.function[11:0]"), function).empty())
        << function;
  }
}

// The second request is late from the beginning, and the third has no deadline. The window begins
// when the second one ends.
TEST_F(Waves, MissedDeadline_OpensAWindow_AndDeadlinesShow) {
  std::ofstream(file("trace")) << "headstack-trace 4\ntime-unit ms\ncolumns time operation lba "
                                  "blocks deadline\nrequests\n"
                                  "0 R 100 2 900\n0 R 1124000 2 0.5\n0 R 560000 1 -\n";
  ASSERT_EQ(run("--drive eagle --deadlines message " + wave("run.fst") +
                    "observe.waves.on=missed-deadline observe.waves.after=1ms",
                "out"),
            0)
      << errors();
  const std::vector<Record> all = records("out");
  ASSERT_EQ(all.size(), 3U);
  ASSERT_EQ(all[1].command, 1U);
  EXPECT_NEAR(static_cast<double>(FstFile(file("run.fst")).begin()),
              static_cast<double>(all[1].completed), 1e6);
  EXPECT_FALSE(std::filesystem::exists(file("run.2.fst")));

  ASSERT_EQ(run("--drive eagle " + wave("all.fst"), "out"), 0) << errors();
  const std::vector<Record> again = records("out");
  const FstFile fst(file("all.fst"));
  const auto earliest = fst.changes("drive.queue.earliest_deadline_ms");
  const auto slack = fst.changes("drive.queue.slack_in_service_ms");
  const double late_ms = to_ms(again[1].submitted) + 0.5;
  const double early_ms = to_ms(again[0].submitted) + 900;
  std::vector<double> values;
  for (const Change& change : earliest) values.push_back(change.real);
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values.front(), none);
  EXPECT_EQ(values.back(), none);
  EXPECT_TRUE(std::count(values.begin(), values.end(), early_ms)) << "while it is alone";
  EXPECT_TRUE(std::count(values.begin(), values.end(), late_ms)) << "once that is there";
  int shown = 0;
  for (const Change& change : slack) {
    if (change.real == none) continue;
    const double due_ms = change.real + to_ms(change.at);
    EXPECT_TRUE(std::abs(due_ms - late_ms) < 1e-6 || std::abs(due_ms - early_ms) < 1e-6);
    ++shown;
  }
  EXPECT_GT(shown, 10);
}

TEST_F(Waves, WindowOfACommand_HasTheChangesOfTheWholeRun_AndNoBitDiffers) {
  write_far_trace();
  ASSERT_EQ(run(far(), "plain"), 0) << errors();
  ASSERT_EQ(run(far() + wave("whole.fst"), "whole"), 0) << errors();
  ASSERT_EQ(run(far() + wave("part.fst") + "observe.waves.windows=cmd:1", "part"), 0) << errors();
  for (const char* other : {"whole", "part"}) {
    EXPECT_EQ(summary(other)["event_hash"], summary("plain")["event_hash"]) << other;
    EXPECT_EQ(summary(other)["firmware_cycles"], summary("plain")["firmware_cycles"]) << other;
    EXPECT_EQ(slurp(file(other) + "/records.csv"), slurp(file("plain") + "/records.csv")) << other;
  }
  const FstFile whole(file("whole.fst"));
  const FstFile part(file("part.fst"));
  const Record command = records("plain")[1];
  EXPECT_EQ(part.begin(), command.submitted);
  EXPECT_EQ(part.end(), command.completed);
  EXPECT_EQ(part.names(), whole.names());
  std::size_t count = 0;
  for (const char* const signal :
       {"drive.arm.position_cylinders", "drive.spindle.angle_degrees", "drive.spindle.sector[16:0]",
        "drive.bus.phase[3:0]", "drive.bus.data[15:0]", "drive.firmware.function[11:0]",
        "drive.firmware.event[6:0]", "drive.queue.decision[2:0]", "soc_top.core_clk_i",
        "soc_top.scsi_i.db[15:0]", "soc_top.channel_i.byte_strobe", "soc_top.channel_i.nrz[7:0]",
        "soc_top.u_formatter.u_sequencer.state_q[3:0]",
        "soc_top.u_cpu.u_ibex_top.u_ibex_core.pc_wb[31:0]"}) {
    std::vector<Change> expected;
    for (const Change& change : whole.changes(signal)) {
      if (change.at > part.begin() && change.at < part.end()) expected.push_back(change);
    }
    std::vector<Change> actual;
    for (const Change& change : part.changes(signal)) {
      if (change.at > part.begin() && change.at < part.end()) actual.push_back(change);
    }
    ASSERT_EQ(actual.size(), expected.size()) << signal;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(actual[i].at, expected[i].at) << signal;
      ASSERT_EQ(actual[i].bits, expected[i].bits) << signal << " at " << actual[i].at;
      ASSERT_EQ(actual[i].real, expected[i].real) << signal << " at " << actual[i].at;
    }
    count += actual.size();
  }
  EXPECT_GT(count, 10'000U);
}

TEST_F(Waves, TheSameRun_TheSameFile_AndATimeWindowBeginsAndEndsThere) {
  write_far_trace();
  const std::string window = far() + "--limit 1 observe.waves.windows=time:6ms..6.25ms ";
  ASSERT_EQ(run(window + wave("one.fst"), "one"), 0) << errors();
  ASSERT_EQ(run(window + wave("two.fst"), "two"), 0) << errors();
  EXPECT_EQ(slurp(file("one.fst")), slurp(file("two.fst")));
  const FstFile fst(file("one.fst"));
  EXPECT_EQ(fst.begin(), 6 * kPicosecondsPerMillisecond);
  EXPECT_EQ(fst.end(), 6'250 * kPicosecondsPerMicrosecond);
}

TEST_F(Waves, EachWindowIsAFile) {
  write_far_trace();
  ASSERT_EQ(run(far() + wave("run.fst") +
                    "'observe.waves.windows=[\"event:SEEK_START:1\", \"event:SEEK_START:2\"]' "
                    "observe.waves.after=20us",
                "out"),
            0)
      << errors();
  for (const char* name : {"run.fst", "run.2.fst"}) {
    const FstFile fst(file(name));
    EXPECT_EQ(fst.end() - fst.begin(), 20 * kPicosecondsPerMicrosecond) << name;
    EXPECT_EQ(fst.changes("drive.firmware.event[6:0]").front().name, "SEEK_START") << name;
  }
  EXPECT_FALSE(std::filesystem::exists(file("run.3.fst")));
}

TEST_F(Waves, WindowThatNeverComes_IsAWarning_AndLeavesNoFile) {
  write_far_trace();
  ASSERT_EQ(run(far() + "--limit 1 " + wave("run.fst"), "earlier"), 0);
  ASSERT_TRUE(std::filesystem::exists(file("run.fst")));
  ASSERT_EQ(run(far() + "--limit 1 " + wave("run.fst") + "observe.waves.windows=cmd:7..8", "out"),
            0);
  EXPECT_THAT(errors(),
              AllOf(HasSubstr("headstack: warning: 'observe.waves.windows cmd:7..8' never came"),
                    HasSubstr("there is no wave file")));
  EXPECT_FALSE(std::filesystem::exists(file("run.fst")));
}

struct BadUse {
  const char* what;
  const char* arguments;
  int status;
  const char* message;
};
constexpr BadUse kBadUses[] = {
    {"window", "--wave x.fst observe.waves.windows=cmd:x", 2,
     "observe.waves.windows: 'x' names no commands"},
    {"trigger", "--wave x.fst observe.waves.on=bus-rest", 2, "did you mean 'bus-reset'?"},
    {"length", "--wave x.fst observe.waves.after=10", 2, "observe.waves.after: '10' is no time"},
    {"window without a file", "observe.waves.windows=cmd:1", 2,
     "observe.waves.windows: there are no waves; give observe.waves.file"},
    {"suffix", "--wave x.vcd", 2, "observe.waves.file: 'x.vcd' does not end in .fst"},
    {"folder that is not there", "--wave /dev/null/x.fst", 1, "/dev/null/x.fst: cannot be written"},
};

TEST_F(Waves, WhatCannotBe_IsAnErrorThatNamesTheKey) {
  write_far_trace();
  for (const BadUse& use : kBadUses) {
    EXPECT_EQ(run(far() + use.arguments, "out"), use.status) << use.what;
    EXPECT_THAT(errors(), AllOf(HasSubstr("headstack: error: "), HasSubstr(use.message)))
        << use.what;
  }
}

class WavesEnded : public Waves {
 protected:
  /// Starts a long recording, and ends it by a signal once the file has a part of it.
  int end_by(int signal) const {
    write_trace(7, 10'000, 2'056'008, 300);
    const std::string path = file("run.fst");
    const ::pid_t child = start("--drive hp_c3323a --depth 8 " + wave("run.fst"), "out");
    constexpr std::uintmax_t kSecondFlush = 5'000'000;
    std::error_code absent;
    const auto size = [&] {
      const std::uintmax_t bytes = std::filesystem::file_size(path, absent);
      return absent ? 0 : bytes;
    };
    while (size() < kSecondFlush && ::waitpid(child, nullptr, WNOHANG) == 0) ::usleep(10'000);
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
};

TEST_F(WavesEnded, Interrupted_TheFileReachesToTheEnd) {
  const int status = end_by(SIGINT);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const FstFile fst(file("run.fst"));
  EXPECT_EQ(fst.end(), summary("out")["simulated_ps"].get<Picoseconds>());
  EXPECT_GT(fst.changes("soc_top.core_clk_i").size(), 100'000U);
}

TEST_F(WavesEnded, Terminated_TheFileReachesToTheEnd) {
  const int status = end_by(SIGTERM);
  EXPECT_EQ(WEXITSTATUS(status), 143);
  EXPECT_EQ(FstFile(file("run.fst")).end(), summary("out")["simulated_ps"].get<Picoseconds>());
}

// The file is not closed then. The flushed waves are in it, and the names beside it in
// run.fst.hier.
TEST_F(WavesEnded, Killed_TheFileCanBeReadUpToTheLastFlush) {
  const int status = end_by(SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(status));
  const FstFile fst(file("run.fst"));
  EXPECT_GT(fst.end(), kPicosecondsPerMillisecond);
  EXPECT_TRUE(fst.has("drive.bus.phase[3:0]"));
  EXPECT_GT(fst.changes("soc_top.core_clk_i").size(), 1000U);
  // `headstack wave` opens the file up to the point that GTKWave's library, which FstFile uses, can
  // read.
  const std::string line =
      fmt::format("'{}' -B '{}' save '{}' --view bus -o '{}' 2>'{}'", headstack::test::python(),
                  (headstack::test::source_dir() / "host/wave/wave_command.py").string(),
                  file("run.fst"), file("bus.gtkw"), file("stderr"));
  EXPECT_EQ(std::system(line.c_str()), 0) << errors();
  EXPECT_THAT(errors(), AllOf(HasSubstr("its run was killed"),
                              HasSubstr(fmt::format("to {:.6f} ms", to_ms(fst.end())))));
}

}  // namespace
}  // namespace headstack::wave
