// SPDX-License-Identifier: Apache-2.0
// Registers of the SCSI target: connects the generated block, and turns a write to COMMAND into an
// operation of one cycle.
// Timing: command_valid_o follows the write by one cycle; FIFO moves in the cycle of the access.
// Errors: reg_rsp_o.err for an offset that does not exist.
module scsi_target_reg_top
  import scsi_target_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,

  output logic        enable_o,
  output logic        parity_check_o,
  output logic        take_command_o,
  output logic [3:0]  own_id_o,
  output logic        command_valid_o,
  output logic [2:0]  command_op_o,
  output logic [3:0]  command_initiator_id_o,
  output logic [23:0] count_o,
  output phase_t      phase_o,
  output logic        whole_o,
  output logic        then_release_o,
  output logic        then_message_o,
  output logic        dma_o,
  output logic [7:0]  period_o,
  output logic [4:0]  offset_o,
  output logic        wide_o,

  input  logic        connected_i,
  input  logic        busy_i,
  input  logic        atn_i,
  input  logic        selected_with_atn_i,
  input  logic [3:0]  initiator_id_i,
  input  phase_t      phase_i,
  input  logic [4:0]  fifo_level_i,
  input  logic        takes_i,
  input  logic [1:0]  taken_messages_i,
  input  logic [7:0]  fifo_head_i,
  output logic        fifo_pop_o,
  output logic        fifo_push_o,
  output logic [7:0]  fifo_push_data_o,
  input  logic [23:0] residue_i,

  // The events, in the order of INTR_STATE.
  input  logic [8:0]  events_i
);

  import scsi_target_regs_pkg::*;

  scsi_target__in_t     hwif_in;
  scsi_target__out_t    hwif_out;

  scsi_target_regs u_regs (
    .clk   (clk_i),
    .arst_n(rst_ni),
    .reg_req_i,
    .reg_rsp_o,
    .hwif_in,
    .hwif_out
  );

  // --- Towards the block -------------------------------------------------------------------------
  assign enable_o               = hwif_out.CTRL.enable.value;
  assign parity_check_o         = hwif_out.CTRL.parity_check.value;
  assign own_id_o               = hwif_out.CTRL.own_id.value;
  assign take_command_o         = hwif_out.CTRL.take_command.value &
                                  !hwif_out.INTR_STATE.bus_reset.value;
  assign command_op_o           = hwif_out.COMMAND.op.value;
  assign command_initiator_id_o = hwif_out.COMMAND.initiator_id.value;
  assign count_o                = hwif_out.TRANSFER.count.value;
  assign phase_o                = hwif_out.TRANSFER.phase.value;
  assign whole_o                = hwif_out.TRANSFER.whole.value;
  assign then_release_o         = hwif_out.TRANSFER.then_release.value;
  assign then_message_o         = hwif_out.TRANSFER.then_message.value;
  assign dma_o                  = hwif_out.TRANSFER.dma.value;
  assign period_o               = hwif_out.AGREEMENT.period.value;
  assign offset_o               = hwif_out.AGREEMENT.offset.value;
  assign wide_o                 = hwif_out.AGREEMENT.wide.value;

  // The register holds the operation one cycle after the write.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) command_valid_o <= 1'b0;
    else         command_valid_o <= hwif_out.COMMAND.op.swmod;
  end

  // --- From the block ----------------------------------------------------------------------------
  assign hwif_in.STATUS.connected.next         = connected_i;
  assign hwif_in.STATUS.busy.next              = busy_i;
  assign hwif_in.STATUS.atn.next               = atn_i;
  assign hwif_in.STATUS.selected_with_atn.next = selected_with_atn_i;
  assign hwif_in.STATUS.initiator_id.next      = initiator_id_i;
  assign hwif_in.STATUS.phase.next             = phase_i;
  assign hwif_in.STATUS.fifo_level.next        = fifo_level_i;
  assign hwif_in.STATUS.takes.next             = takes_i;
  assign hwif_in.STATUS.taken_messages.next    = taken_messages_i;
  assign hwif_in.RESIDUE.count.next            = residue_i;

  // --- FIFO: an external register, answered at once ----------------------------------------------
  logic fifo_write, fifo_read;
  assign fifo_write                   = hwif_out.FIFO.req & hwif_out.FIFO.req_is_wr;
  assign fifo_read                    = hwif_out.FIFO.req & !hwif_out.FIFO.req_is_wr;
  assign fifo_push_o                  = fifo_write & (hwif_out.FIFO.wr_biten.data != '0);
  assign fifo_pop_o                   = fifo_read;
  assign fifo_push_data_o             = hwif_out.FIFO.wr_data.data;
  assign hwif_in.FIFO.wr_ack          = fifo_write;
  assign hwif_in.FIFO.rd_ack          = fifo_read;
  assign hwif_in.FIFO.rd_data.data    = (fifo_level_i == '0) ? '0 : fifo_head_i;
  assign hwif_in.FIFO.rd_data._reserved_31_8 = '0;

  // --- Events ------------------------------------------------------------------------------------
  logic [8:0] intr_state;
  assign hwif_in.INTR_STATE.selected.hwset         = events_i[0];
  assign hwif_in.INTR_STATE.reselected.hwset       = events_i[1];
  assign hwif_in.INTR_STATE.arbitration_lost.hwset = events_i[2];
  assign hwif_in.INTR_STATE.reselect_timeout.hwset = events_i[3];
  assign hwif_in.INTR_STATE.transfer_done.hwset    = events_i[4];
  assign hwif_in.INTR_STATE.parity_error.hwset     = events_i[5];
  assign hwif_in.INTR_STATE.attention.hwset        = events_i[6];
  assign hwif_in.INTR_STATE.bus_reset.hwset        = events_i[7];
  assign hwif_in.INTR_STATE.disconnected.hwset     = events_i[8];

  assign intr_state = {hwif_out.INTR_STATE.disconnected.value,
                       hwif_out.INTR_STATE.bus_reset.value,
                       hwif_out.INTR_STATE.attention.value,
                       hwif_out.INTR_STATE.parity_error.value,
                       hwif_out.INTR_STATE.transfer_done.value,
                       hwif_out.INTR_STATE.reselect_timeout.value,
                       hwif_out.INTR_STATE.arbitration_lost.value,
                       hwif_out.INTR_STATE.reselected.value,
                       hwif_out.INTR_STATE.selected.value};
  assign irq_o = (intr_state & hwif_out.INTR_ENABLE.mask.value) != '0;

  // A command is valid for one cycle, and needs a clock edge to fall.
  assign clk_req_o = reg_req_i.valid | command_valid_o | events_i != '0;

endmodule
