// SPDX-License-Identifier: Apache-2.0
// What may happen next in a state of the bus model.
#pragma once

#include <cstdint>
#include <string>

#include "tests/waits/bus_world.hpp"

namespace headstack::test {

enum class BusMove : std::uint8_t {
  // Moves of the drive, or of a host that must make them sooner or later.
  kReselect,      // Task `age` takes the bus.
  kGoOn,          // The connected task goes on.
  kBegin,         // The media begin with task `age`, or with one that makes room for it.
  kBlock,         // The media do a block.
  kFail,          // The media fail; task `age` is not used.
  kSuspend,       // The task at the media makes way.
  kResume,        // A suspended task goes on.
  kRequestSense,  // Host `age` asks for its sense data.
  kPatienceEnds,  // The drive no longer prepares for a task that it has refused.
  // May happen, or not.
  kFetch,   // A task that is planned fetches its data early.
  kArrive,  // Command `age` of the configuration comes from host `variant` / 2.
};

struct BusStep {
  BusMove move;
  std::uint32_t age;
  std::uint32_t variant;  // for kArrive, bit 0: the media begin with the task before it is served
  bool refuses;           // The host rejects DISCONNECT.

  bool is_progress() const { return move < BusMove::kFetch; }
};

class BusMoves {
 public:
  explicit BusMoves(BusWorld& world) : world_(world), setup_(world.configuration) {}

  // A look at the world that spares most of the steps that are not possible.
  bool may_be(const BusStep& step) const;

  // Makes the step in the world. @return false: it is not possible; the world is then undefined.
  bool make(const BusStep& step);

  // The last step refused a command that the media had begun with, or that its host let disconnect.
  bool refused_late() const { return refused_late_; }
  bool refused() const { return refused_; }
  // Whether the last step used `refuses`.
  bool met_refusal() const { return met_refusal_; }

  // Why the state's tasks cannot go on: goes from wait to wait, until one comes again.
  std::string describe_circle();
  // What it does, with the names of the tasks in the world before it.
  std::string describe(const BusStep& step) const;

 private:
  bool has(BusRule rule) const { return !setup_.is_off[static_cast<std::size_t>(rule)]; }

  // bus_holder.c, service.c: decisions
  bool decides() const;
  std::uint32_t find_resumable() const;
  ::task* holders_next() const;
  bool is_stuck(const ::task* task) const;

  // host_side.c
  bool may_fetch_whole(const ::task* task) const;
  bool take_segment(::task* task, std::uint32_t reserve);
  void fetch_early(::task* task, std::uint32_t reserve);
  void grant_up_to(::task* task, std::uint32_t total);

  // service.c
  bool may_choose(::task* task) const;
  ::task* find_substitute();
  bool begin(::task* task);
  bool do_block();
  bool fail();
  void finish_current();
  bool suspend();
  bool resume();

  // connection_command.c, tenancy.c
  bool arrive(const BusStep& step);
  bool reselect(::task* task);
  bool go_on();
  void serve();
  bool serve_within_limits(bool* done);
  bool must_stay(const ::task* task) const;
  bool may_begin_data(const ::task* task) const;
  bool may_report(const ::task* task) const;
  bool move_data();
  void stay();
  bool leave();
  void free_bus();
  void send_status();

  bool request_sense(std::uint32_t host);

  // Of describe_circle(): what a thing waits for, and why.
  struct Wait;
  Wait wait_of(const Wait& at) const;
  Wait wait_of_bus() const;
  Wait wait_of_task(const ::task* task) const;
  Wait wait_of_dormant(const ::task* task) const;

  BusWorld& world_;
  const BusConfiguration& setup_;
  bool refuses_ = false;
  bool met_refusal_ = false;
  bool refused_ = false;
  bool refused_late_ = false;
};

}  // namespace headstack::test
