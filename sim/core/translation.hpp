// SPDX-License-Identifier: Apache-2.0
/// @file
/// A program translated ahead of time to C++: the interface between the translated code and Hart.
///
/// The translation consists of units: code from one address on, with exits for jumps to code
/// outside of it. A unit works like the interpreter's blocks (block.hpp), with the cycles as
/// constants. They hold as long as every access is to RAM and no interrupt comes in. In any other
/// case the unit ends before the instruction, and Hart steps it. Hart makes accesses other than
/// those to aligned RAM.
///
/// translator.hpp makes the source text; translation_file.hpp finds the compiled library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/core/instruction.hpp"

namespace headstack::core::translation {

struct State;

/// An access of a unit to other than aligned RAM, as constants in the translated code.
struct Request {
  Instruction instruction;
  std::uint32_t pc;
  std::uint16_t id;       // when it enters ID, in cycles from the unit's start
  std::uint16_t done;     // when it makes its request, in cycles from the unit's start
  std::uint16_t cycles;   // Entry::cycles of the unit
  std::uint16_t retired;  // instructions of the unit before it that State::retired lacks
  // Whether the access before it is outstanding when it enters ID, and the register which that
  // loads.
  bool access_is_out;
  std::uint8_t loads;
  bool may_go_on;
};
/// The result of an access. If the unit must end, `left` is below the unit's cycles, and Hart has
/// the state. Otherwise `left` is reduced by the cycles that the answer took longer than RAM's
/// (State::later). The following instructions execute later by as much.
struct Reached {
  State* state;
  std::int64_t left;
};

/// A unit's code. No interrupt comes in for `left` cycles after the entry of its first instruction.
/// No access is outstanding when it begins. It ends with another unit, or with leave().
using Unit = void (*)(State* state, std::int64_t left, std::uint8_t* ram);

struct Entry {
  Unit unit = nullptr;
  std::uint32_t cycles = 0;       // least `left` to begin it; 0: no unit begins here
  std::uint32_t long_target = 0;  // 1: as the target of a jump it takes one more cycle
};

/// Why a unit ended, and in which state: the parts of State::how.
enum How : std::uint32_t {
  kStep = 1,            // the instruction at State::pc has to be stepped
  kAccessIsOut = 2,     // its preceding access is answered in the cycle in which it enters ID
  kJumped = 4,          // a jump led to State::pc
  kTargetUnseen = 8,    // the jump's target was not checked for being long
  kEnded = 16,          // the run ends after an access
  kAnswerIsLater = 32,  // the outstanding access is answered State::later cycles later
};
constexpr unsigned kLoadsShift = 8;     // register that the outstanding access loads: five bits
constexpr unsigned kRetiredShift = 16;  // instructions not yet counted in State::retired

struct State {
  std::uint32_t x[33] = {};  // the last one is written and never read
  std::uint32_t pc = 0;
  std::uint32_t how = 0;
  std::int64_t left = 0;
  std::int64_t later = 0;
  std::uint64_t retired = 0;
  const Entry* entries = nullptr;  // units by address / 2
  std::uint8_t* ram = nullptr;
  void* hart = nullptr;
  /// Functions that make an access: of a `lw`, of a `sw`, of any instruction.
  Reached (*load_word)(State* state, std::int64_t left, const Request* request) = nullptr;
  Reached (*store_word)(State* state, std::int64_t left, const Request* request) = nullptr;
  Reached (*reach)(State* state, std::int64_t left, const Request* request) = nullptr;
};

/// The library's table of units by address.
struct Place {
  std::uint32_t address;
  Entry entry;
};

struct Translation {
  std::uint64_t translator;  // kTranslatorId of the translator that made it
  std::uint32_t ram_bytes;
  std::uint32_t code_end;     // units lie below it, and write only above it
  const std::uint8_t* bytes;  // the translated bytes: RAM from 0 to code_end
  const Place* places;
  std::size_t place_count;
};

/// The library's one symbol, a Translation.
constexpr const char* kSymbol = "headstack_translation";

[[gnu::noinline, maybe_unused]] static void leave(State* state, std::int64_t left, std::uint32_t pc,
                                                  std::uint32_t how) {
  state->left = left;
  state->pc = pc;
  state->how = how;
  state->retired += how >> kRetiredShift;
}

/// Cycles of a wait for an answer that are over when the target of a jump enters ID.
constexpr std::int64_t hidden(std::int64_t later, std::uint32_t long_target) {
  return later < 1 + std::int64_t{long_target} ? later : 1 + std::int64_t{long_target};
}

/// Small exactly for a small multiple of `1 << bits`: one comparison checks alignment and range.
constexpr std::uint32_t aligned(std::uint32_t address, unsigned bits) {
  return bits == 0 ? address : address >> bits | address << (32 - bits);
}

}  // namespace headstack::core::translation
