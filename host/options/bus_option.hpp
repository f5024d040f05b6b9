// SPDX-License-Identifier: Apache-2.0
// The command line's words for what the hosts negotiate: async, fast, fast-wide, or
// sync:PERIOD_NS[:OFFSET][:wide] for another host's agreement (SCSI-2 6.6.21).
#pragma once

#include <string>

#include "host/options/option_words.hpp"
#include "sim/initiator/agreement.hpp"

namespace headstack::options {

/// What the hosts ask for; a drive that can do less answers with less. "sync:204:8" is 204 ns and 8
/// REQs ahead. Throws OptionError: unknown word; a period that is not 100 to 1020 in steps of 4; an
/// offset that is not 1 to 15.
initiator::Agreement parse_bus(const std::string& text);

}  // namespace headstack::options
