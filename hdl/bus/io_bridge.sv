// SPDX-License-Identifier: Apache-2.0
// Transfers the core's accesses to registers and to the buffer window into the blocks' clock.
//
// Both clocks have the same edges, but the gate may omit edges of the blocks' clock while clk_req_o
// is low. The bridge registers the core's request first. While the blocks are idle, none of their
// signals changes, however busy the core is.
// Timing: the access comes in the cycle after start_i. For registers, done_o comes with it; for the
//         buffer window, when the buffer has answered.
// Errors: a register access that its block refuses comes back with err_o.
module io_bridge
  import bus_pkg::*;
  import reg_pkg::*;
(
  input  logic                       clk_i,
  // The assertions sample the asynchronous reset at the clock.
  // verilator lint_off SYNCASYNCNET
  input  logic                       rst_ni,
  // verilator lint_on SYNCASYNCNET
  output logic                       clk_req_o,

  // Crossbar: one request at a time.
  input  logic                       start_i,
  input  target_e                    target_i,
  input  logic                       we_i,
  input  logic [3:0]                 be_i,
  input  logic [31:0]                addr_i,
  input  logic [31:0]                wdata_i,
  output logic                       done_o,
  output logic                       err_o,
  output logic [31:0]                rdata_o,

  // Register pages: answer in the same cycle.
  output reg_req_t                   reg_req_o [NumBlocks],
  input  reg_rsp_t                   reg_rsp_i [NumBlocks],

  // Buffer window: the request lasts one cycle, and valid comes with the answer.
  output logic                       core_req_o,
  output logic                       core_we_o,
  output logic [BufferAddrWidth-1:0] core_addr_o,
  output logic [3:0]                 core_be_o,
  output logic [31:0]                core_wdata_o,
  input  logic                       core_rvalid_i,
  input  logic [31:0]                core_rdata_i
);

  typedef enum logic [1:0] {
    StIdle,
    StReg,      // the access itself
    StRequest,  // the access itself
    StAnswer    // waits until the buffer answers
  } state_e;

  state_e                     state_d, state_q;
  logic                       we_q;
  logic [3:0]                 be_q;
  logic [BufferAddrWidth-1:0] addr_q;
  logic [31:0]                wdata_q;
  logic [BlockNumWidth-1:0]   block;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:    if (start_i) state_d = target_i == TargetReg ? StReg : StRequest;
      StReg:     state_d = StIdle;
      StRequest: state_d = StAnswer;
      StAnswer:  if (core_rvalid_i) state_d = StIdle;
      default:   state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      we_q    <= 1'b0;
      be_q    <= '0;
      addr_q  <= '0;
      wdata_q <= '0;
    end else begin
      state_q <= state_d;
      if (start_i) begin
        we_q    <= we_i;
        be_q    <= be_i;
        addr_q  <= addr_i[BufferAddrWidth-1:0];
        wdata_q <= wdata_i;
      end
    end
  end

  assign clk_req_o = start_i | state_q != StIdle;

  assign block = addr_q[RegAddrWidth +: BlockNumWidth];
  // Only one page gets a valid request. The other signals are the same for all pages.
  for (genvar b = 0; b < NumBlocks; b++) begin : gen_reg_req
    assign reg_req_o[b] = '{valid: state_q == StReg & block == BlockNumWidth'(b), we: we_q,
                            addr: addr_q[RegAddrWidth-1:0], wdata: wdata_q, be: be_q};
  end

  assign core_req_o   = state_q == StRequest;
  assign core_we_o    = we_q;
  assign core_addr_o  = addr_q;
  assign core_be_o    = be_q;
  assign core_wdata_o = wdata_q;

  assign done_o  = state_q == StReg | (state_q == StAnswer & core_rvalid_i);
  assign err_o   = state_q == StReg & reg_rsp_i[block].err;
  assign rdata_o = state_q == StReg ? reg_rsp_i[block].rdata : core_rdata_i;

  // The other bits are not used here: the crossbar has decoded them.
  logic unused_addr;
  assign unused_addr = ^addr_i[31:BufferAddrWidth];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_one_at_a_time : assert (!start_i | state_q == StIdle);
      a_answers_a_request : assert (!core_rvalid_i | state_q == StAnswer);
    end
  end
`endif

endmodule
