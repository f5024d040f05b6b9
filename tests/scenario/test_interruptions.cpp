// SPDX-License-Identifier: Apache-2.0
// A mixed load cut off at many moments, by every means that a host has. In all cases blocks are
// whole, data with GOOD are right, and the drive serves the next load.
#include <random>

#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

using initiator::ManagementKind;

enum class Means { kRst, kBusDeviceReset, kAbort, kClearQueue };

struct Cut {
  const char* what;
  Means means;
  const char* attention;  // the host's next status text, or GOOD
};

const Cut kCuts[] = {
    {"Rst", Means::kRst, "6/29/02"},
    {"BusDeviceReset", Means::kBusDeviceReset, "6/29/03"},
    {"Abort", Means::kAbort, "GOOD"},
    {"ClearQueue", Means::kClearQueue, "GOOD"},
};

class Interruption : public DriveBench, public testing::WithParamInterface<Cut> {
 protected:
  struct Request {
    Ticket ticket;
    std::uint32_t lba;
    std::uint32_t count;
    Bytes before;
    Bytes after;  // content after a write; empty for a read
  };

  /// Submits reads and writes in turn, each in a part of the drive of its own.
  std::vector<Request> submit_load() {
    constexpr std::uint32_t kParts = 6;
    std::vector<Request> load;
    for (std::uint32_t part = 0; part < kParts; ++part) {
      Request request;
      request.count = static_cast<std::uint32_t>(1 + random_() % 8);
      request.lba = static_cast<std::uint32_t>(part * capacity() / kParts + random_() % 300);
      request.before = blocks().expected(request.lba, request.count);
      Command command = read_10(request.lba, request.count);
      if (part % 2 == 0) {
        request.after = blocks().write(request.lba, request.count);
        command = write_10(request.lba, request.after);
      }
      request.ticket = submit(tagged(command, static_cast<std::uint16_t>(part)));
      load.push_back(std::move(request));
    }
    return load;
  }

  void cut() {
    switch (GetParam().means) {
      case Means::kRst: host().reset_bus(); break;
      case Means::kBusDeviceReset: manage(ManagementKind::kBusDeviceReset); break;
      case Means::kAbort: manage(ManagementKind::kAbort); break;
      case Means::kClearQueue: manage(ManagementKind::kClearQueue); break;
    }
  }

  /// One command may still have been at the host, and met the unit attention.
  void expect_attention_once(const std::vector<Request>& load) {
    const std::string attention = GetParam().attention;
    std::size_t heard = 0;
    for (const Request& request : load) {
      if (outcome(result(request.ticket)) == attention) ++heard;
    }
    if (attention == "GOOD" || heard == 0) {
      EXPECT_EQ(run(test_unit_ready()), attention);
    } else {
      EXPECT_EQ(heard, 1U);
    }
    EXPECT_EQ(run(test_unit_ready()), "GOOD");
  }

  void expect_whole(const Request& request) {
    const bool good = outcome(result(request.ticket)) == "GOOD";
    if (request.after.empty()) {
      if (good) {
        EXPECT_EQ(result(request.ticket).data, request.before);
      }
      return;
    }
    const std::size_t renewed = expect_old_or_new(request.lba, request.before, request.after);
    if (good) {
      EXPECT_EQ(renewed, request.count);
    }
    EXPECT_EQ(run(write_10(request.lba, request.after)), "GOOD");
    expect_reads_back(request.lba, request.count);
  }

  std::mt19937 random_{7};
};

TEST_P(Interruption, AtManyMoments_LeavesWholeBlocksAndAWorkingDrive) {
  power_on_fast();
  // From the first selection on: every 37 us through the connections, then through the media's
  // work.
  for (int round = 0; round < 36; ++round) {
    const Picoseconds moment =
        round < 18 ? round * 37 * kMicrosecond : (round - 17) * 3'137 * kMicrosecond;
    SCOPED_TRACE(testing::Message()
                 << "round " << round << ", cut off at " << to_ms(moment) << " ms");
    const std::vector<Request> load = submit_load();
    run_for(moment);
    cut();
    await_all();
    expect_attention_once(load);
    for (const Request& request : load) expect_whole(request);
    if (HasFailure()) return;
  }
  EXPECT_EQ(blocks().first_difference(peek(0, capacity()), blocks().expected(0, capacity()), 0),
            std::nullopt);
  EXPECT_EQ(platform().surface().cut_write_count(), 0U);
  EXPECT_TRUE(platform().surface().destroyed_headers().empty());
}

INSTANTIATE_TEST_SUITE_P(Scenario, Interruption, testing::ValuesIn(kCuts),
                         [](const auto& test) { return std::string(test.param.what); });

}  // namespace
}  // namespace headstack::scenario
