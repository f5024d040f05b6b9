// SPDX-License-Identifier: Apache-2.0
// The session of one debugger in GDB's remote protocol (GDB manual, "Remote Protocol"). It is
// independent of sockets and of the run: a packet is turned into an answer, and the way in which
// the run continues.
//
// The only thread is the core. Unknown packets get an empty answer, as the protocol demands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/debug/stop_points.hpp"

namespace headstack::debug {

/// The stopped run as a debugger sees it.
class Target {
 public:
  virtual ~Target() = default;

  /// A register's value, low byte first, in hexadecimal. Nothing if there is no such register.
  virtual std::optional<std::string> register_hex(unsigned number) = 0;
  /// Bytes of memory. Nothing where memory cannot be read without a side effect.
  virtual std::optional<std::string> read_memory(std::uint32_t address, std::size_t bytes) = 0;

  // These functions change the run. Each returns an error text, or "".
  virtual std::string write_register(unsigned number, std::uint32_t value) = 0;
  virtual std::string write_memory(std::uint32_t address, const std::string& bytes) = 0;

  /// Runs a command of `monitor`, and returns its answer, in lines.
  virtual std::string monitor(std::string_view command) = 0;

  virtual std::string target_description() = 0;
  virtual std::string memory_map() = 0;
  /// The ELF file that the core executes; "" if it has no name.
  virtual std::string program_file() = 0;
};

/// How the run continues after a packet.
enum class Resume {
  kNone,
  kContinue,
  kStep,
  kReverseContinue,
  kReverseStep,
  kRestart,  // the run begins again, at the first instruction
  kDetach,   // the run continues without a debugger
  kKill,     // the run ends
};

class GdbSession {
 public:
  struct Answer {
    std::vector<std::string> packets;  // payloads of the packets, in order
    Resume resume = Resume::kNone;
  };

  /// `target` must outlive the session.
  explicit GdbSession(Target& target) : target_(target) {}

  Answer handle(std::string_view packet);

  /// Sets the reason why the run has stopped: the words of a stop reply after "T05", such as
  /// "swbreak:;".
  void stopped(int signal, const std::string& words);
  /// The stop reply for the reason that stopped() has set.
  std::string stop_reply() const;

  // The state that moves with the debugger from process to process.
  struct State {
    bool acknowledging = true;  // + and - are sent and expected
    bool extended = false;      // the debugger may restart a run
    StopPoints points;
  };
  State& state() { return state_; }
  const State& state() const { return state_; }

 private:
  struct Row;
  static const Row kRows[];

  Answer read_registers(std::string_view arguments);
  Answer write_registers(std::string_view arguments);
  Answer read_register(std::string_view arguments);
  Answer write_register(std::string_view arguments);
  Answer read_memory(std::string_view arguments);
  Answer write_memory(std::string_view arguments);
  Answer write_binary(std::string_view arguments);
  Answer point(std::string_view arguments, bool set);
  Answer add_point(std::string_view arguments) { return point(arguments, true); }
  Answer remove_point(std::string_view arguments) { return point(arguments, false); }
  Answer resume_threads(std::string_view arguments);
  Answer query_supported(std::string_view arguments);
  Answer transfer_features(std::string_view arguments);
  Answer transfer_program(std::string_view arguments);
  Answer transfer_map(std::string_view arguments);
  Answer command(std::string_view arguments);
  Answer no_acknowledgement(std::string_view arguments);
  Answer extended(std::string_view arguments);
  Answer kill(std::string_view arguments);
  Answer why(std::string_view arguments);

  Target& target_;
  State state_;
  int signal_ = 5;  // SIGTRAP in GDB's numbering
  std::string words_;
};

/// The answer for an error.
std::string error_text(const std::string& why);

}  // namespace headstack::debug
