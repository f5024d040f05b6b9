// SPDX-License-Identifier: Apache-2.0
/// @file
/// The Verilated scsi_target, clock by clock, without its headers, which clash with SystemC's.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace headstack::contract {

class ScsiTargetPins {
 public:
  ScsiTargetPins();
  ~ScsiTargetPins();

  /// A clock edge. `lines`: the bus strictly before it, for the register at the SoC's entry.
  void edge(std::uint32_t lines);
  /// The lines that the block asserts after the last edge.
  std::uint32_t pins() const;
  bool irq() const;

  /// Makes a register access in the cycle that the next edge ends.
  void access(bool write, std::uint32_t offset, std::uint32_t value);
  /// The data of the access that the last edge ended.
  std::uint32_t read_data() const { return read_data_; }
  bool failed() const { return failed_; }
  /// The value that a read would return in this cycle, without its effects, for registers that
  /// reads leave unchanged.
  std::uint32_t peek(std::uint32_t offset);

  // Bytes of the host port.
  std::deque<std::uint8_t> source;  // bytes that are ready towards the bus
  std::vector<std::uint8_t> sink;   // bytes from the bus
  std::uint32_t room = 0;           // number of bytes that `sink` has room for

 private:
  struct Model;
  std::unique_ptr<Model> model_;
  std::uint32_t entry_ = 0;
  std::uint32_t read_data_ = 0;
  bool failed_ = false;
};

}  // namespace headstack::contract
