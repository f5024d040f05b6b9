// SPDX-License-Identifier: Apache-2.0
// Buffer RAM: two ports, 32 bits wide, one access per port and cycle. The channels share one port,
// and the core has the other, with byte enables on writes.
//
// Timing: a port's rdata holds the word addressed in the last cycle with its req and not its we. A
// read of a word that the other port writes in the same cycle returns the old word in simulation. In
// hardware it is undefined, as the attribute declares for synthesis. Firmware reads a word only after
// the channel that writes it has stopped or has given credit for it.
// Contents are undefined after power-on; firmware and channels write before they read.
module buffer_ram #(
  parameter int unsigned Words = 262_144,
  localparam int unsigned AddrWidth = $clog2(Words)
) (
  input  logic                 clk_i,

  input  logic                 channel_req_i,
  input  logic                 channel_we_i,
  input  logic [AddrWidth-1:0] channel_addr_i,
  input  logic [31:0]          channel_wdata_i,
  output logic [31:0]          channel_rdata_o,

  input  logic                 core_req_i,
  input  logic                 core_we_i,
  input  logic [AddrWidth-1:0] core_addr_i,
  input  logic [3:0]           core_be_i,
  input  logic [31:0]          core_wdata_i,
  output logic [31:0]          core_rdata_o
);

  (* no_rw_check *)
  logic [31:0] mem[Words];

  // A RAM has no reset: contents and the read registers start undefined, as in a device.
  always_ff @(posedge clk_i) begin
    if (channel_req_i) begin
      if (channel_we_i) mem[channel_addr_i] <= channel_wdata_i;
      else              channel_rdata_o <= mem[channel_addr_i];
    end
    if (core_req_i) begin
      if (core_we_i) begin
        for (int unsigned lane = 0; lane < 4; lane++) begin
          if (core_be_i[lane]) mem[core_addr_i][8*lane+:8] <= core_wdata_i[8*lane+:8];
        end
      end else begin
        core_rdata_o <= mem[core_addr_i];
      end
    end
  end

endmodule
