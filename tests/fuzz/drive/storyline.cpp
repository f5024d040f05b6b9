// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/storyline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "tests/fuzz/drive/cdb.hpp"

namespace headstack::fuzz {
namespace {

using bus::Phase;
using initiator::Agreement;
using initiator::TagType;

constexpr Picoseconds kPicosecondsPerNanosecond = 1'000;
constexpr const char* kHeading = "headstack storyline 1";
constexpr const char* kFreeTag = "free";

// ------------------------------------------------------------------------------------------ words

template <class Value>
struct Word {
  const char* word;
  Value value;
};

constexpr Word<Phase> kPhases[] = {
    {"data-out", Phase::kDataOut},       {"data-in", Phase::kDataIn},
    {"command", Phase::kCommand},        {"status", Phase::kStatus},
    {"message-out", Phase::kMessageOut}, {"message-in", Phase::kMessageIn},
};
constexpr Word<ActionKind> kVerbs[] = {
    {"command", ActionKind::kCommand},
    {"abort", ActionKind::kAbort},
    {"abort-tag", ActionKind::kAbortTag},
    {"clear-queue", ActionKind::kClearQueue},
    {"device-reset", ActionKind::kDeviceReset},
    {"bus-reset", ActionKind::kBusReset},
    {"await", ActionKind::kAwait},
    {"deaf", ActionKind::kDeaf},
};
constexpr Word<TagType> kTagTypes[] = {
    {"simple", TagType::kSimple},
    {"head", TagType::kHeadOfQueue},
    {"ordered", TagType::kOrdered},
};
constexpr Word<Agreement> kAgreements[] = {
    {"asynchronous", initiator::kAsynchronous},
    {"fast", initiator::kFast10Narrow},
    {"fast-wide", initiator::kFast10Wide},
};
constexpr Word<HostKind> kHostKinds[] = {{"adapter", HostKind::kAdapter}, {"raw", HostKind::kRaw}};
constexpr Word<bool> kSpindle[] = {{"at-speed", true}, {"at-rest", false}};

template <class Value, std::size_t kCount>
const char* word_of(const Word<Value> (&table)[kCount], const Value& value) {
  for (const Word<Value>& row : table) {
    if (row.value == value) return row.word;
  }
  return "?";
}

template <class Value, std::size_t kCount>
std::optional<Value> find_word(const Word<Value> (&table)[kCount], const std::string& word) {
  for (const Word<Value>& row : table) {
    if (word == row.word) return row.value;
  }
  return std::nullopt;
}

std::string hex(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02X}", byte);
  return text;
}

// ---------------------------------------------------------------------------------------- writing

std::string command_words(const Action& action) {
  std::string text = " " + hex(action.cdb);
  if (action.tag_type != TagType::kUntagged) {
    text += fmt::format(" {}:{}", word_of(kTagTypes, action.tag_type),
                        action.free_tag ? kFreeTag : std::to_string(action.tag));
  }
  if (action.long_tag) text += " long";
  if (action.lun != 0) text += fmt::format(" lun={}", action.lun);
  if (!action.may_disconnect) text += " nodisc";
  if (!action.auto_sense) text += " nosense";
  if (action.allocation != 0) text += fmt::format(" in={}", action.allocation);
  if (!action.list.empty()) text += " out=" + hex(action.list);
  for (const Bytes& message : action.messages) text += " message=" + hex(message);
  for (const initiator::ParityFault& fault : action.parity_faults) {
    text += fmt::format(" parity={}:{}", phase_word(fault.phase), fault.byte);
  }
  if (!action.with_attention) text += " noatn";
  if (action.own_opening) text += " opening=" + hex(action.opening);
  if (action.refuses_disconnect) text += " refuse";
  if (!action.refusal.empty()) text += "=" + hex(action.refusal);
  for (const Interjection& one : action.interjections) {
    text += fmt::format(" say={}:{}:{}:{}", phase_word(one.phase), one.entry, one.byte,
                        hex(one.message));
  }
  return text + "  # " + describe_cdb(action.cdb);
}

std::string setup_text(const Storyline& storyline) {
  std::string text = fmt::format("{}\ndrive {}\n", kHeading, storyline.drive);
  if (!storyline.at_speed) text += "spindle at-rest\n";
  for (const HostSetup& host : storyline.hosts) {
    text += fmt::format("host {} {} {}\n", host.id, word_of(kHostKinds, host.kind),
                        word_of(kAgreements, host.agreement));
  }
  for (const FlawSetup& flaw : storyline.flaws) {
    text += fmt::format("flaw {} {}", media::flaw_kind_name(flaw.kind), flaw.lba);
    if (flaw.retries != 0) text += fmt::format(" {}", flaw.retries);
    text += '\n';
  }
  return text;
}

// ---------------------------------------------------------------------------------------- reading

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Storyline read(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    bool headed = false;
    while (std::getline(lines, line)) {
      ++number_;
      split(line.substr(0, line.find('#')));
      if (words_.empty()) continue;
      if (!headed) {
        if (line.rfind(kHeading, 0) != 0)
          fail(fmt::format("the first line must be '{}'", kHeading));
        headed = true;
        story_.hosts.clear();
        continue;
      }
      words_[0][0] == '+' ? take_action() : take_setup();
    }
    if (!headed) fail(fmt::format("the file is empty; it begins with '{}'", kHeading));
    if (story_.hosts.empty()) fail("no host; write: host 7 adapter asynchronous");
    for (const Action& action : story_.actions) {
      if (action.host >= story_.hosts.size()) {
        fail(fmt::format("an action is of host h{}, but there are {}", action.host,
                         story_.hosts.size()));
      }
    }
    return std::move(story_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw StorylineError(fmt::format("{}:{}: {}", file_, number_, what));
  }

  void split(const std::string& line) {
    words_.clear();
    std::istringstream words(line);
    for (std::string word; words >> word;) words_.push_back(word);
  }

  const std::string& word(std::size_t index) const {
    if (index >= words_.size()) fail(fmt::format("'{}' lacks a word", words_[0]));
    return words_[index];
  }

  std::uint64_t number(const std::string& text, std::uint64_t most) const {
    std::uint64_t value = 0;
    const bool digits =
        !text.empty() && text.size() < 19 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) value = std::stoull(text);
    if (!digits || value > most) fail(fmt::format("'{}' must be a number, 0 .. {}", text, most));
    return value;
  }
  template <class Number>
  Number to(const std::string& text, std::uint64_t most) const {
    return static_cast<Number>(number(text, most));
  }

