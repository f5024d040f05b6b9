// SPDX-License-Identifier: Apache-2.0
#include "host/debug/gdb_session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/debug/packet.hpp"
#include "host/debug/register_numbers.hpp"

namespace headstack::debug {
namespace {

using Answer = GdbSession::Answer;

constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 32;

Answer say(std::string text) { return {{std::move(text)}, Resume::kNone}; }
Answer ok_or(const std::string& why) { return say(why.empty() ? "OK" : error_text(why)); }
Answer malformed() { return say(error_text("the packet is malformed")); }

/// A range ADDRESS,BYTES of the core's addresses, which fits a packet.
struct Range {
  std::uint32_t address = 0;
  std::size_t bytes = 0;
};

std::optional<Range> take_range(std::string_view& text) {
  const auto address = take_number(text);
  if (!address || !take(text, ",")) return std::nullopt;
  const auto bytes = take_number(text);
  if (!bytes || *bytes > kPacketBytes || *address >= kAddressEnd ||
      *address + *bytes > kAddressEnd) {
    return std::nullopt;
  }
  return Range{static_cast<std::uint32_t>(*address), static_cast<std::size_t>(*bytes)};
}

/// Takes a register's value from the first digits of `text`, low byte first.
std::optional<std::uint32_t> take_register(std::string_view& text) {
  const auto bytes = from_hex(text.substr(0, 2 * kCoreRegisterBytes));
  if (!bytes || bytes->size() != kCoreRegisterBytes) return std::nullopt;
  text.remove_prefix(2 * kCoreRegisterBytes);
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kCoreRegisterBytes; ++i) {
    value |= std::uint32_t{static_cast<std::uint8_t>((*bytes)[i])} << (8 * i);
  }
  return value;
}

/// The part OFFSET,BYTES of a document.
Answer part_of(const std::string& document, std::string_view arguments) {
  const auto offset = take_number(arguments);
  if (!offset || !take(arguments, ",")) return malformed();
  const auto bytes = take_number(arguments);
  if (!bytes) return malformed();
  if (*offset >= document.size()) return say("l");
  const std::string part =
      document.substr(static_cast<std::size_t>(*offset),
                      static_cast<std::size_t>(std::min<std::uint64_t>(*bytes, kPacketBytes / 2)));
  return say((*offset + part.size() < document.size() ? "m" : "l") + part);
}

}  // namespace

std::string error_text(const std::string& why) { return "E." + why; }

/// A packet by its beginning. The first row that fits is used. Without a handler the answer is
/// always the same.
struct GdbSession::Row {
  const char* prefix;
  Answer (GdbSession::*handle)(std::string_view arguments);
  const char* reply;
  Resume resume;
  bool whole;  // no text may follow
};

