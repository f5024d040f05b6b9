// SPDX-License-Identifier: Apache-2.0
// Real-time policies against the static queues of an independent program
// (../shared/vectors/realtime_static_queues.csv). Its head line has the drive: every rotation takes
// half a turn, every transfer 1 ms. The policies choose through the firmware's own scheduler; the
// times are worked out here, from the head line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "firmware/queue/task.h"
#include "host/options/policy_option.hpp"
#include "host/reference/reference_scheduler.hpp"
#include "tests/firmware/support.hpp"

namespace headstack {
namespace {

constexpr double kTurnMs = 60000.0 / 7200;
constexpr double kOverheadMs = 0.5;
constexpr double kTransferMs = 1.0;
constexpr std::uint32_t kCylinders = 56'000;
constexpr double kTicksPerMs = TIME_TICKS_PER_MILLISECOND;
constexpr std::uint32_t kBandShift = 8;  // 219 bands
// The arrivals come at a whole quantum of 10 ms: the file's times begin at 0.
constexpr std::uint64_t kOriginTick = 1000 * TIME_TICKS_PER_MILLISECOND;

double seek_ms(std::uint32_t distance) {
  if (distance == 0) return 0;
  const double knee = 18667;
  const double at_knee = 0.9 + 0.05855 * std::sqrt(knee);
  if (distance <= knee) return 0.9 + 0.05855 * std::sqrt(distance);
  return at_knee + (16.8 - at_knee) * (distance - knee) / (55999 - knee);
}

struct Request {
  double arrival_ms = 0;
  std::uint32_t cylinder = 0;
  double deadline_ms = 0;  // after the arrival; 0: best effort
};

struct Row {
  std::uint32_t head = 0;
  std::vector<Request> requests;
  std::vector<std::size_t> order;
  std::vector<double> finish_ms;
  int misses = 0;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

Row parse(const std::vector<std::string>& fields) {
  Row row;
  row.head = static_cast<std::uint32_t>(std::stoul(fields[1]));
  for (const std::string& text : split(fields[2], ' ')) {
    Request request;
    char at = 0, colon = 0;
    std::istringstream(text) >> request.arrival_ms >> at >> request.cylinder >> colon >>
        request.deadline_ms;
    row.requests.push_back(request);
  }
  for (const std::string& text : split(fields[4], ' ')) row.order.push_back(std::stoul(text));
  for (const std::string& text : split(fields[5], ' ')) row.finish_ms.push_back(std::stod(text));
  row.misses = std::stoi(fields[7]);
  return row;
}

// The drive of the head line as a firmware table. Its table of seeks is longer than a shipped
// drive's may be.
class VectorDrive {
 public:
  VectorDrive() : words_(sizeof(::drive_design) / 4 + kCylinders + 512) {
    ::drive_design& design = *table();
    design.cylinders = kCylinders;
    design.heads = 2;
    design.band_shift = kBandShift;
    design.mean_latency = 1;
    // 2^32 turn32 a turn, with 32 bits of fraction.
    const double turn32_per_tick = 4294967296.0 / (kTurnMs * kTicksPerMs);
    design.turn32_per_tick_high = static_cast<std::uint32_t>(turn32_per_tick);
    design.turn32_per_tick_low =
        static_cast<std::uint32_t>((turn32_per_tick - design.turn32_per_tick_high) * 4294967296.0);
    std::uint32_t* pool = words_.data() + offsetof(::drive_design, pool) / 4;
    design.seek_table = 0;
    for (std::uint32_t i = 0; i < kCylinders; ++i) pool[i] = part(seek_ms(i));
    // This curve only rises: the least seek to a band is that over the gap before it.
    design.seek_floor_table = kCylinders;
    for (std::uint32_t band = 0; band < 256; ++band) {
      const std::uint32_t gap = band == 0 ? 0 : ((band - 1) << kBandShift) + 1;
      pool[kCylinders + band] = part(seek_ms(std::min(gap, kCylinders - 1)));
    }
    rotation_init(&rotation_, &design);
    predictor_init(&predictor_, &design, &rotation_,
                   static_cast<std::uint32_t>(kOverheadMs * kTicksPerMs));
    candidate_set_init(waiting_.get(), kBandShift);
    scheduler_init(&scheduler_, waiting_.get(), &predictor_, store_.get());
  }

  void select(const std::string& policy) {
    if (const ::policy* reference = reference_scheduler::find(policy)) {
      scheduler_.policy = reference;
      return;
    }
    const ::policy_selection selection = options::parse_policy(policy);
    ASSERT_EQ(scheduler_select(&scheduler_, &selection), STATUS_OK) << policy;
  }

  void arrive(const Request& request, std::size_t number) {
    auto& candidate = candidates_[number];
    candidate.cylinder = static_cast<std::uint16_t>(request.cylinder);
    candidate.end_cylinder = candidate.cylinder;
    candidate.span_turn24 =
        static_cast<std::uint32_t>(std::floor(kTransferMs / kTurnMs * 16777216.0));
    candidate.sequence = static_cast<std::uint32_t>(number);
    candidate.arrived_64ticks = units(request.arrival_ms);
    candidate.stream = 1;
    if (request.deadline_ms > 0) {
      candidate.service_class = CANDIDATE_REAL_TIME;
      candidate.stream = 0;
      candidate.deadline_64ticks = units(request.arrival_ms + request.deadline_ms);
    }
    candidate_set_append(waiting_.get(), &candidate);
  }

