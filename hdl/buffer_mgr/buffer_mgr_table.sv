// SPDX-License-Identifier: Apache-2.0
// A small memory with one port for writes and several for reads: distributed RAM in a device.
//
// Timing: rdata_o follows raddr_i in the same cycle; a written word can be read in the next.
// The array has no reset, so readers must ignore words that were not written.
module buffer_mgr_table #(
  parameter int unsigned Width   = 16,
  parameter int unsigned Words   = 8,
  parameter int unsigned Readers = 1,
  localparam int unsigned AddrWidth = $clog2(Words)
) (
  input  logic                 clk_i,
  input  logic                 we_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [Width-1:0]     wdata_i,
  input  logic [AddrWidth-1:0] raddr_i [Readers],
  output logic [Width-1:0]     rdata_o [Readers]
);

  logic [Width-1:0] mem_q [Words];

  always_ff @(posedge clk_i) begin
    if (we_i) mem_q[waddr_i] <= wdata_i;
  end

  for (genvar r = 0; r < Readers; r++) begin : gen_reader
    assign rdata_o[r] = mem_q[raddr_i[r]];
  end

endmodule
