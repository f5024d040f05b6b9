// The firmware's accesses to registers and to the sector buffer, one by one.
//
// OUT/accesses.txt: to compare two runs, or to see what a driver does. A line for each access
// outside the core's RAM, in the order of time:
//
//     EDGE PC r|w BYTES NAME VALUE
//
// EDGE is that of the cycle in which the core asks for the access; PC, VALUE and numbers in NAME
// are in hex. NAME is BLOCK.REGISTER as hdl/regs has it, with [INDEX] in an array; BUFFER+OFFSET
// for the sector buffer; an address where no register is. VALUE is what the program gets or gives:
// the loaded register of the core as the next instruction finds it, or the stored bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/observe/instruction_tracker.hpp"
#include "host/output/output_file.hpp"
#include "sim/soc/core_access.hpp"
#include "sim/soc/soc_clock.hpp"

namespace headstack::observe {

/// BLOCK.REGISTER, BUFFER+OFFSET, or the number, for an address of the core outside its RAM.
std::string name_of_address(std::uint32_t address);

class AccessLog : public soc::CoreWatcher {
 public:
  /// `core` shows each instruction as it begins, and must outlive the log. Throws
  /// output::OutputError when the file cannot be made.
  AccessLog(const std::string& file, const soc::CoreAccess& core);

  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override;

  /// Whole lines of what was told so far, in the file. Throws output::OutputError.
  void flush() { out_.commit(); }
  /// The run is over: a load whose value no instruction has found is left out. Throws
  /// output::OutputError when not all could be written.
  void close() { out_.close(); }

 private:
  /// A load whose value is on its way.
  struct Load {
    std::string line;
    unsigned target = 0;  // number of the register
  };

  void note(std::uint64_t edge, const soc::CoreStage& stage);

  const soc::CoreAccess& core_;
  InstructionTracker tracker_;
  std::optional<Load> load_;
  output::OutputFile out_;
};

}  // namespace headstack::observe
