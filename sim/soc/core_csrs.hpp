// SPDX-License-Identifier: Apache-2.0
/// @file
/// Ibex's control and status registers as programs read them. The core stores only the bits that it
/// implements (ibex_cs_registers.sv, ibex_pkg.sv). The RISC-V privileged architecture defines their
/// positions.
#pragma once

#include <cstdint>

namespace headstack::soc {

/// The bit of the machine external interrupt in mip and mie.
constexpr std::uint32_t kExternalInterruptBit = 1U << 11;

/// mstatus from Ibex's status_t: mie, mpie, mpp[2], mprv, tw.
constexpr std::uint32_t mstatus_of(std::uint32_t bits) {
  return (bits >> 5 & 1U) << 3 | (bits >> 4 & 1U) << 7 | (bits >> 2 & 3U) << 11 |
         (bits >> 1 & 1U) << 17 | (bits & 1U) << 21;
}

/// mie from Ibex's irqs_t: software, timer, external, fast[15].
constexpr std::uint32_t interrupts_of(std::uint32_t bits) {
  return (bits >> 17 & 1U) << 3 | (bits >> 16 & 1U) << 7 | (bits >> 15 & 1U) << 11 |
         (bits & 0x7FFFU) << 16;
}

/// mcause from Ibex's exc_cause_t: irq_int, irq_ext, lower_cause[5].
constexpr std::uint32_t mcause_of(std::uint32_t bits) {
  const bool internal = (bits >> 6 & 1U) != 0;
  const bool external = (bits >> 5 & 1U) != 0;
  return (external || internal ? 1U << 31 : 0U) | (internal ? 0x7FFF'FFE0U : 0U) | (bits & 0x1FU);
}

}  // namespace headstack::soc
