/// @file
/// A host of a storyline, as the player sees it: polite ones go through sim/initiator's host
/// adapter, raw ones (raw_host.hpp) say what the storyline says.
#pragma once

#include <cstdint>

#include "sim/initiator/host_adapter.hpp"
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

class Host {
 public:
  virtual ~Host() = default;

  /// `command` has all that a host adapter needs; `action`, which must outlive the command, the
  /// rest.
  virtual void submit(const Action& action, initiator::Command command) = 0;
  virtual void manage(initiator::Management management) = 0;
  virtual void reset_bus() = 0;
  /// Answers no reselection.
  virtual void set_deaf(bool deaf) = 0;
  /// Another host has reset the drive: what was agreed upon holds no more.
  virtual void forget_agreement() = 0;

  /// Commands that wait, or that the drive has.
  virtual std::size_t out_count() const = 0;
  virtual bool idle() const = 0;
  /// Reselections for a command that there is not.
  virtual std::uint64_t unknown_nexus_count() const = 0;
  /// Commands of its own that may have met a unit attention.
  virtual std::uint64_t question_count() const { return 0; }
  /// Sense data that ended one of these, which nobody else hears; once.
  virtual std::vector<std::vector<std::uint8_t>> take_overheard() { return {}; }
};

/// A host adapter. It hears of resets by itself, and is never deaf.
class PoliteHost : public Host {
 public:
  explicit PoliteHost(initiator::HostAdapter& adapter) : adapter_(adapter) {}

  void submit(const Action& /*action*/, initiator::Command command) override {
    adapter_.submit(std::move(command));
  }
  void manage(initiator::Management management) override { adapter_.manage(std::move(management)); }
  void reset_bus() override { adapter_.reset_bus(); }
  void set_deaf(bool /*deaf*/) override {}
  void forget_agreement() override {}
  std::size_t out_count() const override {
    return adapter_.waiting_count() + adapter_.in_flight_count();
  }
  bool idle() const override { return adapter_.idle(); }
  std::uint64_t unknown_nexus_count() const override { return adapter_.unknown_nexus_count(); }
  std::uint64_t question_count() const override { return adapter_.question_count(); }
  std::vector<std::vector<std::uint8_t>> take_overheard() override {
    return adapter_.take_overheard();
  }

 private:
  initiator::HostAdapter& adapter_;
};

}  // namespace headstack::fuzz