  Bytes bytes(const std::string& text) const {
    Bytes result;
    const auto digit = [this, &text](char c) -> unsigned {
      if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
      if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
      if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
      fail(fmt::format("'{}' must be hexadecimal digits", text));
    };
    if (text.size() % 2 != 0) fail(fmt::format("'{}' must be whole bytes, two digits each", text));
    for (std::size_t i = 0; i < text.size(); i += 2) {
      result.push_back(static_cast<std::uint8_t>(digit(text[i]) << 4U | digit(text[i + 1])));
    }
    return result;
  }

  template <class Value, std::size_t kCount>
  Value one_of(const Word<Value> (&table)[kCount], const std::string& text) const {
    const auto value = find_word(table, text);
    if (value) return *value;
    std::string names;
    for (const Word<Value>& row : table) names += std::string(names.empty() ? "" : ", ") + row.word;
    fail(fmt::format("'{}' must be one of {}", text, names));
  }

  std::vector<std::string> parts(const std::string& text, std::size_t count) const {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ':');) result.push_back(part);
    if (result.size() != count)
      fail(fmt::format("'{}' must have {} parts, a ':' between", text, count));
    return result;
  }

  void take_setup() {
    const std::string& key = words_[0];
    if (key == "drive") {
      story_.drive = word(1);
    } else if (key == "spindle") {
      story_.at_speed = one_of(kSpindle, word(1));
    } else if (key == "host") {
      HostSetup host;
      host.id = to<std::uint8_t>(word(1), 15);
      host.kind = one_of(kHostKinds, word(2));
      host.agreement = one_of(kAgreements, word(3));
      if (host.id == 0) fail("host id 0 is the drive's");
      if (story_.hosts.size() == kHostsMax) {
        fail(fmt::format("there are more than {} hosts; remove one", kHostsMax));
      }
      for (const HostSetup& other : story_.hosts) {
        if (other.id == host.id) fail(fmt::format("two hosts have id {}", host.id));
      }
      story_.hosts.push_back(host);
    } else if (key == "flaw") {
      take_flaw();
    } else {
      fail(fmt::format("'{}' must be drive, spindle, host, flaw, or +NS for an action", key));
    }
  }

  void take_flaw() {
    FlawSetup flaw;
    static constexpr Word<media::FlawKind> kKinds[] = {
        {"unreadable", media::FlawKind::kUnreadable},
        {"correctable", media::FlawKind::kCorrectable},
        {"write_fault", media::FlawKind::kWriteFault},
        {"weak_write", media::FlawKind::kWeakWrite},
    };
    flaw.kind = one_of(kKinds, word(1));
    flaw.lba = to<std::uint32_t>(word(2), 0xFFFFFFFF);
    const bool counts = flaw.kind != media::FlawKind::kUnreadable;
    const bool always = flaw.kind != media::FlawKind::kCorrectable && words_.size() == 3;
    if (counts && !always) flaw.retries = to<std::uint32_t>(word(3), 255);
    story_.flaws.push_back(flaw);
  }

  void take_action() {
    Action action;
    action.gap = static_cast<Picoseconds>(number(words_[0].substr(1), 1'000'000'000'000'000)) *
                 kPicosecondsPerNanosecond;
    if (word(1)[0] != 'h') fail(fmt::format("'{}' must be a host: h0, h1, ...", word(1)));
    action.host = to<std::uint8_t>(word(1).substr(1), 15);
    action.kind = one_of(kVerbs, word(2));
    std::size_t next = 3;
    if (action.kind == ActionKind::kCommand) action.cdb = bytes(word(next++));
    if (action.kind == ActionKind::kAwait || action.kind == ActionKind::kDeaf) {
      action.count = to<std::uint32_t>(word(next++), 100'000);
    }
    if (action.kind == ActionKind::kCommand &&
        (action.cdb.empty() || action.cdb.size() < cdb_bytes(action.cdb[0]))) {
      fail(fmt::format("'{}' is shorter than such a CDB", words_[3]));
    }
    for (; next < words_.size(); ++next) take_option(words_[next], &action);
    story_.actions.push_back(std::move(action));
  }

  void take_option(const std::string& text, Action* action) const {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    const std::string tag_word = text.substr(0, text.find(':'));
    if (equals == std::string::npos && find_word(kTagTypes, tag_word)) {
      action->tag_type = one_of(kTagTypes, tag_word);
      const std::string tag = parts(text, 2)[1];
      action->free_tag = tag == kFreeTag;
      if (!action->free_tag) action->tag = to<std::uint16_t>(tag, 0xFFFF);
    } else if (key == "lun") {
      action->lun = to<std::uint8_t>(value, 7);
    } else if (key == "tag") {
      action->tag = to<std::uint16_t>(value, 0xFFFF);
    } else if (action->kind != ActionKind::kCommand) {
      fail(fmt::format("'{}': this action takes lun=N and tag=N", text));
    } else {
      take_command_option(text, key, value, action);
    }
  }

  void take_command_option(const std::string& text, const std::string& key,
                           const std::string& value, Action* action) const {
    if (key == "long") {
      action->long_tag = true;
    } else if (key == "nodisc") {
      action->may_disconnect = false;
    } else if (key == "nosense") {
      action->auto_sense = false;
    } else if (key == "in") {
      action->allocation = to<std::uint32_t>(value, 1U << 24U);
    } else if (key == "out") {
      action->list = bytes(value);
    } else if (key == "message") {
      action->messages.push_back(bytes(value));
    } else if (key == "parity") {
      const auto part = parts(value, 2);
      action->parity_faults.push_back(
          {one_of(kPhases, part[0]), to<std::uint32_t>(part[1], 0xFFFFFF)});
    } else if (key == "noatn") {
      action->with_attention = false;
    } else if (key == "opening") {
      action->own_opening = true;
      action->opening = bytes(value);
    } else if (key == "refuse") {
      action->refuses_disconnect = true;
      if (!value.empty()) action->refusal = bytes(value);
    } else if (key == "say") {
      const auto part = parts(value, 4);
      action->interjections.push_back({one_of(kPhases, part[0]), to<std::uint8_t>(part[1], 255),
                                       to<std::uint32_t>(part[2], 0xFFFFFF), bytes(part[3])});
    } else {
      fail(fmt::format("'{}' is no word of a command; storyline.hpp lists them", text));
    }
  }

  std::string file_;
  std::size_t number_ = 0;
  std::vector<std::string> words_;
  Storyline story_;
};

}  // namespace

const char* phase_word(Phase phase) { return word_of(kPhases, phase); }

std::string to_text(const Action& action) {
  std::string text = fmt::format("+{} h{} {}", action.gap / kPicosecondsPerNanosecond, action.host,
                                 word_of(kVerbs, action.kind));
  switch (action.kind) {
    case ActionKind::kCommand: return text + command_words(action);
    case ActionKind::kAwait:
    case ActionKind::kDeaf: return text + fmt::format(" {}", action.count);
    case ActionKind::kBusReset: return text;
    case ActionKind::kAbortTag: text += fmt::format(" tag={}", action.tag); break;
    default: break;
  }
  if (action.lun != 0) text += fmt::format(" lun={}", action.lun);
  return text;
}

std::string to_text(const Storyline& storyline) {
  std::string text = setup_text(storyline);
  for (const Action& action : storyline.actions) text += to_text(action) + '\n';
  return text;
}

Storyline parse(const std::string& text, const std::string& file) {
  return Reader(file).read(text);
}

Storyline read_storyline(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw StorylineError(fmt::format("{}: cannot be read; is the name right?", file));
  std::ostringstream text;
  text << in.rdbuf();
  return parse(text.str(), file);
}

}  // namespace headstack::fuzz
