// SPDX-License-Identifier: Apache-2.0
// Checks that commands end in the order required by their queue tags (SAM-2 7.6; SCSI-2 7.8). An
// ORDERED command ends after all that the drive received before it. A SIMPLE one ends after all
// earlier ORDERED and HEAD OF QUEUE ones. A write that is reported ahead of the media is not
// checked.
//
// A command without disconnect privilege holds the bus, which others may need in order to end. So a
// drive may serve it first. It may overtake any command of another host. It may overtake one of its
// own host if neither is ORDERED (firmware/transfer/bus_holder.h).
//
// The time that counts is when the drive sent its status. A host may learn of it later, after its
// sense data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "host/traces/request_options.hpp"
#include "sim/units.hpp"

namespace headstack::replay {

class OrderCheck {
 public:
  using Ticket = std::uint64_t;  // numbered from 1, in the order of arrival

  /// A command, `second`, has overtaken another, `first`, which should have ended before it.
  struct Overtaken {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
  };

  struct Arrival {
    std::uint64_t number = 0;  // number of the command
    traces::Tagging tagging = traces::Tagging::kSimple;
    std::uint32_t host = 0;
    bool keeps_bus = false;
  };

  /// Called when the drive has received a command.
  Ticket arrived(const Arrival& arrival);
  /// Called when a command has ended, with a status that the drive sent at `status`, or dropped
  /// without one. With `early`, it need not wait for its turn, because it was reported ahead of the
  /// media, or refused. @return the violation that this shows, if any.
  std::optional<Overtaken> ended(Ticket ticket, std::optional<Picoseconds> status, bool early);

 private:
  struct Command {
    Arrival arrival;
    std::vector<std::pair<std::uint64_t, Picoseconds>> passed_by;  // number, and time of the status
  };

  static bool may_pass(const Arrival& command, const Arrival& older);

  std::map<Ticket, Command> out_;
  std::set<Ticket> special_;  // ORDERED and HEAD OF QUEUE commands of out_
  Ticket last_ = 0;
};

}  // namespace headstack::replay
