// SPDX-License-Identifier: Apache-2.0
// What the hosts of a replay do besides sending requests.
#include <fmt/format.h>

#include <utility>

#include "host/replay/replayer.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::replay {
namespace {

using initiator::Completion;
using initiator::ManagementKind;
using initiator::Outcome;
using initiator::operation_code::kFormatUnit;
using initiator::operation_code::kTestUnitReady;
using traces::Act;

// Most tries of an errand, which may meet several unit attentions of its host.
constexpr unsigned kMostTries = 20;
// Codes of SCSI-2 tables 69 and 71.
constexpr std::uint8_t kUnitAttention = 0x6;
constexpr std::uint8_t kResetOccurred = 0x29;

}  // namespace

void Replayer::perform(const DueAct& act) {
  switch (act.act) {
    case Act::kNone: return change_setting(act);
    case Act::kAbort: return abort(act);
    case Act::kClearQueue:
      ++counters_.clear_queues;
      return manage(act.host, ManagementKind::kClearQueue, 0,
                    [this, host = act.host] { poll_others(host); });
    case Act::kDeviceReset:
      ++counters_.device_resets;
      return manage(act.host, ManagementKind::kBusDeviceReset, 0,
                    [this, host = act.host] { poll_others(host); });
    case Act::kBusReset: ++counters_.bus_resets; return session_.adapter(act.host).reset_bus();
  }
}

/// Aborts the request, if the adapter or the drive has it.
void Replayer::abort(const DueAct& act) {
  for (auto& [name, out] : out_) {
    if (out.job.request.number != act.number) continue;
    ++counters_.aborts;
    out.job.given_up = true;
    const bool tagged = out.job.is_tagged();
    return manage(act.host, tagged ? ManagementKind::kAbortTag : ManagementKind::kAbort,
                  static_cast<std::uint16_t>(name), nullptr);
  }
  ++counters_.aborts_late;
}

/// Sends a message as an act of a host. `done` may be empty.
void Replayer::manage(std::uint32_t host, ManagementKind kind, std::uint16_t tag,
                      std::function<void()> done) {
  // Until the message has been sent, its tag must not name another command.
  const observe::HostTag name = observe::host_tag(observe::host_scsi_id(host), tag);
  const bool fresh = reserved_tags_.insert(name).second;
  initiator::Management management;
  management.kind = kind;
  management.target = target_id_;
  management.tag = tag;
  management.done = [this, name, fresh, done = std::move(done)](const Completion& completion) {
    if (fresh) reserved_tags_.erase(name);
    session_.wake_at(session_.now());
    if (completion.outcome == Outcome::kComplete && done) done();
  };
  session_.adapter(host).manage(std::move(management));
}

// ------------------------------------------------------------------------- commands lost to others

void Replayer::poll_others(std::uint32_t host) {
  for (std::uint32_t other = 0; other < queues_.size(); ++other) {
    if (other != host && queues_[other].out() != 0) poll(other);
  }
}

/// Asks the drive which commands it has cleared, by any command. An outstanding untagged command
/// allows no other.
void Replayer::poll(std::uint32_t host) {
  if (queues_[host].has_untagged_out()) return manage(host, ManagementKind::kAbort, 0, nullptr);
  initiator::Command command;
  command.cdb.assign(6, kTestUnitReady);
  run_recovery(host, std::move(command), [](const Completion& /*answer*/) {});
}

/// Sends nothing else until each host has received GOOD.
void Replayer::recover() {
  for (std::uint32_t host = 0; host < queues_.size(); ++host) {
    ++recovering_;
    ask_until_good(host, 0);
  }
}

void Replayer::ask_until_good(std::uint32_t host, unsigned tries) {
  if (queues_[host].has_untagged_out()) manage(host, ManagementKind::kAbort, 0, nullptr);
  initiator::Command command;
  command.cdb.assign(6, kTestUnitReady);
  run_recovery(host, std::move(command), [this, host, tries](const Completion& answer) {
    if (answer.is_good() || tries == kMostTries) {
      --recovering_;
    } else {
      ask_until_good(host, tries + 1);
    }
  });
}

/// Restores settings after a reset. A job that recovers goes ahead of those before it, so the last
/// command is added first.
void Replayer::restore_settings(std::uint32_t host, const std::optional<report::Sense>& sense) {
  const bool was_reset = sense && sense->key == kUnitAttention && sense->code == kResetOccurred;
  if (!was_reset) return;
  ++resets_seen_[host];
  const std::vector<initiator::Command>& commands = setup_.unsaved();
  for (auto it = commands.rbegin(); it != commands.rend(); ++it) restore(host, *it, 0);
}

/// Restores one setting. After another reset it is not tried again, since that reset restores it
/// anew.
void Replayer::restore(std::uint32_t host, const initiator::Command& command, unsigned tries) {
  const std::uint64_t resets = resets_seen_[host];
  run_recovery(host, command, [this, host, command, tries, resets](const Completion& answer) {
    const EndKind kind = ending_of(answer, false).kind;
    if (kind == EndKind::kDone || resets != resets_seen_[host]) return;
    if (tries == kMostTries)
      return fail("after a reset, the drive does not take its settings again");
    restore(host, command, tries + 1);
  });
}

