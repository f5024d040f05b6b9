// SPDX-License-Identifier: Apache-2.0
// A log of the firmware's accesses to registers and to the sector buffer.
//
// OUT/accesses.txt serves to compare two runs, or to see what a driver does. It has a line for each
// access outside the core's RAM, ordered by time:
//
//     EDGE PC r|w BYTES NAME VALUE
//
// EDGE is that of the cycle in which the core requests the access. PC, VALUE and numbers in NAME
// are in hex. NAME is BLOCK.REGISTER as in hdl/regs, with [INDEX] in an array; BUFFER+OFFSET for
// the sector buffer; the address if there is no register. VALUE is the value of the loaded register
// before the next instruction, or the stored bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/observe/instruction_tracker.hpp"
#include "host/output/output_file.hpp"
#include "sim/soc/core_access.hpp"
#include "sim/soc/soc_clock.hpp"

namespace headstack::observe {

/// The name of an address of the core outside its RAM: BLOCK.REGISTER, BUFFER+OFFSET, or the
/// number.
std::string name_of_address(std::uint32_t address);

class AccessLog : public soc::CoreWatcher {
 public:
  /// `core` reports each instruction as it begins, and must outlive the log. Throws
  /// output::OutputError when the file cannot be made.
  AccessLog(const std::string& file, const soc::CoreAccess& core);

  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override;

  /// Writes all lines up to now to the file. Throws output::OutputError.
  void flush() { out_.commit(); }
  /// Ends the log. A load just before the last instruction may have no value yet, and is left out.
  /// Throws output::OutputError when the file is incomplete.
  void close() { out_.close(); }

 private:
  /// A load whose value has not arrived.
  struct Load {
    std::string line;
    unsigned target = 0;  // number of the register that is loaded
  };

  void note(std::uint64_t edge, const soc::CoreStage& stage);

  const soc::CoreAccess& core_;
  InstructionTracker tracker_;
  std::optional<Load> load_;
  output::OutputFile out_;
};

}  // namespace headstack::observe