  // Serves a request from the cylinder. @return its number.
  std::size_t serve(double now_ms, std::uint32_t cylinder) {
    ::head_state head{};
    head.at_tick = kOriginTick + static_cast<std::uint64_t>(std::llround(now_ms * kTicksPerMs));
    head.cylinder = cylinder;
    scheduler_announce_arrivals(&scheduler_, &head);
    ::policy_view view = {waiting_.get(), &predictor_, &head, 0, nullptr, false};
    ::candidate* chosen = scheduler_.policy->which_next(scheduler_.state.bytes, &view);
    candidate_set_remove(waiting_.get(), chosen);
    scheduler_task_served(&scheduler_, chosen, &head);
    return chosen->sequence;
  }

  bool is_empty() const { return waiting_->count == 0; }

 private:
  static std::uint32_t part(double ms) {
    return static_cast<std::uint32_t>(ms * kTicksPerMs * DRIVE_DESIGN_TICK_PARTS);
  }
  static std::uint32_t units(double ms) {
    const double ticks = static_cast<double>(kOriginTick) + ms * kTicksPerMs;
    return static_cast<std::uint32_t>(ticks / TASK_ARRIVED_TICKS);
  }
  ::drive_design* table() { return reinterpret_cast<::drive_design*>(words_.data()); }

  std::vector<std::uint32_t> words_;
  std::unique_ptr<::policy_store> store_ = std::make_unique<::policy_store>();
  ::rotation rotation_{};
  ::predictor predictor_{};
  ::scheduler scheduler_{};
  std::unique_ptr<::candidate_set> waiting_ = std::make_unique<::candidate_set>();
  std::map<std::size_t, ::candidate> candidates_;
};

struct Served {
  std::vector<std::size_t> order;
  std::vector<double> finish_ms;
  int misses = 0;
};

// Serves a row's requests. A choice is among those that arrived before the end of the access
// before.
Served serve_all(const Row& row, const std::string& policy) {
  VectorDrive drive;
  drive.select(policy);
  Served served;
  double now = 0;
  std::uint32_t cylinder = row.head;
  std::size_t arrived = 0;
  while (served.order.size() < row.requests.size()) {
    const auto has_arrived = [&] {
      return arrived < row.requests.size() && row.requests[arrived].arrival_ms <= now;
    };
    for (; has_arrived(); ++arrived) drive.arrive(row.requests[arrived], arrived);
    if (drive.is_empty()) {
      now = row.requests[arrived].arrival_ms;
      continue;
    }
    const std::size_t number = drive.serve(now, cylinder);
    const Request& request = row.requests[number];
    const std::uint32_t distance =
        std::max(request.cylinder, cylinder) - std::min(request.cylinder, cylinder);
    now += kOverheadMs + seek_ms(distance) + kTurnMs / 2 + kTransferMs;
    cylinder = request.cylinder;
    served.order.push_back(number);
    served.finish_ms.push_back(now);
    const bool late = request.deadline_ms > 0 && now > request.arrival_ms + request.deadline_ms;
    served.misses += late ? 1 : 0;
  }
  return served;
}

struct Case {
  const char* name;    // of the test
  const char* row;     // the policy's name in the file
  const char* policy;  // the policy's name for --policy
};

class RealtimeVectors : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Policies, RealtimeVectors,
    ::testing::Values(Case{"Fcfs", "FCFS", "fcfs"}, Case{"Scan", "SCAN", "scan"},
                      Case{"Cscan", "C-SCAN", "cscan"}, Case{"Sstf", "SSTF", "sstf"},
                      Case{"Edf", "EDF", "edf"}, Case{"Fdscan", "FD-SCAN", "fdscan:idle=scan"},
                      Case{"Scanedf", "SCAN-EDF", "scanedf"},
                      Case{"Scanedf_10ms", "SCAN-EDF-q10", "scanedf:quantum=10"},
                      Case{"Ssedo", "SSEDO", "ssedo"}, Case{"Ssedv", "SSEDV", "ssedv"},
                      Case{"Scanrt", "SCAN-RT", "scanrt"}, Case{"Kamel", "Kamel", "kamel"},
                      Case{"Dmscan", "DM-SCAN", "dmscan"}, Case{"Msedf", "MS-EDF", "msedf"},
                      Case{"Gss", "GSS", "gss"}, Case{"Cello", "Cello", "cello"},
                      Case{"Wrrscan", "WRR-SCAN", "wrrscan"}, Case{"Csfc", "Cascaded-SFC", "csfc"},
                      Case{"Fahrrad", "Fahrrad", "fahrrad"}, Case{"Gscan", "G-SCAN", "gscan"},
                      Case{"OptT", "OPT-T", "opt-t"}, Case{"OptD", "OPT-D", "opt-d"},
                      Case{"OptG", "OPT-G", "opt-g"},
                      Case{"OptG_literal", "OPT-G-literal", "opt-g-literal"}),
    [](const auto& test_info) { return test_info.param.name; });

TEST_P(RealtimeVectors, OrderFinishTimesAndMissesAreThoseOfTheFile) {
  const auto path = test::shared_dir() / "vectors/realtime_static_queues.csv";
  HEADSTACK_REQUIRE_FILE(path);
  std::ifstream file(path);
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = split(line, ',');
    if (line[0] == '#' || fields.size() != 8 || fields[3] != GetParam().row) continue;
    SCOPED_TRACE(fields[0]);
    const Row row = parse(fields);
    const Served served = serve_all(row, GetParam().policy);
    EXPECT_EQ(served.order, row.order);
    ASSERT_EQ(served.finish_ms.size(), row.finish_ms.size());
    for (std::size_t i = 0; i < row.finish_ms.size(); ++i) {
      EXPECT_NEAR(served.finish_ms[i], row.finish_ms[i], 0.0015) << i;  // the file has three
                                                                        // decimals
    }
    EXPECT_EQ(served.misses, row.misses);
    ++rows;
  }
  EXPECT_EQ(rows, 4);
}

}  // namespace
}  // namespace headstack
