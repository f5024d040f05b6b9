// SPDX-License-Identifier: Apache-2.0
// Sector sequencer of the drive: finds sectors on the track and moves their data.
//
// The registers (formatter_reg_top) hold the command, and the sequencer (formatter_sequencer)
// executes it.
//
// Timing: keeps up with a byte strobe in every cycle. Pulses and strobes last one cycle; all inputs
// are synchronous to clk_i. Gates and byte of channel_o answer in the same cycle. The block
// requests a clock only for cycles in which a command, a pulse or a strobe arrives.
// Errors: in register ERROR; register offsets that do not exist answer with reg_rsp_o.err.
module formatter
  import formatter_pkg::*;
(
  input  logic        clk_i,
  input  logic        reg_clk_i,
  // `disable iff` samples the asynchronous reset at the clock, in assertions only.
  // verilator lint_off SYNCASYNCNET
  input  logic        rst_ni,
  // verilator lint_on SYNCASYNCNET

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,
  output logic        reg_clk_req_o,

  output stream_pkg::disk_to_buffer_t   disk_o,  // the disk's side of the buffer's port
  input  stream_pkg::disk_from_buffer_t disk_i,  // the buffer's side
  input  channel_pkg::channel_in_t      channel_i,  // from the read-write channel
  output channel_pkg::channel_out_t     channel_o,  // to the read-write channel
  input  servo_link_pkg::heads_t        heads_i,  // the state of the heads
  output logic        follow_o  // the next run lies on the target of the servo's next seek, which begins now
);

  logic    command_valid;
  op_e     command_op;
  job_t    job;
  status_t status;
  logic    event_done, event_error, event_sector, event_chained;

  formatter_reg_top u_reg_top (
    .clk_i           (reg_clk_i),
    .rst_ni,
    .reg_req_i,
    .reg_rsp_o,
    .irq_o,
    .clk_req_o       (reg_clk_req_o),
    .command_valid_o (command_valid),
    .command_op_o    (command_op),
    .job_o           (job),
    .status_i        (status),
    .event_done_i    (event_done),
    .event_error_i   (event_error),
    .event_sector_i  (event_sector),
    .event_chained_i (event_chained)
  );

  formatter_sequencer u_sequencer (
    .clk_i,
    .rst_ni,
    .command_valid_i (command_valid),
    .command_op_i    (command_op),
    .job_i           (job),
    .status_o        (status),
    .event_done_o    (event_done),
    .event_error_o   (event_error),
    .event_sector_o  (event_sector),
    .event_chained_o (event_chained),
    .clk_req_o,
    .disk_o,
    .disk_i,
    .channel_i,
    .channel_o,
    .heads_i,
    .follow_o
  );

endmodule
