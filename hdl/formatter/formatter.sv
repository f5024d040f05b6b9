// SPDX-License-Identifier: Apache-2.0
// Sector sequencer of the drive: finds sectors on the track and moves their data.
//
// The registers (formatter_reg_top) hold the command, and the sequencer (formatter_sequencer)
// executes it.
//
// Timing: keeps up with a byte strobe in every cycle. Pulses and strobes last one cycle; all inputs
// are synchronous to clk_i. read_gate_o, write_gate_o and nrz_o answer in the same cycle. The block
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

  // From the media to the buffer, and from the buffer to the media.
  output logic        disk_wr_valid_o,  // a byte from the media is there
  input  logic        disk_wr_ready_i,  // the buffer takes it
  output logic [7:0]  disk_wr_data_o,  // the byte
  output logic        disk_wr_commit_o,  // the check bytes are good: the sector gets its credit
  output logic        disk_wr_drop_o,  // the sector is bad: its place is used again
  input  logic        disk_rd_valid_i,  // a byte for the media is there
  output logic        disk_rd_ready_o,  // the media take it
  input  logic [7:0]  disk_rd_data_i,  // the byte
  input  logic        disk_can_accept_i,  // the buffer has room for a sector
  input  logic        disk_has_sector_i,  // the buffer has a whole sector

  // The channel.
  input  logic        sector_pulse_i,  // a sector begins under the head
  input  logic        index_pulse_i,  // the track begins under the head
  input  logic        byte_strobe_i,  // a byte passes under the head
  input  logic [7:0]  nrz_i,  // the byte read
  output logic        read_gate_o,  // the channel reads
  output logic        write_gate_o,  // the channel writes
  output logic [7:0]  nrz_o,  // the byte to write
  input  logic        write_fault_i,  // no current flows in the head
  output logic        sector_listen_o,  // the block needs sector pulses
  output logic        index_listen_o,  // the block needs index pulses

  // The servo.
  input  logic        on_track_i,  // the heads have settled for reading
  input  logic        write_ready_i,  // the heads have settled for writing
  input  logic        seeking_i,  // a seek is under way
  output logic        seek_o  // the next run lies on the target of its next seek, which begins now
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
    .disk_wr_valid_o,
    .disk_wr_ready_i,
    .disk_wr_data_o,
    .disk_wr_commit_o,
    .disk_wr_drop_o,
    .disk_rd_valid_i,
    .disk_rd_ready_o,
    .disk_rd_data_i,
    .disk_can_accept_i,
    .disk_has_sector_i,
    .sector_pulse_i,
    .index_pulse_i,
    .byte_strobe_i,
    .nrz_i,
    .read_gate_o,
    .write_gate_o,
    .nrz_o,
    .write_fault_i,
    .sector_listen_o,
    .index_listen_o,
    .on_track_i,
    .write_ready_i,
    .seeking_i,
    .seek_o
  );

endmodule
