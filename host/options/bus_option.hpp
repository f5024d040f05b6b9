// SPDX-License-Identifier: Apache-2.0
// The command line's words for what the hosts negotiate: async, fast, fast-wide, or
// sync:PERIOD_NS[:OFFSET][:wide] for any other agreement (SCSI-2 6.6.21). With :in=NS and :out=NS
// the hosts' own adapters are slower than the agreement in DATA IN and DATA OUT.
#pragma once

#include <string>

#include "host/options/option_words.hpp"
#include "sim/initiator/agreement.hpp"

namespace headstack::options {

/// Bus properties shared by all hosts.
struct BusSetting {
  initiator::Agreement agreement;
  // Least times from one ACK of a data phase to the next; 0: the agreement's period.
  Picoseconds in_period_ps = 0;
  Picoseconds out_period_ps = 0;
};

/// The agreement that the hosts request; a drive with fewer capabilities answers with less.
/// "sync:204:8" is 204 ns and 8 REQs ahead. Throws OptionError for an unknown word. A period is 100
/// to 1020 in steps of 4, and an offset 1 to 15. A pace of the hosts' own is no shorter than the
/// period, and at most 10,000 ns.
BusSetting parse_bus(const std::string& text);

}  // namespace headstack::options
