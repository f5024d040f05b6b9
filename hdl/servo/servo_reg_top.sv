// SPDX-License-Identifier: Apache-2.0
// Registers of the servo: connects the generated block, and turns a write to COMMAND into an
// operation of one cycle.
// Timing: command_valid_o follows the write by one cycle; irq_o follows an event by one cycle.
// Errors: reg_rsp_o.err for an offset that does not exist.
module servo_reg_top
  import servo_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,

  output logic        command_valid_o,
  output op_e         command_op_o,
  output track_t      target_o,
  output logic        index_capture_o,

  input  status_t     status_i,
  input  track_t      position_i,
  input  logic [63:0] index_time_i,
  input  logic [31:0] index_count_i,
  input  events_t     events_i
);

  import servo_regs_pkg::*;

  servo__in_t           hwif_in;
  servo__out_t          hwif_out;
  events_t              pending;
  logic                 command_valid_q;

  // The generated block stores the operation at the write, so it is valid one cycle later.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) command_valid_q <= 1'b0;
    else         command_valid_q <= hwif_out.COMMAND.op.swmod;
  end
  assign command_valid_o = command_valid_q;
  assign command_op_o    = op_e'(hwif_out.COMMAND.op.value);

  assign target_o = '{
    head:      hwif_out.TARGET.head.value,
    for_write: hwif_out.TARGET.for_write.value,
    cylinder:  hwif_out.TARGET.cylinder.value
  };
  assign index_capture_o = hwif_out.INDEX_CAPTURE.enable.value;

  assign hwif_in.STATUS.on_track.next     = status_i.on_track;
  assign hwif_in.STATUS.write_ready.next  = status_i.write_ready;
  assign hwif_in.STATUS.seeking.next      = status_i.seeking;
  assign hwif_in.STATUS.at_speed.next     = status_i.at_speed;
  assign hwif_in.POSITION.cylinder.next   = position_i.cylinder;
  assign hwif_in.POSITION.for_write.next  = position_i.for_write;
  assign hwif_in.POSITION.head.next       = position_i.head;
  assign hwif_in.INDEX_TIME_LO.value.next = index_time_i[31:0];
  assign hwif_in.INDEX_TIME_HI.value.next = index_time_i[63:32];
  assign hwif_in.INDEX_COUNT.value.next   = index_count_i;

  assign hwif_in.INTR_STATE.on_track.hwset    = events_i.on_track;
  assign hwif_in.INTR_STATE.write_ready.hwset = events_i.write_ready;
  assign hwif_in.INTR_STATE.at_speed.hwset    = events_i.at_speed;
  assign hwif_in.INTR_STATE.at_rest.hwset     = events_i.at_rest;
  assign hwif_in.INTR_STATE.index.hwset       = events_i.index;
  assign hwif_in.INTR_STATE.seek_error.hwset  = events_i.seek_error;
  assign hwif_in.INTR_STATE.speed_lost.hwset  = events_i.speed_lost;

  assign pending = '{
    speed_lost:  hwif_out.INTR_STATE.speed_lost.value,
    seek_error:  hwif_out.INTR_STATE.seek_error.value,
    index:       hwif_out.INTR_STATE.index.value,
    at_rest:     hwif_out.INTR_STATE.at_rest.value,
    at_speed:    hwif_out.INTR_STATE.at_speed.value,
    write_ready: hwif_out.INTR_STATE.write_ready.value,
    on_track:    hwif_out.INTR_STATE.on_track.value
  };
  assign irq_o = (pending & hwif_out.INTR_ENABLE.mask.value) != '0;

  servo_regs u_regs (
    .clk   (clk_i),
    .arst_n(rst_ni),
    .reg_req_i,
    .reg_rsp_o,
    .hwif_in,
    .hwif_out
  );

endmodule