const GdbSession::Row GdbSession::kRows[] = {
    {"?", &GdbSession::why, nullptr, Resume::kNone, true},
    {"g", &GdbSession::read_registers, nullptr, Resume::kNone, true},
    {"G", &GdbSession::write_registers, nullptr, Resume::kNone, false},
    {"p", &GdbSession::read_register, nullptr, Resume::kNone, false},
    {"P", &GdbSession::write_register, nullptr, Resume::kNone, false},
    {"m", &GdbSession::read_memory, nullptr, Resume::kNone, false},
    {"M", &GdbSession::write_memory, nullptr, Resume::kNone, false},
    {"X", &GdbSession::write_binary, nullptr, Resume::kNone, false},
    {"Z", &GdbSession::add_point, nullptr, Resume::kNone, false},
    {"z", &GdbSession::remove_point, nullptr, Resume::kNone, false},
    {"vCont?", nullptr, "vCont;c;C;s;S", Resume::kNone, true},
    {"vCont;", &GdbSession::resume_threads, nullptr, Resume::kNone, false},
    {"vKill", &GdbSession::kill, nullptr, Resume::kNone, false},
    {"vRun", nullptr, nullptr, Resume::kRestart, false},
    {"bc", nullptr, nullptr, Resume::kReverseContinue, true},
    {"bs", nullptr, nullptr, Resume::kReverseStep, true},
    {"c", nullptr, nullptr, Resume::kContinue, true},
    {"C", nullptr, nullptr, Resume::kContinue, false},
    {"s", nullptr, nullptr, Resume::kStep, true},
    {"S", nullptr, nullptr, Resume::kStep, false},
    {"R", nullptr, nullptr, Resume::kRestart, false},
    {"D", nullptr, "OK", Resume::kDetach, false},
    {"k", &GdbSession::kill, nullptr, Resume::kNone, true},
    {"!", &GdbSession::extended, nullptr, Resume::kNone, true},
    // The core is the only thread.
    {"H", nullptr, "OK", Resume::kNone, false},
    {"T", nullptr, "OK", Resume::kNone, false},
    {"qC", nullptr, "QC1", Resume::kNone, true},
    {"qfThreadInfo", nullptr, "m1", Resume::kNone, true},
    {"qsThreadInfo", nullptr, "l", Resume::kNone, true},
    {"qThreadExtraInfo,", nullptr, "636f7265", Resume::kNone, false},  // "core" in hexadecimal
    // The run existed before the debugger, and continues when it leaves.
    {"qAttached", nullptr, "1", Resume::kNone, false},
    {"qSymbol", nullptr, "OK", Resume::kNone, false},
    {"qSupported", &GdbSession::query_supported, nullptr, Resume::kNone, false},
    {"qXfer:features:read:target.xml:", &GdbSession::transfer_features, nullptr, Resume::kNone,
     false},
    {"qXfer:memory-map:read::", &GdbSession::transfer_map, nullptr, Resume::kNone, false},
    {"qXfer:exec-file:read:", &GdbSession::transfer_program, nullptr, Resume::kNone, false},
    {"qRcmd,", &GdbSession::command, nullptr, Resume::kNone, false},
    {"QStartNoAckMode", &GdbSession::no_acknowledgement, nullptr, Resume::kNone, true},
};

Answer GdbSession::handle(std::string_view packet) {
  for (const Row& row : kRows) {
    std::string_view arguments = packet;
    if (!take(arguments, row.prefix) || (row.whole && !arguments.empty())) continue;
    if (row.handle != nullptr) return (this->*row.handle)(arguments);
    Answer answer;
    if (row.reply != nullptr) answer.packets.emplace_back(row.reply);
    answer.resume = row.resume;
    return answer;
  }
  return say("");
}

void GdbSession::stopped(int signal, const std::string& words) {
  signal_ = signal;
  words_ = words;
}

std::string GdbSession::stop_reply() const {
  return fmt::format("T{:02x}thread:1;{}", signal_, words_);
}

Answer GdbSession::why(std::string_view /*arguments*/) { return say(stop_reply()); }

Answer GdbSession::read_registers(std::string_view /*arguments*/) {
  std::string text;
  for (unsigned number = 0; number < kCoreRegisters; ++number) {
    text += target_.register_hex(number).value_or("");
  }
  return say(text);
}

Answer GdbSession::write_registers(std::string_view arguments) {
  for (unsigned number = 0; number < kCoreRegisters && !arguments.empty(); ++number) {
    const std::string before = target_.register_hex(number).value_or("");
    const bool same = arguments.substr(0, before.size()) == before;
    const auto value = take_register(arguments);
    if (!value) return malformed();
    if (same) continue;
    if (const std::string why = target_.write_register(number, *value); !why.empty()) {
      return ok_or(why);
    }
  }
  return say("OK");
}

Answer GdbSession::read_register(std::string_view arguments) {
  const auto number = take_number(arguments);
  if (!number || !arguments.empty()) return malformed();
  const auto text =
      target_.register_hex(static_cast<unsigned>(std::min<std::uint64_t>(*number, UINT32_MAX)));
  return text ? say(*text) : ok_or("there is no such register");
}

Answer GdbSession::write_register(std::string_view arguments) {
  const auto number = take_number(arguments);
  if (!number || !take(arguments, "=")) return malformed();
  if (*number >= kCoreRegisters) return ok_or("this register can only be read");
  const auto value = take_register(arguments);
  if (!value || !arguments.empty()) return malformed();
  return ok_or(target_.write_register(static_cast<unsigned>(*number), *value));
}