void Replayer::run_errand(std::uint32_t host, initiator::Command command,
                          std::function<void(const Completion&)> answer) {
  add_errand(host, {std::move(command), false, std::move(answer)});
}

void Replayer::run_recovery(std::uint32_t host, initiator::Command command,
                            std::function<void(const Completion&)> answer) {
  add_errand(host, {std::move(command), true, std::move(answer)});
}

void Replayer::add_errand(std::uint32_t host, Errand errand) {
  Job job;
  job.errand = std::make_shared<Errand>(std::move(errand));
  queues_[host].add_first(std::move(job));
  session_.wake_at(session_.now());
}

// -------------------------------------------------------------------------------- state to be kept

/// Errands that the habits add to a request.
void Replayer::keep_up(std::uint32_t host, const RunRequest& request) {
  const options::HostHabits& habits = options_.habits;
  const auto send = [&](std::optional<initiator::Command> command,
                        void (UpkeepLedger::*ended)(bool)) {
    if (!command) return;
    run_errand(host, std::move(*command), [this, ended](const Completion& answer) {
      (upkeep_.*ended)(ending_of(answer, false).kind == EndKind::kDone);
    });
  };
  if (options::is_each_nth(request.number, habits.save_every)) {
    send(upkeep_.save(), &UpkeepLedger::save_ended);
  }
  if (options::is_each_nth(request.number, habits.reassign_every)) {
    send(upkeep_.reassign(request.request.lba, request.request.blocks),
         &UpkeepLedger::reassign_ended);
  }
  if (options::is_each_nth(request.number, habits.format_every)) formats_ = host;
}

/// Sends FORMAT UNIT once no command of any host is outstanding. A format that a reset ended begins
/// again.
void Replayer::format_if_due() {
  if (finished_ || !formats_ || format_is_out_ || !out_.empty() || !reserved_tags_.empty()) return;
  format_is_out_ = true;
  check_.format_sent();
  initiator::Command command;
  command.cdb = {kFormatUnit, 0, 0, 0, 0, 0};
  run_errand(*formats_, std::move(command), [this](const Completion& answer) {
    format_is_out_ = false;
    if (ending_of(answer, false).kind == EndKind::kDone) {
      ++counters_.formats;
      format_tries_ = 0;
      formats_.reset();
      check_.formatted();
    } else if (++format_tries_ == kMostTries) {
      fail("the drive does not take FORMAT UNIT");
    }
  });
}

// ---------------------------------------------------------------------------------------- settings

/// Selects the next value of the setting, unless the last change is still outstanding.
void Replayer::change_setting(const DueAct& act) {
  const auto setting = static_cast<std::size_t>(act.setting);
  if (cycles_[setting].is_changing) return;
  cycles_[setting].is_changing = true;
  ++counters_.changes[setting];
  sense_setting(act, 0);
}

void Replayer::sense_setting(const DueAct& act, unsigned tries) {
  const Cycle& cycle = cycles_[static_cast<std::size_t>(act.setting)];
  const ModeChange& wanted = cycle.changes[cycle.next];
  run_errand(act.host, sense_command(wanted),
             [this, act, tries, &wanted](const Completion& answer) {
               if (answer.is_good() && answer.data.size() == kModeHeaderBytes + wanted.bytes) {
                 std::vector<std::uint8_t> list = answer.data;
                 turn_into_select(list, wanted);
                 select_setting(act, list, 0);
               } else if (tries < kMostTries) {
                 sense_setting(act, tries + 1);
               } else {
                 fail(wanted.missing);
               }
             });
}

void Replayer::select_setting(const DueAct& act, const std::vector<std::uint8_t>& list,
                              unsigned tries) {
  Cycle& cycle = cycles_[static_cast<std::size_t>(act.setting)];
  run_errand(act.host, select_command(list, false),
             [this, act, list, tries, &cycle](const Completion& answer) {
               const EndKind kind = ending_of(answer, false).kind;
               if (kind == EndKind::kDone) {  // also RECOVERED ERROR, for rounded values (SCSI-2
                                              // 7.5.4)
                 cycle.is_changing = false;
                 cycle.next = (cycle.next + 1) % cycle.changes.size();
               } else if (kind == EndKind::kBusy || kind == EndKind::kQueueFull) {
                 // The drive is BUSY while it has no task for a change that writes the cache back.
                 queues_[act.host].hold_until(session_.now() + kBusyDelay);
                 select_setting(act, list, tries);
               } else if (kind == EndKind::kLost && tries < kMostTries) {
                 select_setting(act, list, tries + 1);
               } else {
                 fail(cycle.changes[cycle.next].refused);
               }
             });
}

}  // namespace headstack::replay
