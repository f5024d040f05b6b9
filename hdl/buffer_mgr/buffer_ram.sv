// SPDX-License-Identifier: Apache-2.0
// Buffer RAM: single port, 32 bits wide, one access per cycle, byte enables on writes.
//
// Timing: rdata_o holds the word addressed in the last cycle with req_i and not we_i.
// Contents are undefined after power-on; firmware and channels write before they read.
module buffer_ram #(
  parameter int unsigned Words = 262_144,
  localparam int unsigned AddrWidth = $clog2(Words)
) (
  input  logic                 clk_i,
  input  logic                 req_i,
  input  logic                 we_i,
  input  logic [AddrWidth-1:0] addr_i,
  input  logic [3:0]           be_i,
  input  logic [31:0]          wdata_i,
  output logic [31:0]          rdata_o
);

  logic [31:0] mem[Words];

  // A RAM has no reset: contents and the read register start undefined, as in a device.
  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (we_i) begin
        for (int unsigned lane = 0; lane < 4; lane++) begin
          if (be_i[lane]) mem[addr_i][8*lane+:8] <= wdata_i[8*lane+:8];
        end
      end else begin
        rdata_o <= mem[addr_i];
      end
    end
  end

endmodule
