// SPDX-License-Identifier: Apache-2.0
// The limits of page 02h (SCSI-2 8.3.3.2; DImm: SPC-4 7.5.10). They are a tenancy's bytes, its
// length, and the time since the last one. Data are compared.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "tests/firmware/tenancy_page.hpp"
#include "tests/scenario/drive_bench.hpp"
#include "tests/tenancies.hpp"

namespace headstack::scenario {
namespace {

using test::TenancyOfBus;
using test::TenancyPage;

constexpr Picoseconds kUnit = 100 * kMicrosecond;
/// The drive's work in a tenancy besides data: arbitration, messages, status, and between two
/// phases up to 4,000 of its cycles.
constexpr Picoseconds kOverhead = 150 * kMicrosecond;

class Tenancy : public DriveBench {
 protected:
  /// The tenancies of a command that has moved this many blocks.
  static std::vector<TenancyOfBus> tenancies(const Completion& done, std::uint32_t blocks) {
    EXPECT_EQ(done.bytes_reached, blocks * kBlockBytes);
    return test::tenancies(done);
  }
  /// SCSI-2 table 99: all data of a command in one tenancy; with 3h its status, too.
  static void expect_dtdc(unsigned dtdc, const std::vector<TenancyOfBus>& all,
                          std::uint32_t blocks) {
    for (const TenancyOfBus& one : all) {
      if (one.bytes == 0) continue;
      EXPECT_EQ(one.bytes, blocks * kBlockBytes);
      EXPECT_TRUE(one.has_status || dtdc != 3);
    }
  }
  void set(const TenancyPage& page) { ASSERT_EQ(run(mode_select_6(page.bytes())), "GOOD"); }
  std::vector<TenancyOfBus> read(std::uint32_t lba, std::uint32_t count) {
    prepare(lba, count);
    const Completion done = execute(read_10(lba, count));
    expect_data(done, lba, count);
    return tenancies(done, count);
  }
  std::vector<TenancyOfBus> write(std::uint32_t lba, std::uint32_t count) {
    const Completion done = execute(write_10(lba, blocks().write(lba, count)));
    EXPECT_EQ(outcome(done), "GOOD");
    EXPECT_EQ(peek(lba, count), blocks().expected(lba, count));
    return tenancies(done, count);
  }
  std::vector<TenancyOfBus> move(bool writes, std::uint32_t lba, std::uint32_t count) {
    return writes ? write(lba, count) : read(lba, count);
  }
  static std::uint32_t most_bytes(const std::vector<TenancyOfBus>& all) {
    std::uint32_t most = 0;
    for (const TenancyOfBus& one : all) most = std::max(most, one.bytes);
    return most;
  }
  static Picoseconds longest(const std::vector<TenancyOfBus>& all) {
    Picoseconds most = 0;
    for (const TenancyOfBus& one : all) most = std::max(most, one.end - one.begin);
    return most;
  }
};

TEST_F(Tenancy, Burst_LimitsATenancy) {
  power_on_fast();
  for (const std::uint16_t burst : std::initializer_list<std::uint16_t>{1, 3, 8, 64}) {
    TenancyPage page;
    page.burst = burst;
    set(page);
    for (const bool writes : {false, true}) {
      const auto all = move(writes, 300, 40);
      EXPECT_LE(most_bytes(all), burst * 512U) << writes;
      if (burst <= 8) {
        EXPECT_EQ(most_bytes(all), burst * 512U) << "no less than it may";
      }
      EXPECT_GE(all.size(), (40U + burst - 1) / burst) << writes;
    }
  }
}

// More than a segment of the buffer, which is 32 blocks: they stream.
TEST_F(Tenancy, LongCommands_KeepEveryLimit) {
  power_on_fast();
  TenancyPage page;
  page.burst = 7;
  page.connect = 4;
  page.inactivity = 2;
  page.disconnect = 1;
  set(page);
  for (const bool writes : {false, true}) {
    const auto all = move(writes, 100, 400);
    EXPECT_LE(most_bytes(all), 7U * 512) << writes;
    EXPECT_LE(longest(all), 4 * kUnit + kOverhead) << writes;
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_GE(all[i].begin - all[i - 1].end, kUnit) << writes << " tenancy " << i;
    }
  }
}

// Asynchronous, a block takes so long that few fit into the limit.
TEST_F(Tenancy, ConnectTime_LimitsATenancy) {
  power_on_ready();
  const auto free = read(300, 60);
  const auto widest = *std::max_element(
      free.begin(), free.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  const Picoseconds block = (widest.end - widest.begin) / (widest.bytes / kBlockBytes);
  for (const std::uint16_t limit : std::initializer_list<std::uint16_t>{1, 5, 20}) {
    TenancyPage page;
    page.connect = limit;
    set(page);
    for (const bool writes : {false, true}) {
      const auto all = move(writes, 300, 60);
      EXPECT_LE(longest(all), limit * kUnit + block + kOverhead) << limit << ' ' << writes;
      // The drive uses the time: at least half of the data that would fit move in some tenancy.
      const auto fit = static_cast<std::uint32_t>(limit * kUnit / block);
      EXPECT_GE(most_bytes(all), std::max(1U, fit / 2) * kBlockBytes) << limit << ' ' << writes;
    }
  }
}

TEST_F(Tenancy, NoReselection_BeforeTheDisconnectTimeIsOver) {
  Setup setup = fast_setup();
  setup.hosts.push_back(host_config(initiator::kAsynchronous, 6));
  power_on_ready(setup);
  prepare(0, 1000);
  TenancyPage page;
  page.disconnect = 12;
  page.burst = 4;
  set(page);
  ASSERT_EQ(run(test_unit_ready(), 1), "6/2A/01");
  std::vector<Ticket> tickets;
  for (std::uint16_t i = 0; i < 12; ++i) {
    tickets.push_back(submit(tagged(read_10(i * 70U, 10), i), i % 2));
  }
  await_all();
  std::vector<TenancyOfBus> all;
  for (std::uint16_t i = 0; i < 12; ++i) {
    expect_data(result(tickets[i]), i * 70U, 10);
    for (const TenancyOfBus& one : tenancies(result(tickets[i]), 10)) {
      all.push_back(one);
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  int reselections = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].is_first) continue;
    ++reselections;
    EXPECT_GE(all[i].begin - all[i - 1].end, 12 * kUnit) << "whoever had the bus before";
  }
  EXPECT_GE(reselections, 36) << "three bursts each";
}

TEST_F(Tenancy, DImm_NoDataInTheTenancyOfTheCommand) {
  power_on_fast();
  ASSERT_EQ(run(mode_select_6(caching_page({}))), "GOOD");
  read(300, 8);
  EXPECT_EQ(tenancies(execute(read_10(300, 8)), 8).size(), 1U) << "a hit";
  EXPECT_GT(write(500, 8).front().bytes, 0U) << "there is room";
  TenancyPage page;
  page.dimm = true;
  set(page);
  const Completion hit = execute(read_10(300, 8));
  expect_data(hit, 300, 8);
  EXPECT_EQ(tenancies(hit, 8).size(), 2U);
  EXPECT_EQ(write(500, 8).front().bytes, 0U);
}

TEST_F(Tenancy, Dtdc_AllDataInOneTenancy) {
  power_on_fast();
  for (const std::uint8_t dtdc : std::initializer_list<std::uint8_t>{1, 3}) {
    TenancyPage page;
    page.dtdc = dtdc;
    page.connect = 1;  // SCSI-2 table 99: they do not count then.
    page.inactivity = 1;
    set(page);
    for (const bool writes : {false, true}) {
      for (const std::uint32_t count : {1U, 20U, 300U}) {
        SCOPED_TRACE(fmt::format("{} blocks, DTDC {}, writes {}", count, dtdc, writes));
        expect_dtdc(dtdc, move(writes, 100, count), count);
      }
    }
  }
}

// With more commands than one, none is refused for it.
TEST_F(Tenancy, Dtdc_UnderLoad_EveryCommandIsServed) {
  power_on_fast();
  prepare(0, 1200);
  for (const std::uint8_t dtdc : std::initializer_list<std::uint8_t>{1, 3}) {
    TenancyPage page;
    page.dtdc = dtdc;
    set(page);
    std::vector<Ticket> tickets;
    for (std::uint16_t i = 0; i < 16; ++i) {
      const std::uint32_t lba = i * 70U;
      Command command = i % 2 == 0 ? read_10(lba, 60) : write_10(lba, blocks().write(lba, 60));
      tickets.push_back(submit(tagged(std::move(command), i)));
    }
    await_all();
    for (std::uint16_t i = 0; i < 16; ++i) {
      const Completion& done = result(tickets[i]);
      ASSERT_EQ(outcome(done), "GOOD") << i;
      if (i % 2 == 0) expect_data(done, i * 70U, 60);
      SCOPED_TRACE(i);
      expect_dtdc(dtdc, tenancies(done, 60), 60);
    }
    EXPECT_EQ(peek(0, 1120), blocks().expected(0, 1120));
  }
}

// A write that holds the bus goes before all others (firmware/transfer/bus_holder.h). So it does
// not begin with its data before its turn, unless it can then release the bus.
TEST_F(Tenancy, Dtdc_AWriteKeepsItsTurn) {
  power_on_fast();
  prepare(0, 1200);
  ASSERT_EQ(run(mode_select_6(scheduler_page(kFcfs))), "GOOD");
  for (const std::uint8_t dtdc : std::initializer_list<std::uint8_t>{1, 3}) {
    for (const std::uint32_t count : {8U, 60U}) {
      TenancyPage page;
      page.dtdc = dtdc;
      set(page);
      std::vector<Ticket> tickets;
      for (std::uint16_t i = 0; i < 6; ++i) {
        tickets.push_back(submit(tagged(read_10(i * 150U, 8), i)));
      }
      tickets.push_back(submit(tagged(write_10(1100, blocks().write(1100, count)), 6)));
      await_all();
      for (std::size_t i = 1; i < tickets.size(); ++i) {
        EXPECT_GT(place(tickets[i]), place(tickets[i - 1])) << count << " DTDC " << int{dtdc};
      }
    }
  }
}

// After a long read's first data the media bring a block at a time. Without a limit of inactivity
// the drive holds the bus for them.
TEST_F(Tenancy, InactivityLimit_ReleasesTheBusForOthers) {
  power_on_fast();
  const std::size_t held = read(100, 400).size();
  TenancyPage page;
  page.inactivity = 1;
  set(page);
  EXPECT_GT(read(100, 400).size(), held + 10);
  EXPECT_GT(write(100, 400).size(), 10U);
  page.inactivity = 60'000;  // 6 s
  set(page);
  EXPECT_LE(read(100, 400).size(), held + 1);
}

// IDENTIFY without the privilege (SCSI-2 6.6.7) has precedence over the page.
TEST_F(Tenancy, WithoutThePrivilege_ThereIsOneTenancy) {
  power_on_fast();
  TenancyPage page;
  page.burst = 1;
  page.connect = 1;
  page.inactivity = 1;
  page.dimm = true;
  set(page);
  prepare(300, 20);
  Command command = read_10(300, 20);
  command.may_disconnect = false;
  const Completion done = execute(command);
  expect_data(done, 300, 20);
  EXPECT_EQ(tenancies(done, 20).size(), 1U);
}

/// Random commands of two hosts under random limits; some are aborted, and some end by a reset.
class TenancyLoads : public Tenancy, public testing::WithParamInterface<int> {
 protected:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  TenancyPage choose_page() {
    TenancyPage page;
    const bool only_one = below(2) == 0;
    const std::uint32_t which = below(6);
    const auto wanted = [&](std::uint32_t number) {
      return only_one ? which == number : below(2) == 0;
    };
    if (wanted(0)) page.inactivity = static_cast<std::uint16_t>(1 + below(5));
    if (wanted(1)) page.disconnect = static_cast<std::uint16_t>(1 + below(8));
    if (wanted(2)) page.connect = static_cast<std::uint16_t>(1 + below(12));
    if (wanted(3)) page.burst = static_cast<std::uint16_t>(1 + below(40));
    if (wanted(4)) page.dimm = true;
    if (wanted(5)) page.dtdc = below(2) == 0 ? 1 : 3;
    if (page.dtdc != 0) page.burst = 0;
    page.full_ratio = static_cast<std::uint8_t>(random_());
    page.empty_ratio = static_cast<std::uint8_t>(random_());
    return page;
  }

