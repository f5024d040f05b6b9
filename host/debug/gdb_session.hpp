// One debugger's conversation in GDB's remote protocol (GDB manual, "Remote Protocol"), apart from
// sockets and from the run: a packet in, the answer out, and how the run is to go on.
//
// There is one thread, the core. Packets that are not known are answered with nothing, as the
// protocol asks.
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

  /// A register's value, low byte first, in hexadecimal; none when there is no such register.
  virtual std::optional<std::string> register_hex(unsigned number) = 0;
  /// None where nothing can be read without an effect.
  virtual std::optional<std::string> read_memory(std::uint32_t address, std::size_t bytes) = 0;

  // Changes of the run. Each returns what is wrong with it, or "".
  virtual std::string write_register(unsigned number, std::uint32_t value) = 0;
  virtual std::string write_memory(std::uint32_t address, const std::string& bytes) = 0;

  /// A command of `monitor`, and its answer, in lines.
  virtual std::string monitor(std::string_view command) = 0;

  virtual std::string target_description() = 0;
  virtual std::string memory_map() = 0;
};

/// What a packet asks of the run.
enum class Resume {
  kNone,
  kContinue,
  kStep,
  kReverseContinue,
  kReverseStep,
  kRestart,  // from the first instruction
  kDetach,   // the run goes on without a debugger
  kKill,     // the run ends
};

class GdbSession {
 public:
  struct Answer {
    std::vector<std::string> packets;  // payloads, in order
    Resume resume = Resume::kNone;
  };

  /// `target` must outlive the session.
  explicit GdbSession(Target& target) : target_(target) {}

  Answer handle(std::string_view packet);

  /// Why the run stands: the words of a stop reply behind "T05", such as "swbreak:;".
  void stopped(int signal, const std::string& words);
  /// The stop reply.
  std::string stop_reply() const;

  // What goes with the debugger from process to process.
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
  Answer transfer_map(std::string_view arguments);
  Answer command(std::string_view arguments);
  Answer no_acknowledgement(std::string_view arguments);
  Answer extended(std::string_view arguments);
  Answer kill(std::string_view arguments);
  Answer why(std::string_view arguments);

  Target& target_;
  State state_;
  int signal_ = 5;  // SIGTRAP, as GDB numbers it
  std::string words_;
};

/// An answer's text for what went wrong.
std::string error_text(const std::string& why);

}  // namespace headstack::debug
