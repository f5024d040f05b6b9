/// @file
/// A program translated ahead of time to C++: what the translated code and Hart know of each other.
///
/// The translation consists of units: code from one address on, with exits where it jumps to what
/// is not in it. A unit does what the interpreter's blocks do (block.hpp), with the cycles as
/// constants: it holds as long as every access is one of RAM and nothing comes in. A unit that
/// meets anything else leaves, in front of the instruction in question, and Hart steps that. Hart
/// makes accesses that are not to aligned RAM.
///
/// translator.hpp makes the source text; TranslationFile finds the compiled library beside a
/// program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/core/instruction.hpp"

namespace headstack::core::translation {

struct State;

/// An access that a unit makes of something else than aligned RAM, as it is written there.
struct Request {
  Instruction instruction;
  std::uint32_t pc;
  std::uint16_t id;       // cycles from the unit's begin: when it enters ID
  std::uint16_t done;     // and makes its request
  std::uint16_t cycles;   // Entry::cycles of the unit
  std::uint16_t retired;  // instructions of the unit before it that State::retired lacks
  // The access before it is out when it enters ID, and loads this register.
  bool access_is_out;
  std::uint8_t loads;
  bool may_go_on;
};
/// `left` is below the unit's cycles if it has to end: Hart has all that it needs. Else it has
/// become less by the cycles that the answer took longer than RAM's (State::later): what follows
/// executes later by them.
struct Reached {
  State* state;
  std::int64_t left;
};

/// `left`: cycles from the entry of its first instruction up to which nothing comes in. When it
/// begins, no access is out. It ends with another unit, or with leave().
using Unit = void (*)(State* state, std::int64_t left, std::uint8_t* ram);

struct Entry {
  Unit unit = nullptr;
  std::uint32_t cycles = 0;       // that must be left; 0: no unit begins here
  std::uint32_t long_target = 0;  // 1: as a jump's target it takes a cycle more
};

/// Why a unit left, and how things stand: what State::how is made of.
enum How : std::uint32_t {
  kStep = 1,            // the instruction at State::pc has to be stepped
  kAccessIsOut = 2,     // the access before it is answered in the cycle in which it enters ID
  kJumped = 4,          // a jump led there
  kTargetUnseen = 8,    // and whether its target is a long one was not looked at
  kEnded = 16,          // behind an access, which was the last
  kAnswerIsLater = 32,  // of the access that is out, by State::later
};
constexpr unsigned kLoadsShift = 8;     // what the access that is out loads: five bits
constexpr unsigned kRetiredShift = 16;  // instructions that State::retired does not have yet

struct State {
  std::uint32_t x[33] = {};  // the last is what is written and never read
  std::uint32_t pc = 0;
  std::uint32_t how = 0;
  std::int64_t left = 0;
  std::int64_t later = 0;
  std::uint64_t retired = 0;
  const Entry* entries = nullptr;  // by address / 2
  std::uint8_t* ram = nullptr;
  void* hart = nullptr;
  /// Make an access: that of a `lw`; of a `sw`; any.
  Reached (*load_word)(State* state, std::int64_t left, const Request* request) = nullptr;
  Reached (*store_word)(State* state, std::int64_t left, const Request* request) = nullptr;
  Reached (*reach)(State* state, std::int64_t left, const Request* request) = nullptr;
};

/// Units by address, as the library has them.
struct Place {
  std::uint32_t address;
  Entry entry;
};

struct Translation {
  std::uint32_t version;  // kVersion of the translator
  std::uint32_t ram_bytes;
  std::uint32_t code_end;     // the units lie below, and whatever they write, above
  const std::uint8_t* bytes;  // what was translated: RAM from 0 to code_end
  const Place* places;
  std::size_t place_count;
};

/// To be raised with every change of the above or of what the translator writes.
constexpr std::uint32_t kVersion = 3;
/// The library's one symbol, a Translation.
constexpr const char* kSymbol = "headstack_translation";

[[gnu::noinline, maybe_unused]] static void leave(State* state, std::int64_t left, std::uint32_t pc,
                                                  std::uint32_t how) {
  state->left = left;
  state->pc = pc;
  state->how = how;
  state->retired += how >> kRetiredShift;
}

/// What of a wait for an answer is over when the target of a jump enters ID.
constexpr std::int64_t hidden(std::int64_t later, std::uint32_t long_target) {
  return later < 1 + std::int64_t{long_target} ? later : 1 + std::int64_t{long_target};
}

/// Small exactly for a multiple of `1 << bits` that is small.
constexpr std::uint32_t aligned(std::uint32_t address, unsigned bits) {
  return bits == 0 ? address : address >> bits | address << (32 - bits);
}

}  // namespace headstack::core::translation