  struct Sent {
    Ticket ticket = 0;
    std::uint32_t lba = 0, count = 0;
    bool writes = false, may_disconnect = true;
  };

  void judge(const Sent& sent, const TenancyPage& page, std::vector<TenancyOfBus>* all) {
    const Completion& done = result(sent.ticket);
    const bool is_good = outcome(done) == "GOOD";
    if (is_good && !sent.writes) expect_data(done, sent.lba, sent.count);
    if (!is_good) return;
    if (sent.writes) {
      EXPECT_EQ(peek(sent.lba, sent.count), blocks().expected(sent.lba, sent.count));
    }
    const auto own = tenancies(done, sent.count);
    all->insert(all->end(), own.begin(), own.end());
    if (!sent.may_disconnect) {
      EXPECT_EQ(own.size(), 1U);
      return;
    }
    if (page.burst != 0) {
      EXPECT_LE(most_bytes(own), page.burst * 512U);
    }
    if (page.dimm) {
      EXPECT_EQ(own.front().bytes, 0U);
    }
    if (page.dtdc != 0) {
      expect_dtdc(page.dtdc, own, sent.count);
      return;
    }
    // Asynchronous, a block takes some 300 us at most.
    if (page.connect != 0) {
      EXPECT_LE(longest(own), page.connect * kUnit + 300 * kMicrosecond + kOverhead);
    }
  }

