// SPDX-License-Identifier: Apache-2.0
// `headstack run observe.timeline=true`: the file's content against the records of the same run,
// read with the field numbers of Perfetto's protos (host/observe/perfetto_writer.hpp).
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>
#include <protozero/pbf_reader.hpp>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using protozero::pbf_reader;
using testing::HasSubstr;

constexpr int kCommands = 24;
constexpr const char* kArguments = "--drive hp_c3323a --policy stf --depth 6";
constexpr const char* kFile = "out/timeline.perfetto";

/// A slice with its begin and end, ns.
struct Slice {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t depth = 0;  // within how many others
};

struct Track {
  std::string name;
  std::vector<Slice> slices;  // in the order of their ends
  std::vector<Slice> open;    // outer ones first
  std::vector<std::int64_t> counts;
  std::vector<std::pair<std::string, std::uint64_t>> marks;  // instants
};

/// A file as trace_processor reads it: events by time, those at one time in the file's order.
class Trace {
 public:
  explicit Trace(const std::string& bytes) {
    pbf_reader trace(bytes);
    while (trace.next(1)) take_packet(trace.get_message());
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    for (const Event& event : events_) apply(event);
  }

  const Track& track(const std::string& name) const {
    for (const auto& [id, track] : tracks_) {
      if (track.name == name) return track;
    }
    ADD_FAILURE() << "no track " << name;
    static const Track none;
    return none;
  }
  const std::map<std::uint64_t, Track>& tracks() const { return tracks_; }

 private:
  struct Event {
    std::uint64_t at = 0;
    std::uint64_t track = 0;
    int type = 0;
    std::string name;
    std::int64_t count = 0;
  };

  void take_packet(pbf_reader packet) {
    Event event;
    bool is_event = false;
    while (packet.next()) {
      switch (packet.tag()) {
        case 8: event.at = packet.get_uint64(); break;
        case 60: take_descriptor(packet.get_message()); break;
        case 11: {
          is_event = true;
          pbf_reader fields = packet.get_message();
          while (fields.next()) {
            switch (fields.tag()) {
              case 9: event.type = fields.get_enum(); break;
              case 11: event.track = fields.get_uint64(); break;
              case 23: event.name = fields.get_string(); break;
              case 30: event.count = fields.get_int64(); break;
              default: fields.skip();
            }
          }
          break;
        }
        default: packet.skip();
      }
    }
    if (is_event) events_.push_back(event);
  }

  void take_descriptor(pbf_reader fields) {
    std::uint64_t id = 0;
    std::string name;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1: id = fields.get_uint64(); break;
        case 2: name = fields.get_string(); break;
        default: fields.skip();
      }
    }
    tracks_[id].name = name;
  }

  void apply(const Event& event) {
    Track& track = tracks_.at(event.track);
    if (event.type == 1) {
      track.open.push_back({event.name, event.at, 0, track.open.size()});
    } else if (event.type == 2) {
      ASSERT_FALSE(track.open.empty()) << track.name << ": an end without a beginning";
      track.slices.push_back(track.open.back());
      track.slices.back().end = event.at;
      track.open.pop_back();
    } else if (event.type == 3) {
      track.marks.emplace_back(event.name, event.at);
    } else if (event.type == 4) {
      track.counts.push_back(event.count);
    }
  }

  std::map<std::uint64_t, Track> tracks_;
  std::vector<Event> events_;
};

