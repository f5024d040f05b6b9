// SPDX-License-Identifier: Apache-2.0
// The texts of the bus's rules. It is plain C++, for users without pins, too.
#include <array>
#include <cstdio>

#include "sim/bus/observer.hpp"

namespace headstack::bus {
namespace {

struct RuleRow {
  Rule rule;
  const char* text;
};

// One row per rule, in the order of the enum; the clause is SCSI-2's.
constexpr std::array<RuleRow, 29> kRules = {{
    {Rule::kReqWithoutBusy, "REQ asserted without BSY (6.1.5)"},
    {Rule::kAckWithoutBusy, "ACK asserted without BSY (6.1.5)"},
    {Rule::kAckWithoutReq, "more ACK than REQ edges (6.1.5.1, 6.1.5.2)"},
    {Rule::kReservedPhase, "REQ in a reserved phase (6.1.5)"},
    {Rule::kTwoPhaseDrivers, "two devices drive REQ, MSG, C/D or I/O (5.6.3)"},
    {Rule::kTwoBusyHolders, "two devices hold BSY in an information transfer phase (5.6.3)"},
    {Rule::kDataContention, "data bus driven by a device that does not send (6.1.10)"},
    {Rule::kPhaseChangeInTransfer, "MSG, C/D or I/O changed while a byte was under way (6.1.10)"},
    {Rule::kSelectWithoutArbitration, "SEL asserted without arbitration (6.1.3)"},
    {Rule::kSelectByLoser, "SEL asserted while a higher id arbitrates (6.1.2 d)"},
    {Rule::kBusFreeDelay, "BSY earlier than bus settle + bus free delay (6.1.2 b)"},
    {Rule::kBusSetDelay, "BSY later than a bus set delay after bus free (6.1.2 c)"},
    {Rule::kArbitrationDelay, "SEL earlier than an arbitration delay after BSY (6.1.2 d)"},
    {Rule::kWonToChange, "winner changed lines within bus clear + bus settle delay (6.1.2 e)"},
    {Rule::kSelectionDeskew, "BSY released within two deskew delays of the ids (6.1.3, 6.1.4)"},
    {Rule::kSelectionResponse, "selection answered within a bus settle delay (6.1.3, 6.1.4)"},
    {Rule::kSelectionRelease, "SEL released within two deskew delays of the answer (6.1.3, 6.1.4)"},
    {Rule::kSelectionAbort, "SEL released within a selection abort time of the ids (6.1.3.1 b)"},
    {Rule::kPhaseSettle, "REQ within a bus settle delay of a phase change (6.1.10)"},
    {Rule::kTurnAround, "target drove DB within data release + bus settle delay of I/O (6.1.10)"},
    {Rule::kReqSetup, "data not stable for deskew + cable skew before REQ (6.1.5)"},
    {Rule::kAckSetup, "data not stable for deskew + cable skew before ACK (6.1.5)"},
    {Rule::kDataHold, "data changed before they were taken (6.1.5)"},
    {Rule::kAssertionPeriod, "REQ or ACK pulse shorter than the assertion period (6.1.5.2)"},
    {Rule::kNegationPeriod, "REQ or ACK gap shorter than the negation period (6.1.5.2)"},
    {Rule::kAttention, "ATN negated within two deskew delays of ACK (6.2.1)"},
    {Rule::kResetHold, "RST shorter than the reset hold time (6.2.2)"},
    {Rule::kResetRelease, "lines still asserted a bus clear delay after RST (6.2.2)"},
    {Rule::kAgreement, "transfer agreement broken by the other device (6.6.21, 6.6.23)"},
}};

constexpr bool rows_match() {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (static_cast<std::size_t>(kRules[i].rule) != i) return false;
  }
  return true;
}
static_assert(rows_match(), "one row per rule, in order");

}  // namespace

const char* rule_text(Rule rule) { return kRules[static_cast<std::size_t>(rule)].text; }

std::string to_string(const Violation& violation) {
  std::array<char, 192> text{};
  const Pins pins = unpack(violation.lines);
  std::snprintf(
      text.data(), text.size(),
      "%lld ps: %s; bsy %d sel %d msg %d cd %d io %d req %d ack %d atn %d rst %d db %04x dp %d",
      static_cast<long long>(violation.at), rule_text(violation.rule), pins.bsy, pins.sel, pins.msg,
      pins.cd, pins.io, pins.req, pins.ack, pins.atn, pins.rst, pins.db, pins.dp);
  return text.data();
}

}  // namespace headstack::bus
