// SPDX-License-Identifier: Apache-2.0
// Joins the core's two ports to firmware RAM and, through io_bridge, to registers and buffer RAM.
// Timing: RAM and errors are granted at once, and answered one cycle later. The bridge grants at
// once, and answers two cycles later or when the buffer is free. The data port waits meanwhile.
// Errors: err answers an instruction fetch outside RAM, an address without a target, and a register
// access that its block refuses.
module crossbar
  import bus_pkg::*;
(
  input  logic                       clk_i,
  // The assertions sample the asynchronous reset at the clock.
  // verilator lint_off SYNCASYNCNET
  input  logic                       rst_ni,
  // verilator lint_on SYNCASYNCNET

  // Instruction port of the core: RAM only.
  input  logic                       instr_req_i,
  input  logic [31:0]                instr_addr_i,
  output logic                       instr_gnt_o,
  output logic                       instr_rvalid_o,
  output logic [31:0]                instr_rdata_o,
  output logic                       instr_err_o,

  // Data port of the core.
  input  logic                       data_req_i,
  input  logic                       data_we_i,
  input  logic [3:0]                 data_be_i,
  input  logic [31:0]                data_addr_i,
  input  logic [31:0]                data_wdata_i,
  output logic                       data_gnt_o,
  output logic                       data_rvalid_o,
  output logic [31:0]                data_rdata_o,
  output logic                       data_err_o,

  // Firmware RAM: always ready; reads answer one cycle later; instructions are read in every cycle.
  output logic [RamAddrWidth-1:2]    ram_instr_addr_o,
  input  logic [31:0]                ram_instr_rdata_i,
  output logic                       ram_data_req_o,
  output logic                       ram_data_we_o,
  output logic [3:0]                 ram_data_be_o,
  output logic [RamAddrWidth-1:2]    ram_data_addr_o,
  output logic [31:0]                ram_data_wdata_o,
  input  logic [31:0]                ram_data_rdata_i,

  // Bridge: registers and the buffer window. It serves one request at a time; the answer is valid
  // for one cycle.
  output logic                       io_start_o,
  output target_e                    io_target_o,
  output logic                       io_we_o,
  output logic [3:0]                 io_be_o,
  output logic [31:0]                io_addr_o,
  output logic [31:0]                io_wdata_o,
  input  logic                       io_done_i,
  input  logic                       io_err_i,
  input  logic [31:0]                io_rdata_i
);

  // --- Instructions ---

  logic instr_valid_q;
  logic instr_err_q;
  logic instr_in_ram;

  // The low address bits are not used, since instructions are fetched as words.
  logic unused_instr_addr;
  assign unused_instr_addr = ^instr_addr_i[1:0];

  assign instr_in_ram     = decode(instr_addr_i[31:GrainWidth]) == TargetRam;
  assign instr_gnt_o      = 1'b1;  // every request is granted
  assign ram_instr_addr_o = instr_addr_i[RamAddrWidth-1:2];
  assign instr_rvalid_o   = instr_valid_q;
  assign instr_rdata_o    = ram_instr_rdata_i;
  assign instr_err_o      = instr_err_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      instr_valid_q <= 1'b0;
      instr_err_q   <= 1'b0;
    end else begin
      instr_valid_q <= instr_req_i;
      instr_err_q   <= instr_req_i & !instr_in_ram;
    end
  end

  // --- Data ---

  target_e data_target;
  logic    data_start;
  logic    data_is_io;

  logic        io_busy_q;     // the bridge owes an answer
  logic        answer_q;      // an answer comes in this cycle
  logic        answer_ram_q;  // the answer comes from RAM; otherwise answer_err_q applies
  logic        answer_err_q;
  logic [31:0] answer_io_q;

  assign data_target = decode(data_addr_i[31:GrainWidth]);
  assign data_is_io  = data_target == TargetReg | data_target == TargetBuffer;
  // Answers keep the order of requests: while the bridge owes an answer, no other access begins.
  assign data_start  = data_req_i & !io_busy_q;
  // A grant without a request has no meaning, so it need not depend on the request.
  assign data_gnt_o  = !io_busy_q;

  assign ram_data_req_o   = data_start & data_target == TargetRam;
  assign ram_data_we_o    = data_we_i;
  assign ram_data_be_o    = data_be_i;
  assign ram_data_addr_o  = data_addr_i[RamAddrWidth-1:2];
  assign ram_data_wdata_o = data_wdata_i;

  assign io_start_o  = data_start & data_is_io;
  assign io_target_o = data_target;
  assign io_we_o     = data_we_i;
  assign io_be_o     = data_be_i;
  assign io_addr_o   = data_addr_i;
  assign io_wdata_o  = data_wdata_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      io_busy_q    <= 1'b0;
      answer_q     <= 1'b0;
      answer_ram_q <= 1'b0;
      answer_err_q <= 1'b0;
    end else begin
      io_busy_q    <= io_start_o | (io_busy_q & !io_done_i);
      answer_q     <= (data_start & !data_is_io) | (io_busy_q & io_done_i);
      answer_ram_q <= !io_busy_q;
      answer_err_q <= io_busy_q ? io_err_i : data_target == TargetNone;
    end
  end

  // The data is not reset: answer_q marks when it is valid.
  always_ff @(posedge clk_i) begin
    if (io_busy_q & io_done_i) answer_io_q <= io_rdata_i;
  end

  assign data_rvalid_o = answer_q;
  assign data_err_o    = answer_q & answer_err_q;
  assign data_rdata_o  = answer_ram_q ? ram_data_rdata_i : answer_io_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) a_answers_a_request : assert (!io_done_i | io_busy_q);
  end
`endif

endmodule
