// The table of what firmware costs: its file, its arithmetic, its errors; the names of accesses.
#include "sim/tlm/cost_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "firmware/hal/mmio.h"
#include "tests/support.hpp"

namespace headstack::tlm {
namespace {

constexpr const char* kHead =
    "format = \"headstack costs 3\"\ncommit = \"abc\"\ndate = \"2026-01-01\"\n"
    "default_cycles = 12.5\n";

CostTable table(const std::string& pairs) {
  return CostTable(Costs::parse("costs.toml", kHead + pairs), "costs.toml");
}

/// Cycles from one access to another.
double cycles(const CostTable& costs, const char* from, const char* to) {
  const cpu_charge* row =
      costs.rows() + costs.place(accesses_named(from).at(0)) * CostTable::kPlaces;
  return row[costs.place(accesses_named(to).at(0))].cost /
         static_cast<double>(1U << CostTable::kFractionBits);
}

/// What each step of a way costs, the first access being where it begins.
std::vector<double> way(const CostTable& costs, const std::vector<const char*>& names) {
  cpu_bill bill{costs.rows(),
                costs.rows() + costs.place(accesses_named(names.at(0)).at(0)) * CostTable::kPlaces,
                0};
  std::vector<double> steps;
  for (std::size_t i = 1; i < names.size(); ++i) {
    bill.owed = 0;
    cpu_pass_point(&bill, costs.place(accesses_named(names[i]).at(0)));
    steps.push_back(static_cast<double>(bill.owed) / (1U << CostTable::kFractionBits));
  }
  return steps;
}

TEST(Accesses, AreNumberedAsTheAddressMapHasThem) {
  // hdl/README.md: page n at 0x40000000 + 0x1000 n; offsets of hdl/regs/*.rdl.
  EXPECT_EQ(access_name(access_of(HAL_BASE_TIMER, false)), "timer.TIME_LO read");
  EXPECT_EQ(access_name(access_of(HAL_BASE_IRQ_CTRL + 4, true)), "irq_ctrl.ENABLE write");
  EXPECT_EQ(access_name(access_of(HAL_BASE_TRACE_PORT + 8, true)), "trace_port.EVENT[2] write");
  EXPECT_EQ(access_name(access_of(HAL_BASE_TRACE_PORT + 0xFC, true)), "trace_port.EVENT[63] write");
  EXPECT_EQ(access_name(access_of(HAL_BASE_TESTDEV, true)), "testdev.CONSOLE write");
  EXPECT_EQ(access_name(access_of(HAL_BASE_SCSI_TARGET + 0x14, false)), "scsi_target.FIFO read");
  EXPECT_EQ(access_name(access_of(HAL_BASE_BUFFER_MGR + 0xFC, true)),
            "buffer_mgr.SEGMENT[].CONTROL write");
  EXPECT_EQ(access_name(access_of(HAL_BASE_FORMATTER, true)), "formatter.COMMAND write");
  EXPECT_EQ(access_name(access_of(HAL_BASE_SERVO + 0x24, false)), "servo.INTR_ENABLE read");
  EXPECT_EQ(access_name(access_of(HAL_BASE_BUFFER_RAM + 0xFFFFC, false)), "buffer_ram read");
  EXPECT_EQ(access_name(access_of(HAL_BASE_FORMATTER + 0x28, false)), "") << "no such register";
  EXPECT_EQ(access_name(kWake), "wake");
}

TEST(Accesses, NamesLeadBack) {
  for (Access access = 0; access < kAccessCount; ++access) {
    const std::string name = access_name(access);
    if (name.empty()) continue;
    const std::vector<Access> found = accesses_named(name);
    EXPECT_NE(std::find(found.begin(), found.end(), access), found.end()) << name;
  }
  EXPECT_EQ(accesses_named("buffer_mgr.SEGMENT[].BASE read").size(), 8U);
  EXPECT_EQ(accesses_named("buffer_mgr.SEGMENT[3].BASE read").size(), 1U);
  EXPECT_TRUE(accesses_named("timer.TIME_LO").empty()) << "read or write";
}

TEST(CostTable, Pair_CostsWhatTheFileSays_AnyOtherTheDefault) {
  const CostTable costs = table(
      "[[pair]]\nfrom = \"timer.CTRL write\"\nto = \"timer.COMPARE_LO write\"\ncycles = 3.25\n"
      "[[pair]]\nfrom = \"wake\"\nto = \"irq_ctrl.PENDING read\"\ncycles = 40\n");
  EXPECT_EQ(cycles(costs, "timer.CTRL write", "timer.COMPARE_LO write"), 3.25);
  EXPECT_EQ(cycles(costs, "timer.COMPARE_LO write", "timer.CTRL write"), 12.5)
      << "not turned round";
  EXPECT_EQ(cycles(costs, "timer.CTRL read", "timer.COMPARE_LO write"), 12.5);
  EXPECT_EQ(cycles(costs, "wake", "irq_ctrl.PENDING read"), 40);
  EXPECT_EQ(cycles(costs, "preempt", "irq_ctrl.PENDING read"), 12.5);
  EXPECT_EQ(cycles(costs, "servo.STATUS read", "servo.STATUS read"), 12.5) << "never named";
}

// Whether the file names them or not: the firmware charges by their numbers.
TEST(CostTable, Waypoints_HaveTheirNumbersForPlaces) {
  const CostTable costs = table(
      "[[pair]]\nfrom = \"waypoint SSTF_COMPARED\"\nto = \"waypoint SSTF_COMPARED\"\n"
      "cycles = 14\n");
  for (std::uint32_t number = 0; number < WAYPOINT_COUNT; ++number) {
    EXPECT_EQ(costs.place(kWaypoint + number), number);
  }
  const cpu_charge* row = costs.rows() + WAYPOINT_SSTF_COMPARED * CPU_BILL_PLACES;
  EXPECT_EQ(row[WAYPOINT_SSTF_COMPARED].cost, 14U << CostTable::kFractionBits);
  EXPECT_EQ(row[WAYPOINT_SEARCH_DONE].cost, 12.5 * (1U << CostTable::kFractionBits));
}

TEST(CostTable, Before_MakesAPairCostAnother_AndOnlyThatOne) {
  const CostTable costs = table(
      "[[pair]]\nfrom = \"timer.CTRL write\"\nto = \"timer.STATUS read\"\ncycles = 3\n"
      "[[pair]]\nbefore = [\"waypoint KICKED\", \"boot\"]\nfrom = \"timer.CTRL write\"\n"
      "to = \"timer.STATUS read\"\ncycles = 5\n"
      "[[pair]]\nbefore = [\"waypoint HURRIED\"]\nfrom = \"timer.CTRL write\"\n"
      "to = \"timer.STATUS read\"\ncycles = 7\n"
      "[[pair]]\nfrom = \"timer.STATUS read\"\nto = \"sleep\"\ncycles = 20\n"
      "[[pair]]\nbefore = [\"boot\"]\nfrom = \"timer.STATUS read\"\n"
      "to = \"sleep\"\ncycles = 21\n"
      "[[pair]]\nfrom = \"boot\"\nto = \"timer.CTRL write\"\ncycles = 12.5\n"
      "[[pair]]\nfrom = \"waypoint KICKED\"\nto = \"timer.CTRL write\"\ncycles = 12.5\n"
      "[[pair]]\nfrom = \"waypoint HURRIED\"\nto = \"timer.CTRL write\"\ncycles = 12.5\n"
      "[[pair]]\nfrom = \"wake\"\nto = \"timer.CTRL write\"\ncycles = 12.5\n");
  using testing::ElementsAre;
  const char* control = "timer.CTRL write";
  const char* status = "timer.STATUS read";
  EXPECT_THAT(way(costs, {control, status}), ElementsAre(3)) << "nothing came before";
  EXPECT_THAT(way(costs, {"wake", control, status}), ElementsAre(12.5, 3));
  EXPECT_THAT(way(costs, {"boot", control, status}), ElementsAre(12.5, 5));
  EXPECT_THAT(way(costs, {"wake", "waypoint KICKED", control, status}), ElementsAre(12.5, 12.5, 5));
  EXPECT_THAT(way(costs, {"wake", "waypoint HURRIED", control, status, status}),
              ElementsAre(12.5, 12.5, 7, 12.5));
  EXPECT_THAT(way(costs, {"boot", control, status, "sleep"}), ElementsAre(12.5, 5, 21))
      << "registers between do not count";
  EXPECT_THAT(way(costs, {"wake", control, status, "sleep"}), ElementsAre(12.5, 3, 20));
  EXPECT_THAT(way(costs, {"boot", control, "waypoint HURRIED", control, status}),
              ElementsAre(12.5, 12.5, 12.5, 7))
      << "the last counts";
}

TEST(CostTable, WholeArray_IsOneName) {
  const CostTable costs = table(
      "[[pair]]\nfrom = \"buffer_mgr.SEGMENT[].BASE write\"\n"
      "to = \"buffer_mgr.SEGMENT[].SIZE write\"\ncycles = 6\n");
  for (std::uint32_t segment = 0; segment < 8; ++segment) {
    const std::string at = "buffer_mgr.SEGMENT[" + std::to_string(segment) + "].";
    EXPECT_EQ(cycles(costs, (at + "BASE write").c_str(), (at + "SIZE write").c_str()), 6);
  }
}

TEST(CostTable, Ideal_CostsNothing) {
  const CostTable costs = CostTable::ideal();
  EXPECT_EQ(cycles(costs, "boot", "trace_port.EVENT[2] write"), 0);
  EXPECT_EQ(cycles(costs, "waypoint STF_PRICED", "waypoint STF_PRICED"), 0);
}

TEST(CostFile, WrittenAndRead_IsTheSame) {
  Costs costs;
  costs.commit = "0cbf742";
  costs.date = "2026-11-21";
  costs.default_cycles = 12;
  costs.pairs = {{"timer.CTRL write", "timer.COMPARE_LO write", 3.25, {}},
                 {"trace_port.EVENT[4] write", "trace_port.EVENT[3] write", 310, {}},
                 {"timer.CTRL write", "timer.COMPARE_LO write", 4, {"wake", "waypoint KICKED"}}};
  std::ostringstream out;
  costs.write(out);
  const Costs again = Costs::parse("again.toml", out.str());
  EXPECT_EQ(again.commit, costs.commit);
  EXPECT_EQ(again.date, costs.date);
  EXPECT_EQ(again.default_cycles, 12);
  ASSERT_EQ(again.pairs.size(), 3U);
  EXPECT_EQ(again.pairs[0].from, "timer.CTRL write");
  EXPECT_EQ(again.pairs[1].to, "trace_port.EVENT[3] write");
  EXPECT_EQ(again.pairs[1].cycles, 310);
  EXPECT_TRUE(again.pairs[1].before.empty());
  EXPECT_THAT(again.pairs[2].before, testing::ElementsAre("wake", "waypoint KICKED"));
}

struct Mistake {
  const char* what;
  std::string text;
  const char* message;
};

class CostMistake : public testing::TestWithParam<Mistake> {};

TEST_P(CostMistake, IsNamedWithFileAndKey) {
  try {
    CostTable(Costs::parse("costs.toml", GetParam().text), "costs.toml");
    FAIL() << "accepted";
  } catch (const CostError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("costs.toml:", 0), 0U) << message;
    EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  }
}

std::string pair(const char* from, const char* to, const char* more) {
  return std::string(kHead) + "[[pair]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n" + more;
}

const Mistake kMistakes[] = {
    {"not_toml", "format = ", "costs.toml:1:"},
    {"no_format", "commit = \"a\"\n", "format: is missing"},
    {"other_format", "format = \"headstack costs 1\"\n", "format: must be \"headstack costs 3\""},
    {"no_date", "format = \"headstack costs 3\"\ncommit = \"a\"\ndefault_cycles = 1\n",
     "date: is missing"},
    {"unknown_key", std::string(kHead) + "defaultcycles = 2\n", ":5: defaultcycles: unknown key"},
    {"text_for_number",
     "format = \"headstack costs 3\"\ncommit = \"a\"\ndate = \"b\"\ndefault_cycles = \"3\"\n",
     ":4: default_cycles: must be a number"},
    {"pair_is_no_table", std::string(kHead) + "pair = 3\n", "pair: must be tables"},
    {"unknown_pair_key", pair("boot", "timer.CTRL write", "cycle = 1\n"),
     ":8: pair 1: cycle: unknown key"},
    {"no_cycles", pair("boot", "timer.CTRL write", ""), "pair 1: cycles: is missing"},
    {"unknown_access", pair("boot", "timer.CTRL wrote", "cycles = 1\n"),
     "to: there is no access 'timer.CTRL wrote'"},
    {"negative", pair("boot", "timer.CTRL write", "cycles = -1\n"), "cycles: -1 is not between"},
    {"huge", pair("boot", "timer.CTRL write", "cycles = 1e9\n"), "is not between 0 and 16000000"},
    {"into_wake", pair("timer.CTRL write", "wake", "cycles = 1\n"),
     "to: nothing is counted up to here"},
    {"out_of_return", pair("return", "timer.CTRL write", "cycles = 1\n"),
     "from: nothing is counted from here on"},
    {"array_both_ways",
     pair("buffer_mgr.SEGMENT[].BASE write", "buffer_mgr.SEGMENT[2].BASE write", "cycles = 1\n"),
     "to: registers of an array are named one by one, or all"},
    {"twice",
     pair("boot", "timer.CTRL write", "cycles = 1\n") +
         "[[pair]]\nfrom = \"boot\"\nto = \"timer.CTRL write\"\ncycles = 2\n",
     "to: this pair is there already"},
    {"before_alone", pair("sleep", "timer.CTRL write", "cycles = 1\nbefore = [\"wake\"]\n"),
     "before: the pair comes first without"},
    {"before_entry",
     pair("boot", "timer.CTRL write", "cycles = 1\nbefore = [\"waypoint KICKED\"]\n"),
     "before: nothing comes before here"},
    {"before_no_list", pair("sleep", "timer.CTRL write", "cycles = 1\nbefore = \"wake\"\n"),
     "before: must be a list of texts"},
    {"before_register",
     pair("sleep", "timer.CTRL write", "cycles = 1\n") +
         "[[pair]]\nbefore = [\"timer.CTRL read\"]\nfrom = \"sleep\"\n"
         "to = \"timer.CTRL write\"\ncycles = 2\n",
     "before: 'timer.CTRL read' is neither a waypoint nor a moment"},
    {"before_twice",
     pair("sleep", "timer.CTRL write", "cycles = 1\n") +
         "[[pair]]\nbefore = [\"wake\", \"wake\"]\nfrom = \"sleep\"\n"
         "to = \"timer.CTRL write\"\ncycles = 2\n",
     "before: 'wake' is there already"},
};

INSTANTIATE_TEST_SUITE_P(All, CostMistake, testing::ValuesIn(kMistakes), test::case_name<Mistake>);

TEST(CostFile, Missing_SaysHowToMakeOne) {
  try {
    Costs::read("/nonexistent/costs.toml");
    FAIL() << "read";
  } catch (const CostError& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/costs.toml: cannot be read"),
              std::string::npos);
    EXPECT_NE(std::string(error.what()).find("headstack calibrate"), std::string::npos);
  }
}

}  // namespace
}  // namespace headstack::tlm
