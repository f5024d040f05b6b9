// SPDX-License-Identifier: Apache-2.0
// The moves that are possible in a state of the bus model.
#pragma once

#include <cstdint>
#include <string>

#include "tests/waits/bus_world.hpp"

namespace headstack::test {

enum class BusMove : std::uint8_t {
  // These moves are made by the drive, or by a host, sooner or later.
  kReselect,      // task `age` takes the bus
  kGoOn,          // the connected task goes on
  kBegin,         // the media begin with task `age`, or with one that makes room for it
  kBlock,         // the media transfer a block
  kFail,          // the media fail; `age` has no meaning
  kSuspend,       // the task at the media is suspended
  kResume,        // a suspended task resumes
  kRequestSense,  // host `age` requests its sense data
  kPatienceEnds,  // the drive no longer keeps room for a task that it has refused
  // These moves may happen or not.
  kFetch,   // a planned task fetches its data early
  kArrive,  // host `variant` / 2 sends command `age` of the configuration
};

struct BusStep {
  BusMove move;
  std::uint32_t age;
  std::uint32_t variant;  // kArrive, bit 0: the media begin with the task before it is served
  bool refuses;           // the host rejects DISCONNECT

  bool is_progress() const { return move < BusMove::kFetch; }
};

class BusMoves {
 public:
  explicit BusMoves(BusWorld& world) : world_(world), setup_(world.configuration) {}

  // A quick check that excludes most of the impossible steps.
  bool may_be(const BusStep& step) const;

  // Makes the step in the world. @return false: the step is not possible, and the world is
  // undefined.
  bool make(const BusStep& step);

  // Whether the last step refused a command that the media had begun with, or that could
  // disconnect.
  bool refused_late() const { return refused_late_; }
  bool refused() const { return refused_; }
  // Whether the last step used `refuses`.
  bool met_refusal() const { return met_refusal_; }

  // Why the state's tasks cannot go on: the waits from one to the next, until one repeats.
  std::string describe_circle();
  // What the step does, with the names of the tasks in the world before it.
  std::string describe(const BusStep& step) const;

 private:
  bool has(BusRule rule) const { return !setup_.is_off[static_cast<std::size_t>(rule)]; }

  // Decisions of bus_holder.c and service.c.
  bool decides() const;
  std::uint32_t find_resumable() const;
  ::task* holders_next() const;
  bool is_stuck(const ::task* task) const;

  // Functions of host_side.c.
  bool may_fetch_whole(const ::task* task) const;
  bool take_segment(::task* task, std::uint32_t reserve);
  void fetch_early(::task* task, std::uint32_t reserve);
  void grant_up_to(::task* task, std::uint32_t total);

  // Functions of service.c.
  bool may_choose(::task* task) const;
  ::task* find_substitute();
  bool begin(::task* task);
  bool do_block();
  bool fail();
  void finish_current();
  bool suspend();
  bool resume();

  // Functions of connection_command.c and tenancy.c.
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

  // What a thing waits for, and why; used by describe_circle().
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
