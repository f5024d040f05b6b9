// SPDX-License-Identifier: Apache-2.0
// Trace port: a store to EVENT[i] leaves the SoC as event number i with 32 bits of argument.
// Timing: event_valid_o is high for one cycle, one cycle after the store.
// Errors: an offset past EVENT[63] is refused; reads of the others give 0.
//
// The 64 registers of trace_port.rdl are one decoder here. The generated block would store 64 words
// that nobody can read. The map itself comes from the generated package.
module trace_port (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,

  output logic        event_valid_o,  // an event leaves the SoC
  output logic [5:0]  event_number_o,  // its number
  output logic [31:0] event_argument_o  // its argument
);

  import trace_port_regs_pkg::*;

  logic        hit;
  logic        store;
  logic [31:0] store_mask;

  assign hit   = reg_req_i.addr < reg_pkg::RegAddrWidth'(TRACE_PORT_REGS_SIZE);
  assign store = reg_req_i.valid & reg_req_i.we & hit;
  for (genvar i = 0; i < 4; i++) begin : g_mask
    assign store_mask[8*i +: 8] = {8{reg_req_i.be[i]}};
  end

  logic        event_valid_q;
  logic [5:0]  event_number_q;
  logic [31:0] event_argument_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      event_valid_q    <= 1'b0;
      event_number_q   <= '0;
      event_argument_q <= '0;
    end else begin
      event_valid_q <= store;
      if (store) begin
        event_number_q   <= reg_req_i.addr[7:2];
        // A narrow store reports its bytes, and 0 for the others: there is no old value to merge
        // with.
        event_argument_q <= reg_req_i.wdata & store_mask;
      end
    end
  end

  assign event_valid_o    = event_valid_q;
  assign event_number_o   = event_number_q;
  assign event_argument_o = event_argument_q;
  assign reg_rsp_o        = '{rdata: '0, err: reg_req_i.valid & !hit};
  assign irq_o            = 1'b0;
  // Valid falls again one edge after it rose.
  assign clk_req_o        = event_valid_q;

  // The core aligns its accesses.
  logic unused_addr;
  assign unused_addr = ^reg_req_i.addr[1:0];

`ifndef SYNTHESIS
  // 64 numbers fill event_number_o exactly.
  initial a_number_fits : assert (TRACE_PORT_REGS_SIZE == 64 * 4);
`endif

endmodule
