// SPDX-License-Identifier: Apache-2.0
// The address map of the SoC, as hdl/README.md gives it.
//
// Each module uses only a part of it.
// verilator lint_off UNUSEDPARAM
package bus_pkg;

  // Firmware RAM: 0x0000_0000, 4 MiB.
  parameter int unsigned RamAddrWidth = 22;
  // Register pages of reg_pkg::RegAddrWidth: 0x4000_0000 + 0x1000 * block_e.
  parameter logic [31:0] RegBase       = 32'h4000_0000;
  parameter int unsigned BlockNumWidth = 3;
  parameter int unsigned NumBlocks     = 1 << BlockNumWidth;
  // The core's window on buffer RAM: 0x5000_0000, 2 MiB.
  parameter logic [31:0] BufferBase      = 32'h5000_0000;
  parameter int unsigned BufferAddrWidth = 21;

  typedef enum logic [BlockNumWidth-1:0] {
    BlockTimer      = 3'd0,
    BlockIrqCtrl    = 3'd1,
    BlockTracePort  = 3'd2,
    BlockTestdev    = 3'd3,
    BlockScsiTarget = 3'd4,
    BlockBufferMgr  = 3'd5,
    BlockFormatter  = 3'd6,
    BlockServo      = 3'd7
  } block_e;

  // The target that answers an access.
  typedef enum logic [1:0] {
    TargetNone   = 2'd0,
    TargetRam    = 2'd1,
    TargetReg    = 2'd2,  // behind the bridge
    TargetBuffer = 2'd3   // behind the bridge
  } target_e;

  // Size of the smallest target, all register pages together. Only address bits above it select a
  // target.
  parameter int unsigned GrainWidth = reg_pkg::RegAddrWidth + BlockNumWidth;

  // The target of an address. The error responder answers for TargetNone.
  function automatic target_e decode(logic [31:GrainWidth] addr);
    if (addr[31:RamAddrWidth] == '0) return TargetRam;
    if (addr == RegBase[31:GrainWidth]) return TargetReg;
    if (addr[31:BufferAddrWidth] == BufferBase[31:BufferAddrWidth]) return TargetBuffer;
    return TargetNone;
  endfunction

endpackage
// verilator lint_on UNUSEDPARAM
