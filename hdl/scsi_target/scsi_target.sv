// SPDX-License-Identifier: Apache-2.0
// Target side of the SCSI bus, on pins: connections, information transfer, FIFO, registers.
//
// Firmware starts one operation at a time; an event ends it. hdl/regs/scsi_target.rdl describes
// each operation.
//
// Timing: pins_i was registered once at the entry of the SoC. This block registers all its signals
//         a second time before it uses them. The two stages are a synchronizer, and keep DATA BUS
//         and parity in step with the ACK or SEL that qualifies them. So the block acts on a pin
//         two edges after the edge that sampled it. pins_o is registered. clk_req_o is low while
//         the block waits for a pin, for firmware, or for the host port.
// Errors: a register offset that does not exist answers with reg_rsp_o.err. After RST is sampled,
//         the block drives nothing within four clocks (the bus clear delay allows 32).
module scsi_target
  import scsi_target_pkg::*;
(
  input  logic             clk_i,
  input  logic             reg_clk_i,
  // `disable iff` samples the asynchronous reset at the clock, in assertions only.
  // verilator lint_off SYNCASYNCNET
  input  logic             rst_ni,
  // verilator lint_on SYNCASYNCNET

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic             irq_o,
  output logic             clk_req_o,
  output logic             reg_clk_req_o,

  output stream_pkg::bytes_to_buffer_t   host_o,  // the host's side of the buffer's port
  input  stream_pkg::bytes_from_buffer_t host_i,  // the buffer's side

  input  scsi_pkg::pins_t  pins_i,  // the SCSI bus, registered once
  output scsi_pkg::pins_t  pins_o  // what the drive asserts on the bus
);

  // --- Synchronizer, second stage ----------------------------------------------------------------
  // A target drives C/D, MSG and REQ, and never samples them.
  // verilator lint_off UNUSEDSIGNAL
  scsi_pkg::pins_t bus_d, bus_q;
  // verilator lint_on UNUSEDSIGNAL

  always_comb begin
    bus_d     = pins_i;
    bus_d.cd  = 1'b0;
    bus_d.msg = 1'b0;
    bus_d.req = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bus_q <= '0;
    else         bus_q <= bus_d;
  end

  // --- Registers and commands --------------------------------------------------------------------
  logic        enable, parity_check, take_command, dma, wide, whole, then_release, then_message;
  logic        command_valid;
  logic [3:0]  own_id, command_initiator_id;
  logic [2:0]  command_op;
  logic [23:0] count;
  phase_t      phase;
  logic [4:0]  offset;
  logic [7:0]  period;

  logic        connected, connect_busy, transfer_busy, busy, selected_with_atn;
  logic [3:0]  initiator_id;
  phase_t      driven_phase;
  logic [4:0]  fifo_level;
  logic [15:0] fifo_head;
  logic [23:0] residue;
  logic        takes;
  logic [1:0]  taken_messages;
  logic        reg_pop, reg_push;
  logic [7:0]  reg_push_data;

  logic        selected, reselected, arbitration_lost, reselect_timeout, transfer_done;
  logic        parity_error, attention, bus_reset, disconnected;
  logic        selection_done, reselection_done;

  logic        start_reselect, start_transfer, start_release, transfer_release, do_abort;

  assign busy           = connect_busy | transfer_busy;
  assign start_reselect = command_valid & !busy & (command_op == 3'd1);
  assign start_transfer = command_valid & !busy & (command_op == 3'd2);
  assign start_release  = command_valid & !busy & (command_op == 3'd3);
  assign do_abort       = command_valid & (command_op == 3'd4);

  scsi_target_reg_top u_reg_top (
    .clk_i                 (reg_clk_i),
    .rst_ni,
    .reg_req_i,
    .reg_rsp_o,
    .irq_o,
    .clk_req_o             (reg_clk_req_o),

    .enable_o              (enable),
    .parity_check_o        (parity_check),
    .take_command_o        (take_command),
    .own_id_o              (own_id),
    .command_valid_o       (command_valid),
    .command_op_o          (command_op),
    .command_initiator_id_o(command_initiator_id),
    .count_o               (count),
    .phase_o               (phase),
    .whole_o               (whole),
    .then_release_o        (then_release),
    .then_message_o        (then_message),
    .dma_o                 (dma),
    .period_o              (period),
    .offset_o              (offset),
    .wide_o                (wide),

    .connected_i           (connected),
    .busy_i                (busy | command_valid),
    .atn_i                 (bus_q.atn),
    .selected_with_atn_i   (selected_with_atn),
    .initiator_id_i        (initiator_id),
    .phase_i               (driven_phase),
    .fifo_level_i          (fifo_level),
    .takes_i               (takes),
    .taken_messages_i      (taken_messages),
    .fifo_head_i           (fifo_head[7:0]),
    .fifo_pop_o            (reg_pop),
    .fifo_push_o           (reg_push),
    .fifo_push_data_o      (reg_push_data),
    .residue_i             (residue),

    .events_i              ({disconnected, bus_reset, attention, parity_error, transfer_done,
                             reselect_timeout, arbitration_lost,
                             (reselected & !then_message) | reselection_done,
                             (selected & !take_command) | selection_done})
  );

  // --- Connections -------------------------------------------------------------------------------
  scsi_pkg::pins_t connect_pins;
  logic            connect_clk_req;

  assign {connect_pins.cd, connect_pins.msg, connect_pins.req} = '0;
  assign {connect_pins.ack, connect_pins.atn, connect_pins.rst} = '0;

  scsi_connect u_connect (
    .clk_i,
    .rst_ni,
    .enable_i           (enable),
    .parity_check_i     (parity_check),
    .own_id_i           (own_id),
    .reselect_i         (start_reselect),
    .reselect_id_i      (command_initiator_id),
    .release_i          (start_release | transfer_release),
    .abort_i            (do_abort),
    .db_i               (bus_q.db),
    .dp_i               (bus_q.dp),
    .bsy_i              (bus_q.bsy),
    .sel_i              (bus_q.sel),
    .io_i               (bus_q.io),
    .atn_i              (bus_q.atn),
    .rst_i              (bus_q.rst),
    .db_o               (connect_pins.db),
    .dp_o               (connect_pins.dp),
    .bsy_o              (connect_pins.bsy),
    .sel_o              (connect_pins.sel),
    .io_o               (connect_pins.io),
    .connected_o        (connected),
    .busy_o             (connect_busy),
    .initiator_id_o     (initiator_id),
    .selected_with_atn_o(selected_with_atn),
    .selected_o         (selected),
    .reselected_o       (reselected),
    .arbitration_lost_o (arbitration_lost),
    .reselect_timeout_o (reselect_timeout),
    .attention_o        (attention),
    .bus_reset_o        (bus_reset),
    .disconnected_o     (disconnected),
    .clk_req_o          (connect_clk_req)
  );

  // --- Information transfer ----------------------------------------------------------------------
  scsi_pkg::pins_t transfer_pins;
  logic            transfer_clk_req, dma_in, dma_out, fifo_clear, fifo_locked;
  logic [1:0]      bus_pop, bus_push;
  logic [15:0]     bus_push_data;

  assign {transfer_pins.bsy, transfer_pins.sel} = '0;
  assign {transfer_pins.ack, transfer_pins.atn, transfer_pins.rst} = '0;
  assign {transfer_pins.msg, transfer_pins.cd, transfer_pins.io} = driven_phase;

  scsi_transfer u_transfer (
    .clk_i,
    .rst_ni,
    .connected_i     (connected & !bus_reset),
    .start_i         (start_transfer),
    .abort_i         (do_abort),
    .phase_i         (phase),
    .count_i         (count),
    .dma_i           (dma),
    .whole_i         (whole),
    .then_release_i  (then_release),
    .then_message_i  (then_message),
    .reselected_i    (reselected),
    .selected_i      (selected),
    .arbitration_lost_i(arbitration_lost),
    .take_command_i  (take_command),
    .with_atn_i      (selected_with_atn),
    .wide_i          (wide),
    .offset_i        (offset),
    .period_i        (period),
    .parity_check_i  (parity_check),
    .db_i            (bus_q.db),
    .dp_i            (bus_q.dp),
    .ack_i           (bus_q.ack),
    .atn_i           (bus_q.atn),
    .db_o            (transfer_pins.db),
    .dp_o            (transfer_pins.dp),
    .phase_o         (driven_phase),
    .req_o           (transfer_pins.req),
    .fifo_level_i    (fifo_level),
    .fifo_head_i     (fifo_head),
    .fifo_pop_o      (bus_pop),
    .fifo_push_o     (bus_push),
    .fifo_push_data_o(bus_push_data),
    .fifo_clear_o    (fifo_clear),
    .busy_o          (transfer_busy),
    .takes_o         (takes),
    .taken_messages_o(taken_messages),
    .fifo_locked_o   (fifo_locked),
    .dma_in_o        (dma_in),
    .dma_out_o       (dma_out),
    .residue_o       (residue),
    .done_o          (transfer_done),
    .release_o       (transfer_release),
    .parity_error_o  (parity_error),
    .selection_done_o  (selection_done),
    .reselection_done_o(reselection_done),
    .clk_req_o       (transfer_clk_req)
  );

  // --- FIFO and host port ------------------------------------------------------------------------
  logic data_clk_req;

  scsi_data_path u_data_path (
    .clk_i,
    .rst_ni,
    .clear_i        (fifo_clear),
    .bus_pop_i      (bus_pop),
    .bus_push_i     (bus_push),
    .bus_push_data_i(bus_push_data),
    .head_o         (fifo_head),
    .level_o        (fifo_level),
    .start_i        (start_transfer),
    .count_i        (count),
    .dma_in_i       (dma_in),
    .dma_out_i      (dma_out),
    .bus_reads_i    (transfer_busy & driven_phase[0]),
    .bus_writes_i   (transfer_busy & !driven_phase[0]),
    .host_o,
    .host_i,
    .reg_pop_i      (reg_pop),
    .reg_push_i     (reg_push & !fifo_locked),
    .reg_push_data_i(reg_push_data),
    .clk_req_o      (data_clk_req)
  );

  // --- Pins and clock ----------------------------------------------------------------------------
  // Connections and transfer never drive the same signal at the same time.
  assign pins_o = connect_pins | transfer_pins;

  assign clk_req_o = (bus_d != bus_q) | command_valid | connect_clk_req | transfer_clk_req |
                     data_clk_req;

`ifndef SYNTHESIS
  a_one_driver : assert property (@(posedge clk_i) disable iff (!rst_ni)
    (connect_pins & transfer_pins) == '0);
  // A target never drives these.
  a_target_only : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(pins_o.ack | pins_o.atn | pins_o.rst));
  a_req_needs_bsy : assert property (@(posedge clk_i) disable iff (!rst_ni)
    pins_o.req |-> (pins_o.bsy | !connected));
`endif

endmodule
