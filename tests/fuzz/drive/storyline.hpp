// SPDX-License-Identifier: Apache-2.0
/// @file
/// One case of the adversary: the setup of a drive, then actions of hosts in the order of time. A
/// case depends only on its storyline.
///
/// It comes from bytes (generate.hpp), or from a text, the form in which a finding is stored:
///
///     headstack storyline 1
///     drive small                              # drives.hpp
///     spindle at-rest                          # at-speed if not said
///     host 7 adapter fast-wide                 # id; adapter or raw; asynchronous, fast, fast-wide
///     flaw correctable 120 3                   # block, failing attempts; or: flaw unreadable 120,
///                                              # write_fault, weak_write: for ever without a
///                                              number
///     +1500 h0 command 2A0000000A0000040000 simple:3
///     +20000 h0 abort-tag lun=0 tag=3
///     +0 h0 await 0
///     +1000 h0 bus-reset
///
/// An action's line: ns since the action before, number of the host, verb, arguments; `#` starts a
/// comment. Words of a command, all optional:
///
///     simple:T ordered:T head:T long   tag, `long` in its 16-bit form; else untagged. T may be
///                                      `free`: the tag that came free last, else a new one
///     lun=N nodisc nosense             logical unit; no disconnect privilege; no automatic sense
///     in=N out=HEX                     allocation; parameter list. READ, WRITE: as the CDB says
///     message=HEX                      sent after the tag
///     parity=PHASE:BYTE                wrong parity once; PHASE as data-in, message-out, ...
///
/// and of a raw host's command, for its behaviour on its connections:
///
///     noatn                            selects without ATN: no messages at all
///     opening=HEX                      these bytes instead of IDENTIFY and tag
///     refuse                           answers DISCONNECT with MESSAGE REJECT,
///     refuse=HEX                       or with these bytes. It stays only if MESSAGE REJECT is
///                                      the first
///     say=PHASE:ENTRY:BYTE:HEX         when that phase is entered the ENTRYth time (from 0) and
///     has
///                                      moved BYTE bytes: ATN, and this message
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/initiator/agreement.hpp"
#include "sim/initiator/command.hpp"
#include "sim/media/flaw_spec.hpp"

namespace headstack::fuzz {

using Bytes = std::vector<std::uint8_t>;

/// Most hosts of a storyline.
inline constexpr std::size_t kHostsMax = 7;

enum class HostKind : std::uint8_t {
  kAdapter,  // the host adapter of sim/initiator: polite unless its command says otherwise
  kRaw,      // raw_host.hpp: sends what the storyline says
};

struct HostSetup {
  std::uint8_t id = 7;
  HostKind kind = HostKind::kAdapter;
  initiator::Agreement agreement = initiator::kAsynchronous;
};

struct FlawSetup {
  media::FlawKind kind = media::FlawKind::kUnreadable;
  std::uint32_t lba = 0;
  std::uint32_t retries = 0;  // failing attempts; for kWriteFault and kWeakWrite 0 means all

  /// Whether the flaw makes writes fail, so that the drive notices it.
  bool fails_writes() const { return kind == media::FlawKind::kWriteFault; }
};

enum class ActionKind : std::uint8_t {
  kCommand,
  kAbort,  // message on a connection of its own, or on one that is open (HostAdapter::manage)
  kAbortTag,
  kClearQueue,
  kDeviceReset,
  kBusReset,
  kAwait,  // waits until the host has at most `count` outstanding commands, for at most kAwaitLimit
  kDeaf,   // raw host: from now on it answers no reselection, or answers them again
};

/// A raw host interjects: ATN and a message at a place of a phase.
struct Interjection {
  bus::Phase phase = bus::Phase::kDataIn;
  std::uint8_t entry = 0;
  std::uint32_t byte = 0;
  Bytes message;
};

struct Action {
  ActionKind kind = ActionKind::kCommand;
  std::uint8_t host = 0;
  Picoseconds gap = 0;  // time since the action before, in whole nanoseconds
  std::uint8_t lun = 0;
  initiator::TagType tag_type = initiator::TagType::kUntagged;
  std::uint16_t tag = 0;
  // Members for kCommand.
  bool free_tag = false;  // the player chooses the tag that was freed last
  bool long_tag = false;
  bool may_disconnect = true;
  bool auto_sense = true;
  Bytes cdb;
  std::uint32_t allocation = 0;  // bytes of data in, except for reads
  Bytes list;                    // data out, except for writes
  std::vector<Bytes> messages;
  std::vector<initiator::ParityFault> parity_faults;
  // Members for kCommand of a raw host.
  bool with_attention = true;
  bool own_opening = false;
  Bytes opening;
  bool refuses_disconnect = false;
  Bytes refusal;  // answer instead of MESSAGE REJECT; empty: MESSAGE REJECT
  std::vector<Interjection> interjections;
  // For kAwait the most outstanding commands; for kDeaf 1 or 0.
  std::uint32_t count = 0;
};

struct Storyline {
  std::string drive = "small";
  bool at_speed = true;
  std::vector<HostSetup> hosts = {HostSetup{}};
  std::vector<FlawSetup> flaws;
  std::vector<Action> actions;
};

/// Longest wait of an `await`.
constexpr Picoseconds kAwaitLimit = 2 * kPicosecondsPerSecond;

/// "FILE:LINE: problem; remedy".
struct StorylineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text for parse(), with comments for readers.
std::string to_text(const Storyline& storyline);
/// One action's line, without its end.
std::string to_text(const Action& action);
/// @param file  Name for messages. Throws StorylineError.
Storyline parse(const std::string& text, const std::string& file);
Storyline read_storyline(const std::string& file);

/// "data-in", "message-out": the words for phases in the text.
const char* phase_word(bus::Phase phase);

}  // namespace headstack::fuzz
