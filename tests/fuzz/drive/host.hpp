// SPDX-License-Identifier: Apache-2.0
/// @file
/// The player's interface to a host. Polite hosts use the host adapter of sim/initiator; raw hosts
/// (raw_host.hpp) send what the storyline says.
#pragma once

#include <cstdint>

#include "sim/initiator/host_adapter.hpp"
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

class Host {
 public:
  virtual ~Host() = default;

  /// `command` has the fields for a host adapter; `action`, which must outlive the command, has the
  /// others.
  virtual void submit(const Action& action, initiator::Command command) = 0;
  virtual void manage(initiator::Management management) = 0;
  virtual void reset_bus() = 0;
  /// Sets whether the host answers no reselection.
  virtual void set_deaf(bool deaf) = 0;
  /// Another host has reset the drive, so the transfer agreement has ended.
  virtual void forget_agreement() = 0;
  /// Another host may have reset the drive, so the transfer agreement is uncertain.
  virtual void doubt_agreement() = 0;

  /// Commands that wait, or are in the drive.
  virtual std::size_t out_count() const = 0;
  virtual bool idle() const = 0;
  /// Reselections for a command that does not exist.
  virtual std::uint64_t unknown_nexus_count() const = 0;
  /// Commands of the host adapter's own that may have received a unit attention.
  virtual std::uint64_t question_count() const { return 0; }
  /// Sense data that ended one of the adapter's own commands; each is returned once.
  virtual std::vector<std::vector<std::uint8_t>> take_overheard() { return {}; }
};

/// A host adapter. It detects resets by itself, and is never deaf.
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
  void doubt_agreement() override {}
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
