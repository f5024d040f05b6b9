// SPDX-License-Identifier: Apache-2.0
/// @file
/// Writes RV32IMC machine code, by the formats of the RISC-V unprivileged ISA (2.2 and chapter
/// "C").
#pragma once

#include <cstdint>
#include <vector>

namespace headstack::core::test {

using Reg = unsigned;

class Assembler {
 public:
  explicit Assembler(std::uint32_t at) : at_(at) {}

  std::uint32_t at() const { return at_ + static_cast<std::uint32_t>(bytes_.size()); }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  void half(std::uint32_t value) {
    bytes_.push_back(static_cast<std::uint8_t>(value));
    bytes_.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  void word(std::uint32_t value) {
    half(value & 0xFFFFU);
    half(value >> 16);
  }

  // Formats.
  void r_type(unsigned f7, Reg rs2, Reg rs1, unsigned f3, Reg rd, unsigned op) {
    word(f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op);
  }
  void i_type(std::uint32_t imm, Reg rs1, unsigned f3, Reg rd, unsigned op) {
    word(imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op);
  }
  void s_type(std::uint32_t imm, Reg rs2, Reg rs1, unsigned f3) {
    word((imm >> 5 & 0x7FU) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 0x1FU) << 7 | 0x23);
  }
  static std::uint32_t b_type(std::uint32_t offset, Reg rs2, Reg rs1, unsigned f3) {
    return (offset >> 12 & 1U) << 31 | (offset >> 5 & 0x3FU) << 25 | rs2 << 20 | rs1 << 15 |
           f3 << 12 | (offset >> 1 & 0xFU) << 8 | (offset >> 11 & 1U) << 7 | 0x63;
  }
  static std::uint32_t j_type(std::uint32_t offset, Reg rd) {
    return (offset >> 20 & 1U) << 31 | (offset >> 1 & 0x3FFU) << 21 | (offset >> 11 & 1U) << 20 |
           (offset >> 12 & 0xFFU) << 12 | rd << 7 | 0x6F;
  }

  void addi(Reg rd, Reg rs1, std::uint32_t imm) { i_type(imm & 0xFFFU, rs1, 0, rd, 0x13); }
  void lui(Reg rd, std::uint32_t value) { word((value & 0xFFFF'F000U) | rd << 7 | 0x37); }
  /// lui and addi.
  void li(Reg rd, std::uint32_t value) {
    lui(rd, value + 0x800U);
    addi(rd, rd, value & 0xFFFU);
  }
  void lw(Reg rd, Reg base, std::uint32_t offset) { i_type(offset & 0xFFFU, base, 2, rd, 0x03); }
  void sw(Reg rs2, Reg base, std::uint32_t offset) { s_type(offset, rs2, base, 2); }
  /// f3: 1 csrrw, 2 csrrs, 3 csrrc; 5 to 7 with an immediate for rs1.
  void csr(unsigned f3, Reg rd, unsigned number, Reg rs1) { i_type(number, rs1, f3, rd, 0x73); }
  void wfi() { word(0x1050'0073); }
  void mret() { word(0x3020'0073); }

  /// Writes an instruction into a reserved place.
  void patch(std::uint32_t address, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) {
      bytes_[address - at_ + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }

 private:
  std::uint32_t at_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace headstack::core::test
