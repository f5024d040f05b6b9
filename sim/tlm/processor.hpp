/// @file
/// What stands in the processor's place on the fast platform, as the other blocks see it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/tlm/ports.hpp"

namespace headstack::tlm {

class Processor : public InterruptSink, public ExitSink {
 public:
  /// Pages in the order of the address map.
  struct Map {
    std::array<RegisterPage*, 8> pages{};
    BufferWindow* buffer = nullptr;
  };

  /// Before the agenda goes on. All must outlive it.
  virtual void connect(const Map& map) = 0;
  /// Set once firmware has ended the run; from then on the core stands still.
  virtual std::optional<std::uint32_t> exit_code() const = 0;
  /// Register accesses made, and time spent awake.
  virtual std::uint64_t accesses() const = 0;
  virtual Picoseconds awake_time() const = 0;
};

}  // namespace headstack::tlm