Answer GdbSession::read_memory(std::string_view arguments) {
  const auto range = take_range(arguments);
  if (!range || !arguments.empty()) return malformed();
  // Each byte takes two digits. Bytes that do not fit are read by another packet.
  const auto bytes = target_.read_memory(range->address, std::min(range->bytes, kPacketBytes / 2));
  return bytes ? say(to_hex(*bytes)) : ok_or("neither firmware RAM nor sector buffer");
}

Answer GdbSession::write_memory(std::string_view arguments) {
  const auto range = take_range(arguments);
  if (!range || !take(arguments, ":")) return malformed();
  const auto bytes = from_hex(arguments);
  if (!bytes || bytes->size() != range->bytes) return malformed();
  return ok_or(target_.write_memory(range->address, *bytes));
}

Answer GdbSession::write_binary(std::string_view arguments) {
  const auto range = take_range(arguments);
  if (!range || !take(arguments, ":") || arguments.size() != range->bytes) return malformed();
  // GDB asks in this way whether the packet is supported.
  if (range->bytes == 0) return say("OK");
  return ok_or(target_.write_memory(range->address, std::string(arguments)));
}

Answer GdbSession::point(std::string_view arguments, bool set) {
  const auto kind = take_number(arguments);
  if (!kind || !take(arguments, ",")) return malformed();
  if (*kind >= kPointKinds) return say("");
  // Conditions and commands may follow the length. GDB sends them only to targets that report
  // support for them.
  const auto range = take_range(arguments);
  if (!range || !arguments.empty()) return malformed();
  const Point point{static_cast<PointKind>(*kind), range->address,
                    static_cast<std::uint32_t>(range->bytes)};
  if (set) {
    state_.points.add(point);
  } else {
    state_.points.remove(point);
  }
  return say("OK");
}

/// Resumes by the first action, which applies to the only thread.
Answer GdbSession::resume_threads(std::string_view arguments) {
  switch (arguments.empty() ? '\0' : arguments.front()) {
    case 'c':
    case 'C': return {{}, Resume::kContinue};
    case 's':
    case 'S': return {{}, Resume::kStep};
    default: return malformed();
  }
}

Answer GdbSession::query_supported(std::string_view /*arguments*/) {
  return say(fmt::format(
      "PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;qXfer:memory-map:read+;"
      "qXfer:exec-file:read+;vContSupported+;swbreak+;hwbreak+;ReverseStep+;ReverseContinue+",
      kPacketBytes));
}

Answer GdbSession::transfer_features(std::string_view arguments) {
  return part_of(target_.target_description(), arguments);
}

Answer GdbSession::transfer_map(std::string_view arguments) {
  return part_of(target_.memory_map(), arguments);
}

/// Answers PROCESS:OFFSET,BYTES. There is one process.
Answer GdbSession::transfer_program(std::string_view arguments) {
  const std::size_t colon = arguments.find(':');
  if (colon == std::string_view::npos) return malformed();
  const std::string file = target_.program_file();
  return file.empty() ? ok_or("the program has no file")
                      : part_of(file, arguments.substr(colon + 1));
}

Answer GdbSession::command(std::string_view arguments) {
  const auto text = from_hex(arguments);
  if (!text) return malformed();
  const std::string output = target_.monitor(*text);
  Answer answer;
  constexpr std::size_t kPart = kPacketBytes / 2 - 1;
  for (std::size_t at = 0; at < output.size(); at += kPart) {
    answer.packets.push_back("O" + to_hex(std::string_view(output).substr(at, kPart)));
  }
  answer.packets.emplace_back("OK");
  return answer;
}

Answer GdbSession::no_acknowledgement(std::string_view /*arguments*/) {
  state_.acknowledging = false;
  return say("OK");
}

Answer GdbSession::extended(std::string_view /*arguments*/) {
  state_.extended = true;
  return say("OK");
}

/// A debugger that can restart a run kills it first. The run then stands until the restart, or
/// until the debugger leaves.
Answer GdbSession::kill(std::string_view /*arguments*/) {
  return {{"OK"}, state_.extended ? Resume::kNone : Resume::kKill};
}

}  // namespace headstack::debug
