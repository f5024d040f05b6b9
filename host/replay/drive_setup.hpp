// SPDX-License-Identifier: Apache-2.0
// Makes the drive ready for a trace. Every host sends TEST UNIT READY until it answers GOOD, which
// clears the unit attentions. Host 0 sets the mode pages. That gives the other hosts a unit
// attention (SPC-2 7.6), which they also clear by TEST UNIT READY. Pages that each host has for
// itself come last.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/replay/mode_changes.hpp"
#include "host/session/session.hpp"

namespace headstack::replay {

class DriveSetup {
 public:
  /// `saves` means that the pages must outlive resets. A drive without a store cannot save them:
  /// see unsaved(). `own_pages` is a MODE SELECT that each host sends for itself. `session` must
  /// outlive this object. In the end either `ready` is called, or `fail` with a sentence; exactly
  /// once. Until then the owner passes the session's wake-ups on.
  DriveSetup(session::Session& session, std::uint32_t hosts, std::uint8_t target_id,
             std::vector<ModeChange> changes, bool saves,
             std::optional<initiator::Command> own_pages, std::function<void()> ready,
             std::function<void(const std::string&)> fail);

  void begin() { poll_unit(); }
  void woken();
  /// Sentences about values of mode pages that the drive has rounded.
  const std::vector<std::string>& notes() const { return notes_; }
  /// MODE SELECTs, in order, of pages that a reset reverts although they must outlive resets. A
  /// host sends them again after a reset.
  const std::vector<initiator::Command>& unsaved() const { return unsaved_; }
  /// Time since which a command to the drive has been unanswered; nothing if none is.
  std::optional<Picoseconds> waiting_since() const { return waiting_since_; }

 private:
  using Answer = std::function<void(const initiator::Completion&)>;

  void poll_unit();
  void unit_ready();
  /// Sends MODE SENSE of the page to be changed.
  void sense_page(Answer answer);
  void change_page();
  void note_rounding();
  void page_changed();
  void next_page();
  void select_own_pages();
  void select_page(std::vector<std::uint8_t> list);
  void send_select(const std::vector<std::uint8_t>& list);
  /// Sends the commands that precede the page's change.
  void send_before();
  /// Waits until all units of blocks have moved.
  void wait_for_moves();
  void look_at_moves();
  void submit(initiator::Command command, Answer answer);

  session::Session& session_;
  std::uint32_t hosts_;
  std::uint8_t target_id_;
  std::vector<ModeChange> changes_;
  bool saves_;
  bool keeps_unsaved_ = false;  // the drive has no store
  std::vector<initiator::Command> unsaved_;
  std::optional<initiator::Command> own_pages_;
  std::function<void()> ready_;
  std::function<void(const std::string&)> fail_;

  std::uint32_t host_ = 0;       // host that polls the drive
  std::size_t next_change_ = 0;  // index into changes_
  std::size_t next_before_ = 0;  // index into the change's `before`
  std::function<void()> woken_;  // continuation of the wait; empty: hosts poll
  unsigned polls_ = 0;
  std::vector<std::string> notes_;
  std::optional<Picoseconds> waiting_since_;
};

}  // namespace headstack::replay
