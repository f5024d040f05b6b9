// SPDX-License-Identifier: Apache-2.0
// Test device: the console, the exit and the platform's number.
// Timing: a store appears at the ports one cycle later, for one cycle.
module testdev (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,

  output message_pkg::console_t console_o,  // the console
  output message_pkg::exit_t    exit_o  // the end of the run
);

  import testdev_regs_pkg::*;

  // PLATFORM.platform_e::rtl of testdev.rdl.
  localparam logic [7:0] PlatformRtl = 8'd1;

  testdev__in_t  hwif_in;
  testdev__out_t hwif_out;

  assign hwif_in.PLATFORM.platform.next = PlatformRtl;

  // The register block stores at the edge that samples swmod, so the value appears together with
  // valid.
  logic console_valid_q;
  logic exit_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      console_valid_q <= 1'b0;
      exit_valid_q    <= 1'b0;
    end else begin
      console_valid_q <= hwif_out.CONSOLE.character.swmod;
      exit_valid_q    <= hwif_out.EXIT.code.swmod;
    end
  end

  assign console_o = '{valid: console_valid_q, character: hwif_out.CONSOLE.character.value};
  assign exit_o    = '{valid: exit_valid_q, code: hwif_out.EXIT.code.value};
  assign irq_o     = 1'b0;
  // Valid falls again one edge after it rose.
  assign clk_req_o = console_valid_q | exit_valid_q;

  testdev_regs u_regs (
    .clk   (clk_i),
    .arst_n(rst_ni),
    .reg_req_i,
    .reg_rsp_o,
    .hwif_in,
    .hwif_out
  );

endmodule
