// SPDX-License-Identifier: Apache-2.0
// Firmware RAM with two ports: instructions (read only) and data. Both ports are always ready.
// Timing: read data follows the request by one cycle; reads of later cycles see a write. The
// instruction port reads in every cycle, because the core's request arrives too late.
// Not reset: the simulator loads it (mem_q); a device would load it from flash.
module tightly_coupled_ram #(
  parameter int unsigned Bytes = 1 << 20,  // a power of two
  localparam int unsigned AddrWidth = $clog2(Bytes)  // width of a byte address
) (
  input  logic                 clk_i,

  input  logic [AddrWidth-1:2] instr_addr_i,
  output logic [31:0]          instr_rdata_o,

  input  logic                 data_req_i,
  input  logic                 data_we_i,
  input  logic [3:0]           data_be_i,
  input  logic [AddrWidth-1:2] data_addr_i,
  input  logic [31:0]          data_wdata_i,
  output logic [31:0]          data_rdata_o
);

  // The memory is public, so that the simulator can load a program and a debugger can read it. In
  // hardware, a word fetched in the cycle in which it is written is undefined, as the attribute
  // declares for synthesis. Software that writes instructions must execute FENCE.I before it runs
  // them (RISC-V unprivileged, Zifencei), which fetches them again.
  (* no_rw_check *)
  logic [31:0] mem_q [1 << (AddrWidth - 2)]  /*verilator public_flat_rw*/;

  always_ff @(posedge clk_i) begin
    instr_rdata_o <= mem_q[instr_addr_i];
  end

  always_ff @(posedge clk_i) begin
    if (data_req_i) begin
      if (data_we_i) begin
        for (int unsigned i = 0; i < 4; i++) begin
          if (data_be_i[i]) mem_q[data_addr_i][8*i +: 8] <= data_wdata_i[8*i +: 8];
        end
      end else begin
        data_rdata_o <= mem_q[data_addr_i];
      end
    end
  end

endmodule
