// Whether commands end in the order that their queue tags ask for (SAM-2 7.6; SCSI-2 7.8): an
// ORDERED one behind all that the drive received before it, a SIMPLE one behind those ORDERED and
// HEAD OF QUEUE ones. A write that is reported ahead of the media does not take part.
//
// A command without the privilege to disconnect holds the bus, which others may need to end: a
// drive may serve it first. It passes all but ORDERED commands of its own host, and those it passes
// as an ORDERED one (firmware/transfer/bus_holder.h).
//
// What counts is when the drive gave its status: a host may hear of it later, behind its sense
// data.
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
  using Ticket = std::uint64_t;  // by arrival, from 1

  /// One command has overtaken another, which should have ended first. By their numbers.
  struct Overtaken {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
  };

  struct Arrival {
    std::uint64_t number = 0;  // of the command
    traces::Tagging tagging = traces::Tagging::kSimple;
    std::uint32_t host = 0;
    bool keeps_bus = false;
  };

  /// The drive has received a command.
  Ticket arrived(const Arrival& arrival);
  /// It ended: with a status that the drive gave at `status`, or dropped without one. `early`: it
  /// did not have to wait for its turn, being reported ahead of the media, or refused. What has
  /// come to light by this, if anything.
  std::optional<Overtaken> ended(Ticket ticket, std::optional<Picoseconds> status, bool early);

 private:
  struct Command {
    Arrival arrival;
    std::vector<std::pair<std::uint64_t, Picoseconds>> passed_by;  // number, time of its status
  };

  static bool may_pass(const Arrival& command, const Arrival& older);

  std::map<Ticket, Command> out_;
  std::set<Ticket> special_;  // of those: ORDERED, HEAD OF QUEUE
  Ticket last_ = 0;
};

}  // namespace headstack::replay
