// SPDX-License-Identifier: Apache-2.0
// Trace port: a store to EVENT[i] leaves the SoC as event number i with 32 bits of argument.
// Timing: event_o.valid is high for one cycle, one cycle after the store.
// Errors: an offset past EVENT[63] is refused; reads of the others give 0.
//
// The 64 registers of trace_port.rdl are one decoder here. The generated block would store 64 words
// that cannot be read. The map itself comes from the generated package.
module trace_port (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,

  output message_pkg::event_t event_o  // a trace event
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

  message_pkg::event_t event_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      event_q <= '0;
    end else begin
      event_q.valid <= store;
      if (store) begin
        event_q.number   <= reg_req_i.addr[7:2];
        // A narrow store reports its bytes, and 0 for the others: there is no old value to merge
        // with.
        event_q.argument <= reg_req_i.wdata & store_mask;
      end
    end
  end

  assign event_o   = event_q;
  assign reg_rsp_o = '{rdata: '0, err: reg_req_i.valid & !hit};
  assign irq_o     = 1'b0;
  // Valid falls again one edge after it rose.
  assign clk_req_o = event_q.valid;

  // The low bits are not used, since the core aligns its accesses.
  logic unused_addr;
  assign unused_addr = ^reg_req_i.addr[1:0];

`ifndef SYNTHESIS
  // 64 numbers fill event_o.number exactly.
  initial a_number_fits : assert (TRACE_PORT_REGS_SIZE == 64 * 4);
`endif

endmodule