class Timeline : public ReplayFixture, public testing::WithParamInterface<std::string> {
 protected:
  /// Replays with a timeline.
  Trace replay(const std::string& more = "") const {
    write_trace(1, kCommands, 2'056'008, 40'000);
    const std::string arguments =
        std::string(kArguments) + " --platform " + GetParam() + " observe.timeline=true" + more;
    EXPECT_EQ(run(arguments, "out"), 0) << errors();
    return Trace(slurp(file(kFile)));
  }

  /// A column of the records, in ps, by command.
  std::map<std::string, double> column(const std::string& name) const {
    std::istringstream in(slurp(file("out") + "/records.csv"));
    std::map<std::string, double> values;
    std::vector<std::string> header;
    for (std::string line; std::getline(in, line);) {
      std::vector<std::string> fields;
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
      if (header.empty()) {
        header = fields;
        continue;
      }
      const auto at = std::find(header.begin(), header.end(), name);
      EXPECT_NE(at, header.end()) << name;
      values[fields[0]] = std::stod(fields[static_cast<std::size_t>(at - header.begin())]);
    }
    return values;
  }
};

std::string platform_name(const testing::TestParamInfo<std::string>& param) { return param.param; }

// A slice's ends are cut to nanoseconds.
constexpr double kCut_ns = 1;

TEST_P(Timeline, Commands_LieInLanes_WithTheTimesOfTheirRecords) {
  const Trace trace = replay();
  const auto submitted = column("submitted_ps");
  const auto completed = column("completed_ps");
  const auto queued = column("queued_ps");
  int commands = 0;
  for (const auto& [id, track] : trace.tracks()) {
    if (track.name.rfind("lane", 0) != 0) continue;
    EXPECT_TRUE(track.open.empty()) << "all commands came back";
    std::uint64_t waited_ns = 0;
    for (const Slice& slice : track.slices) {
      if (slice.depth == 1 && slice.name == "queued") waited_ns += slice.end - slice.begin;
      if (slice.depth != 0) continue;
      const std::string number = slice.name.substr(0, slice.name.find(' '));
      EXPECT_NEAR(static_cast<double>(slice.begin), submitted.at(number) / 1e3, kCut_ns) << number;
      EXPECT_NEAR(static_cast<double>(slice.end), completed.at(number) / 1e3, kCut_ns) << number;
      EXPECT_NEAR(static_cast<double>(waited_ns), queued.at(number) / 1e3, 4 * kCut_ns) << number;
      waited_ns = 0;  // a command's stages end before it does
      ++commands;
    }
  }
  EXPECT_EQ(commands, kCommands);
  EXPECT_EQ(*std::max_element(trace.track("outstanding commands").counts.begin(),
                              trace.track("outstanding commands").counts.end()),
            6);
  EXPECT_EQ(trace.track("queue depth").counts.back(), 0);
}

TEST_P(Timeline, Mechanics_DoOneThingAtATime_AndSumToTheRecords) {
  const Trace trace = replay();
  std::vector<Slice> slices = trace.track("mechanics").slices;
  EXPECT_TRUE(trace.track("mechanics").open.empty());
  std::map<std::string, double> sums_ns;
  std::uint64_t end = 0;
  for (const Slice& slice : slices) {
    EXPECT_EQ(slice.depth, 0U) << slice.name;
    EXPECT_GE(slice.begin, end) << slice.name;
    end = slice.end;
    sums_ns[slice.name] += static_cast<double>(slice.end - slice.begin);
  }
  for (const char* stage : {"seek", "settle", "head_switch", "rotation", "media_transfer"}) {
    double sum_ns = 0;
    for (const auto& [number, ps] : column(std::string(stage) + "_ps")) sum_ns += ps / 1e3;
    EXPECT_NEAR(sums_ns[stage], sum_ns, kCut_ns * static_cast<double>(slices.size())) << stage;
  }
}

// Deadlines of a picosecond, of a time that any drive meets, and one that passes before the request
// is sent.
TEST_P(Timeline, EachDeadline_IsAMark_MetOrMissed) {
  std::ofstream(file("trace")) << "headstack-trace 4\ntime-unit ms\ncolumns time operation lba "
                                  "blocks deadline\nrequests\n"
                                  "0 R 100 8 2000\n1 R 500000 8 0.000000001\n1 R 700 8 -\n"
                                  "1 R 900000 8 1.5\n";
  ASSERT_EQ(run(std::string("--drive hp_c3323a --depth 32 --platform ") + GetParam() +
                    " observe.timeline=true",
                "out"),
            0)
      << errors();
  const Trace trace(slurp(file(kFile)));
  const auto submitted = column("submitted_ps");
  const auto due_ns = [&submitted](const char* command, double behind_ps) {
    return static_cast<std::uint64_t>((submitted.at(command) + behind_ps) / 1000);
  };
  using Marks = std::vector<std::pair<std::string, std::uint64_t>>;
  EXPECT_EQ(trace.track("deadlines").marks, (Marks{{"deadline missed", due_ns("1", 1)},
                                                   {"deadline missed", due_ns("3", 1.5e9)},
                                                   {"deadline met", due_ns("0", 2e12)}}));
}

TEST_P(Timeline, ChangesNothing) {
  (void)replay();
  ASSERT_EQ(run(std::string(kArguments) + " --platform " + GetParam(), "plain"), 0) << errors();
  EXPECT_EQ(summary("out")["event_hash"], summary("plain")["event_hash"]);
  EXPECT_EQ(slurp(file("out") + "/records.csv"), slurp(file("plain") + "/records.csv"));
}

// SCSI-2 6.1: the host wins the bus, selects, sends IDENTIFY and the queue tag, then the drive asks
// for the command. (Without synchronous or wide transfers there is nothing to agree on first.)
TEST_P(Timeline, Bus_HasThePhasesInTheStandardsOrder) {
  const Trace trace = replay(" hosts.bus=async");
  std::vector<std::string> first;
  for (const Slice& slice : trace.track("bus").slices) {
    first.push_back(slice.name);
    if (first.size() == 4) break;
  }
  EXPECT_THAT(first, testing::ElementsAre("ARBITRATION", "SELECTION", "MESSAGE OUT", "COMMAND"));
}

// The core sleeps or is awake; what it does while it is awake is in a handler or an interrupt.
TEST_P(Timeline, Firmware_ServesEverySource_AndSleepsBetween) {
  const Trace trace = replay();
  std::map<std::string, std::uint64_t> times;
  for (const Slice& slice : trace.track("firmware").slices) {
    times[slice.name] += slice.end - slice.begin;
    EXPECT_EQ(slice.depth, 0U) << slice.name;
  }
  for (const char* name : {"asleep", "scsi", "formatter", "servo"}) {
    EXPECT_GT(times[name], 0U) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Timeline, testing::Values(std::string("rtl"), std::string("vp")),
                         platform_name);

class TimelineFile : public ReplayFixture {};

// What firmware and bus are at, to the nanosecond: the two cores work in the same cycles.
TEST_F(TimelineFile, HasTheSameTracksOnBothPlatforms) {
  write_trace(1, kCommands, 2'056'008, 40'000);
  std::vector<Trace> traces;
  for (const char* platform : {"rtl", "vp"}) {
    ASSERT_EQ(
        run(std::string(kArguments) + " --platform " + platform + " observe.timeline=true", "out"),
        0)
        << errors();
    traces.emplace_back(slurp(file(kFile)));
  }
  for (const char* track : {"mechanics", "scheduler", "firmware", "bus"}) {
    const std::vector<Slice>& expected = traces[0].track(track).slices;
    const std::vector<Slice>& found = traces[1].track(track).slices;
    EXPECT_GT(expected.size(), 20U) << track;
    ASSERT_EQ(found.size(), expected.size()) << track;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found[i].name, expected[i].name)
          << track << ' ' << i << ", ns: " << found[i].begin << " to " << found[i].end << ", not "
          << expected[i].begin << " to " << expected[i].end;
      EXPECT_EQ(found[i].begin, expected[i].begin) << track << ' ' << i << found[i].name;
      EXPECT_EQ(found[i].end, expected[i].end) << track << ' ' << i << found[i].name;
    }
  }
}

TEST_F(TimelineFile, FolderInItsPlace_IsNamed) {
  write_trace(1, 1, 2'056'008, 40'000);
  std::filesystem::create_directories(file(kFile));
  EXPECT_EQ(run(std::string(kArguments) + " --platform vp observe.timeline=true", "out"), 1);
  EXPECT_THAT(errors(), HasSubstr(std::string(kFile) + ": has the name of a run's file"));
}

}  // namespace
}  // namespace headstack::scenario
