// SPDX-License-Identifier: Apache-2.0
#include "host/replay/drive_setup.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/replay/map_transfer.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::replay {
namespace {

using initiator::Command;
using initiator::Completion;
using initiator::Outcome;
using initiator::operation_code::kTestUnitReady;

// A drive takes 10 seconds or more to spin up.
constexpr Picoseconds kPollInterval = kPicosecondsPerMillisecond;
constexpr unsigned kMostPolls = 60'000;

// BUSY is the status of a drive that saves a map, or moves its blocks.
constexpr std::uint8_t kBusy = 0x08;
constexpr Picoseconds kRetryInterval = 20 * kPicosecondsPerMillisecond;
constexpr Picoseconds kMoveInterval = 500 * kPicosecondsPerMillisecond;

/// Whether the drive has rounded values: RECOVERED ERROR, ROUNDED PARAMETER (SCSI-2 7.5.4).
bool is_rounded(const Completion& completion) {
  const std::vector<std::uint8_t>& sense = completion.sense;
  return completion.outcome == Outcome::kComplete && sense.size() > 12 && (sense[2] & 0x0F) == 1 &&
         sense[12] == 0x37;
}

/// Whether the drive has refused a field, with 5/24/00: SP on a drive without a store (SPC-2 7.6).
bool is_field_refused(const Completion& completion) {
  const std::vector<std::uint8_t>& sense = completion.sense;
  return completion.outcome == Outcome::kComplete && sense.size() > 13 && (sense[2] & 0x0F) == 5 &&
         sense[12] == 0x24;
}

}  // namespace

DriveSetup::DriveSetup(session::Session& session, std::uint32_t hosts, std::uint8_t target_id,
                       std::vector<ModeChange> changes, bool saves,
                       std::optional<Command> own_pages, std::function<void()> ready,
                       std::function<void(const std::string&)> fail)
    : session_(session),
      hosts_(hosts),
      target_id_(target_id),
      changes_(std::move(changes)),
      saves_(saves),
      own_pages_(std::move(own_pages)),
      ready_(std::move(ready)),
      fail_(std::move(fail)) {}

void DriveSetup::submit(Command command, Answer answer) {
  command.target = target_id_;
  command.done = [this, answer = std::move(answer)](const Completion& completion) {
    waiting_since_.reset();
    answer(completion);
  };
  waiting_since_ = session_.now();
  session_.adapter(host_).submit(std::move(command));
}

void DriveSetup::poll_unit() {
  if (++polls_ > kMostPolls) return fail_("the drive does not become ready");
  Command command;
  command.cdb.assign(6, 0);
  command.cdb[0] = kTestUnitReady;
  submit(std::move(command), [this](const Completion& completion) {
    if (completion.outcome == Outcome::kSelectionTimeOut) {
      return fail_("no drive answers on the bus");
    }
    if (completion.outcome != Outcome::kComplete) {
      return fail_(fmt::format("TEST UNIT READY: {}", outcome_name(completion.outcome)));
    }
    if (completion.is_good()) return unit_ready();
    session_.wake_at(session_.now() + kPollInterval);
  });
}

/// Continues when this host's unit is ready. After the mode pages, the other hosts clear the unit
/// attentions for the change.
void DriveSetup::unit_ready() {
  if (++host_ < hosts_) return poll_unit();
  host_ = 0;
  if (next_change_ < changes_.size()) return change_page();
  if (!own_pages_) return ready_();
  select_own_pages();
}

void DriveSetup::select_own_pages() {
  submit(*own_pages_, [this](const Completion& completion) {
    if (!completion.is_good()) {
      return fail_(
          "the drive refuses the mode pages of settings.deadlines=cdl; use "
          "settings.deadlines=message");
    }
    ++host_ < hosts_ ? select_own_pages() : ready_();
  });
}

void DriveSetup::sense_page(Answer answer) {
  submit(sense_command(changes_[next_change_]),
         [this, answer = std::move(answer)](const Completion& completion) {
           const ModeChange& sensed = changes_[next_change_];
           if (!completion.is_good() || completion.data.size() != kModeHeaderBytes + sensed.bytes) {
             return fail_(sensed.missing);
           }
           answer(completion);
         });
}

void DriveSetup::woken() {
  if (!woken_) return poll_unit();
  const std::function<void()> action = std::move(woken_);
  woken_ = nullptr;
  action();
}

void DriveSetup::send_before() {
  Command command = changes_[next_change_].before[next_before_];
  submit(std::move(command), [this](const Completion& completion) {
    if (completion.outcome == Outcome::kComplete && completion.status == kBusy) {
      woken_ = [this] { send_before(); };
      return session_.wake_at(session_.now() + kRetryInterval);
    }
    if (!completion.is_good()) return fail_(changes_[next_change_].before_refused);
    ++next_before_;
    change_page();
  });
}

void DriveSetup::wait_for_moves() {
  woken_ = [this] { look_at_moves(); };
  session_.wake_at(session_.now() + kMoveInterval);
}

void DriveSetup::look_at_moves() {
  submit(sense_moves(), [this](const Completion& completion) {
    const std::optional<MoveState> state = move_state(completion.data);
    if (!completion.is_good() || !state) return fail_("the drive does not report its moves");
    if (state->failed_lba != 0) {
      return fail_(fmt::format("the drive has given up moving its blocks, at block {}",
                               state->failed_lba - 1));
    }
    const bool is_there = state->left == 0 && state->map == *changes_[next_change_].settles_on;
    is_there ? next_page() : wait_for_moves();
  });
}

void DriveSetup::change_page() {
  if (next_before_ < changes_[next_change_].before.size()) return send_before();
  sense_page([this](const Completion& completion) { select_page(completion.data); });
}

void DriveSetup::select_page(std::vector<std::uint8_t> list) {
  turn_into_select(list, changes_[next_change_]);
  send_select(list);
}

void DriveSetup::send_select(const std::vector<std::uint8_t>& list) {
  submit(select_command(list, saves_), [this, list](const Completion& completion) {
    if (saves_ && is_field_refused(completion)) {
      saves_ = false;
      keeps_unsaved_ = true;
      return send_select(list);
    }
    if (keeps_unsaved_) unsaved_.push_back(select_command(list, false));
    if (is_rounded(completion) && changes_[next_change_].rounded) return note_rounding();
    if (!completion.is_good()) return fail_(changes_[next_change_].refused);
    page_changed();
  });
}

void DriveSetup::note_rounding() {
  sense_page([this](const Completion& completion) {
    notes_.push_back(changes_[next_change_].rounded(&completion.data[kModeHeaderBytes]));
    page_changed();
  });
}

void DriveSetup::page_changed() {
  changes_[next_change_].settles_on ? wait_for_moves() : next_page();
}

void DriveSetup::next_page() {
  next_before_ = 0;
  if (++next_change_ < changes_.size()) return change_page();
  unit_ready();
}

}  // namespace headstack::replay
