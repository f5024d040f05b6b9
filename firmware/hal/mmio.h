// SPDX-License-Identifier: Apache-2.0
/// @file
/// Register access: the seam between the drivers and the hardware or its model.
///
/// An access is a load or a store on the drive's core. A native build links its own hal_read32()
/// and hal_write32(): the fast platform's register models, or a test's.
///
/// A driver names a register by block and name: REGISTER(FORMATTER, formatter, STATUS) is its
/// address. Names and bit masks come from the headers generated from hdl/regs/NAME.rdl.
#ifndef FIRMWARE_HAL_MMIO_H
#define FIRMWARE_HAL_MMIO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The address map of hdl/bus/bus_pkg.sv.
#define HAL_BASE_TIMER 0x40000000U
#define HAL_BASE_IRQ_CTRL 0x40001000U
#define HAL_BASE_TRACE_PORT 0x40002000U
#define HAL_BASE_TESTDEV 0x40003000U
#define HAL_BASE_SCSI_TARGET 0x40004000U
#define HAL_BASE_BUFFER_MGR 0x40005000U
#define HAL_BASE_FORMATTER 0x40006000U
#define HAL_BASE_SERVO 0x40007000U
#define HAL_BASE_BUFFER_RAM 0x50000000U
#define HAL_BUFFER_RAM_BYTES 0x00200000U

/// Address of a register; `type` is the block's generated structure without _t.
#define REGISTER(block, type, name) (HAL_BASE_##block + (uint32_t)offsetof(type##_t, name))

/// Inserts a value into a field, or extracts it, by the generated mask and bit position.
#define FIELD_PUT(field, value) (((uint32_t)(value) << field##_bp) & field##_bm)
#define FIELD_GET(field, word) (((word)&field##_bm) >> field##_bp)

#if defined(__riscv) && __riscv_xlen == 32

static inline uint32_t hal_read32(uint32_t address) {
  return *(const volatile uint32_t*)(uintptr_t)address;
}

static inline void hal_write32(uint32_t address, uint32_t value) {
  *(volatile uint32_t*)(uintptr_t)address = value;
}

#else

uint32_t hal_read32(uint32_t address);
void hal_write32(uint32_t address, uint32_t value);

#endif

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_MMIO_H