  std::mt19937_64 random_;
};

TEST_P(TenancyLoads, EveryLimitHolds_AndDataAreRight) {
  random_.seed(static_cast<std::uint64_t>(GetParam()));
  Setup setup = fast_setup();
  setup.hosts.push_back(host_config(initiator::kAsynchronous, 6));
  power_on_ready(setup);
  constexpr std::uint32_t kSlot = 130;  // of its own for each command: 16 fit
  prepare(0, 16 * kSlot);
  if (GetParam() % 3 == 0) {
    CachePage cache;
    cache.flags = kWriteCache;
    cache.segments = 2;
    cache.segment_blocks = 40;
    ASSERT_EQ(run(mode_select_6(caching_page(cache))), "GOOD");
  }
  for (int round = 0; round < 6; ++round) {
    TenancyPage page = choose_page();
    SCOPED_TRACE(testing::PrintToString(page.bytes()));
    set(page);
    (void)run(test_unit_ready(), 1);
    const std::uint32_t depth = 1 + below(16);
    const bool ends_early = below(3) == 0;
    std::vector<Sent> sent;
    for (std::uint32_t i = 0; i < depth; ++i) {
      Sent one;
      one.count = 1 + (below(3) == 0 ? below(120) : below(12));
      one.lba = i * kSlot + below(kSlot - one.count);
      one.writes = below(2) == 0;
      one.may_disconnect = below(12) != 0 || depth > 1;
      Command command = one.writes ? write_10(one.lba, blocks().write(one.lba, one.count))
                                   : read_10(one.lba, one.count);
      command.may_disconnect = one.may_disconnect;
      one.ticket = submit(tagged(std::move(command), static_cast<std::uint16_t>(i)), i % 2);
      sent.push_back(one);
    }
    if (ends_early) {
      run_for(below(30'000) * kMicrosecond);
      const std::uint16_t tag = static_cast<std::uint16_t>(below(depth));
      if (below(2) == 0) {
        manage(initiator::ManagementKind::kAbortTag, tag, tag % 2);
      } else {
        await(manage(initiator::ManagementKind::kBusDeviceReset));
        (void)run(test_unit_ready(), 1);  // The other host hears of it (SCSI-2 7.9).
      }
    }
    await_all();
    (void)run(test_unit_ready(), 0);
    EXPECT_EQ(run(synchronize_cache()), "GOOD");
    std::vector<TenancyOfBus> all;
    for (const Sent& one : sent) {
      SCOPED_TRACE("round " + std::to_string(round) + " block " + std::to_string(one.lba));
      if (!ends_early) {
        EXPECT_EQ(outcome(result(one.ticket)), "GOOD");
      }
      judge(one, page, &all);
      // The outcome of a cut write is not known.
      if (outcome(result(one.ticket)) != "GOOD") prepare(one.lba, one.count);
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < all.size() && !ends_early; ++i) {
      if (all[i].is_first) continue;
      EXPECT_GE(all[i].begin - all[i - 1].end, page.disconnect * kUnit);
    }
    (void)run(test_unit_ready(), 0);
    (void)run(test_unit_ready(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TenancyLoads, testing::Range(1, 13));

}  // namespace
}  // namespace headstack::scenario
