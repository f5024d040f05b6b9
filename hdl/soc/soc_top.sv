// SPDX-License-Identifier: Apache-2.0
// The SoC: core, crossbar, firmware RAM and the blocks, wired as hdl/README.md says.
//
// Timing: every input is registered on entry. A change between two edges is sampled at the second
//         and acted upon at the third. So is the time base: the blocks get the number of the last
//         edge.
// Clocks: one clock, with an input for each part that can stop while others run:
//         core       core, crossbar, firmware RAM
//         regs       bridge, registers of all blocks; levels, index pulse, and time, registered on
//                    entry; servo, timer, and the small blocks
//         pins       the SCSI bus, registered on entry
//         media      sectors and bytes of the track, registered on entry
//         scsi, buffer, formatter   those blocks, but for their registers
//         The clock gate may omit an edge of a clock while the clock's request is low and
//         - pins:  scsi_i is as it was at its last edge, but for C/D, MSG and REQ, which only a
//                  target drives,
//         - media: no sector pulse or byte comes,
//         - regs:  the levels are as they were at its last edge, no index pulse comes, and the
//                  timer, if armed, is due later than this edge.
//         No observable result depends on the gate. mtime_i must be right at every edge that the
//         gate passes. Without gates, all clocks are the same wire.
module soc_top
  import bus_pkg::*;
#(
  // Sizes of the memories, powers of two. A memory smaller than its window repeats in it.
  parameter int unsigned RamBytes    = 1 << RamAddrWidth,
  parameter int unsigned BufferBytes = 1 << BufferAddrWidth
) (
  input  logic             core_clk_i,
  input  logic             regs_clk_i,
  input  logic             pins_clk_i,
  input  logic             media_clk_i,
  input  logic             scsi_clk_i,
  input  logic             buffer_clk_i,
  input  logic             formatter_clk_i,
  // The assertions sample the asynchronous reset at the clock.
  // verilator lint_off SYNCASYNCNET
  input  logic             rst_ni,
  // verilator lint_on SYNCASYNCNET

  // Time base: number of the next clock edge, counted outside.
  input  logic [63:0]      mtime_i,
  output logic [63:0]      timer_due_o,
  output logic             timer_armed_o,

  // SCSI bus: its state, and the signals that this device asserts.
  input  scsi_pkg::pins_t  scsi_i,
  output scsi_pkg::pins_t  scsi_o,

  // Read-write channel, and head-disk assembly.
  input  channel_pkg::channel_in_t  channel_i,
  output channel_pkg::channel_out_t channel_o,
  input  hda_pkg::hda_in_t          hda_i,
  output hda_pkg::hda_out_t         hda_o,

  // Messages of the firmware to the simulator.
  output message_pkg::event_t       event_o,
  output message_pkg::console_t     console_o,
  output message_pkg::exit_t        exit_o,

  output logic             core_clk_req_o,
  output logic             regs_clk_req_o,
  output logic             media_clk_req_o,
  output logic             scsi_clk_req_o,
  output logic             buffer_clk_req_o,
  output logic             formatter_clk_req_o,
  output logic             core_sleep_o
);

  // --- Inputs, registered ---

  // Inputs, by the clock that registers them.
  typedef struct packed {
    hda_pkg::hda_in_t hda;
    logic             write_fault;
  } levels_t;

  typedef struct packed {
    logic sector_pulse;
    logic byte_strobe;
  } pulses_t;

  levels_t         levels_q, levels_before_q;
  logic            index_pulse_q;
  logic [63:0]     mtime_q;
  pulses_t         pulses_q;
  logic [7:0]      nrz_q;
  scsi_pkg::pins_t pins_q;

  always_ff @(posedge regs_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      levels_q        <= '0;
      levels_before_q <= '0;
      index_pulse_q   <= 1'b0;
      mtime_q         <= '0;
    end else begin
      levels_q        <= '{hda: hda_i, write_fault: channel_i.write_fault};
      levels_before_q <= levels_q;
      index_pulse_q   <= channel_i.index_pulse;
      mtime_q         <= mtime_i;
    end
  end

  always_ff @(posedge media_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pulses_q <= '0;
      nrz_q    <= '0;
    end else begin
      pulses_q <= '{sector_pulse: channel_i.sector_pulse, byte_strobe: channel_i.byte_strobe};
      nrz_q    <= channel_i.nrz;
    end
  end

  always_ff @(posedge pins_clk_i or negedge rst_ni) begin
    if (!rst_ni) pins_q <= '0;
    else         pins_q <= scsi_i;
  end

  // --- Core and memory ---

  logic        instr_req, instr_gnt, instr_rvalid, instr_err;
  logic [31:0] instr_addr, instr_rdata;
  logic        data_req, data_we, data_gnt, data_rvalid, data_err;
  logic [3:0]  data_be;
  logic [31:0] data_addr, data_wdata, data_rdata;
  logic        core_irq;

  cpu #(.BootAddr(32'h0000_0000)) u_cpu (
    .clk_i(core_clk_i),
    .rst_ni,
    .instr_req_o   (instr_req),
    .instr_addr_o  (instr_addr),
    .instr_gnt_i   (instr_gnt),
    .instr_rvalid_i(instr_rvalid),
    .instr_rdata_i (instr_rdata),
    .instr_err_i   (instr_err),
    .data_req_o    (data_req),
    .data_we_o     (data_we),
    .data_be_o     (data_be),
    .data_addr_o   (data_addr),
    .data_wdata_o  (data_wdata),
    .data_gnt_i    (data_gnt),
    .data_rvalid_i (data_rvalid),
    .data_rdata_i  (data_rdata),
    .data_err_i    (data_err),
    .irq_external_i(core_irq),
    .core_sleep_o
  );

  logic                       ram_data_req, ram_data_we;
  logic [RamAddrWidth-1:2]    ram_instr_addr, ram_data_addr;
  logic [31:0]                ram_instr_rdata, ram_data_wdata, ram_data_rdata;
  logic [3:0]                 ram_data_be;

  logic                       io_start, io_we, io_done, io_err, bridge_clk_req;
  target_e                    io_target;
  logic [3:0]                 io_be;
  logic [31:0]                io_addr, io_wdata, io_rdata;

  reg_pkg::reg_req_t          reg_req [NumBlocks];
  reg_pkg::reg_rsp_t          reg_rsp [NumBlocks];
  logic [NumBlocks-1:0]       block_irq;
  logic                       timer_clk_req, irq_ctrl_clk_req, trace_port_clk_req;
  logic                       testdev_clk_req, servo_clk_req;
  logic                       scsi_reg_clk_req, buffer_reg_clk_req, formatter_reg_clk_req;

  logic                       core_req, core_we, core_rvalid;
  logic [BufferAddrWidth-1:0] core_addr;
  logic [3:0]                 core_be;
  logic [31:0]                core_wdata, core_rdata;

  crossbar u_crossbar (
    .clk_i(core_clk_i),
    .rst_ni,
    .instr_req_i      (instr_req),
    .instr_addr_i     (instr_addr),
    .instr_gnt_o      (instr_gnt),
    .instr_rvalid_o   (instr_rvalid),
    .instr_rdata_o    (instr_rdata),
    .instr_err_o      (instr_err),
    .data_req_i       (data_req),
    .data_we_i        (data_we),
    .data_be_i        (data_be),
    .data_addr_i      (data_addr),
    .data_wdata_i     (data_wdata),
    .data_gnt_o       (data_gnt),
    .data_rvalid_o    (data_rvalid),
    .data_rdata_o     (data_rdata),
    .data_err_o       (data_err),
    .ram_instr_addr_o (ram_instr_addr),
    .ram_instr_rdata_i(ram_instr_rdata),
    .ram_data_req_o   (ram_data_req),
    .ram_data_we_o    (ram_data_we),
    .ram_data_be_o    (ram_data_be),
    .ram_data_addr_o  (ram_data_addr),
    .ram_data_wdata_o (ram_data_wdata),
    .ram_data_rdata_i (ram_data_rdata),
    .io_start_o       (io_start),
    .io_target_o      (io_target),
    .io_we_o          (io_we),
    .io_be_o          (io_be),
    .io_addr_o        (io_addr),
    .io_wdata_o       (io_wdata),
    .io_done_i        (io_done),
    .io_err_i         (io_err),
    .io_rdata_i       (io_rdata)
  );

  io_bridge u_io_bridge (
    .clk_i(regs_clk_i),
    .rst_ni,
    .clk_req_o    (bridge_clk_req),
    .start_i      (io_start),
    .target_i     (io_target),
    .we_i         (io_we),
    .be_i         (io_be),
    .addr_i       (io_addr),
    .wdata_i      (io_wdata),
    .done_o       (io_done),
    .err_o        (io_err),
    .rdata_o      (io_rdata),
    .reg_req_o    (reg_req),
    .reg_rsp_i    (reg_rsp),
    .core_req_o   (core_req),
    .core_we_o    (core_we),
    .core_addr_o  (core_addr),
    .core_be_o    (core_be),
    .core_wdata_o (core_wdata),
    .core_rvalid_i(core_rvalid),
    .core_rdata_i (core_rdata)
  );

  tightly_coupled_ram #(.Bytes(RamBytes)) u_ram (
    .clk_i(core_clk_i),
    .instr_addr_i (ram_instr_addr[$clog2(RamBytes)-1:2]),
    .instr_rdata_o(ram_instr_rdata),
    .data_req_i   (ram_data_req),
    .data_we_i    (ram_data_we),
    .data_be_i    (ram_data_be),
    .data_addr_i  (ram_data_addr[$clog2(RamBytes)-1:2]),
    .data_wdata_i (ram_data_wdata),
    .data_rdata_o (ram_data_rdata)
  );

  // --- Time, interrupts, messages of the firmware ---

  timer u_timer (
    .clk_i(regs_clk_i),
    .rst_ni,
    .reg_req_i    (reg_req[BlockTimer]),
    .reg_rsp_o    (reg_rsp[BlockTimer]),
    .irq_o        (block_irq[BlockTimer]),
    .clk_req_o    (timer_clk_req),
    .mtime_i      (mtime_q),
    .timer_due_o,
    .timer_armed_o
  );

  irq_ctrl u_irq_ctrl (
    .clk_i(regs_clk_i),
    .rst_ni,
    .reg_req_i        (reg_req[BlockIrqCtrl]),
    .reg_rsp_o        (reg_rsp[BlockIrqCtrl]),
    .irq_o            (core_irq),
    .clk_req_o        (irq_ctrl_clk_req),
    .irq_scsi_target_i(block_irq[BlockScsiTarget]),
    .irq_buffer_mgr_i (block_irq[BlockBufferMgr]),
    .irq_formatter_i  (block_irq[BlockFormatter]),
    .irq_servo_i      (block_irq[BlockServo]),
    .irq_timer_i      (block_irq[BlockTimer])
  );
  assign block_irq[BlockIrqCtrl] = core_irq;

  trace_port u_trace_port (
    .clk_i(regs_clk_i),
    .rst_ni,
    .reg_req_i  (reg_req[BlockTracePort]),
    .reg_rsp_o  (reg_rsp[BlockTracePort]),
    .irq_o      (block_irq[BlockTracePort]),
    .clk_req_o  (trace_port_clk_req),
    .event_o
  );

  testdev u_testdev (
    .clk_i(regs_clk_i),
    .rst_ni,
    .reg_req_i  (reg_req[BlockTestdev]),
    .reg_rsp_o  (reg_rsp[BlockTestdev]),
    .irq_o      (block_irq[BlockTestdev]),
    .clk_req_o  (testdev_clk_req),
    .console_o,
    .exit_o
  );

  // --- The data path: bus, buffer, media ---

  stream_pkg::bytes_to_buffer_t   host_to_buffer;
  stream_pkg::bytes_from_buffer_t host_from_buffer;
  stream_pkg::disk_to_buffer_t    disk_to_buffer;
  stream_pkg::disk_from_buffer_t  disk_from_buffer;

  scsi_target u_scsi_target (
    .clk_i          (scsi_clk_i),
    .reg_clk_i      (regs_clk_i),
    .rst_ni,
    .reg_req_i      (reg_req[BlockScsiTarget]),
    .reg_rsp_o      (reg_rsp[BlockScsiTarget]),
    .irq_o          (block_irq[BlockScsiTarget]),
    .clk_req_o      (scsi_clk_req_o),
    .reg_clk_req_o  (scsi_reg_clk_req),
    .pins_i         (pins_q),
    .pins_o         (scsi_o),
    .host_o         (host_to_buffer),
    .host_i         (host_from_buffer)
  );

  buffer_mgr #(.RamBytes(BufferBytes)) u_buffer_mgr (
    .clk_i            (buffer_clk_i),
    .reg_clk_i        (regs_clk_i),
    .rst_ni,
    .reg_req_i        (reg_req[BlockBufferMgr]),
    .reg_rsp_o        (reg_rsp[BlockBufferMgr]),
    .irq_o            (block_irq[BlockBufferMgr]),
    .clk_req_o        (buffer_clk_req_o),
    .reg_clk_req_o    (buffer_reg_clk_req),
    .host_i           (host_to_buffer),
    .host_o           (host_from_buffer),
    .disk_i           (disk_to_buffer),
    .disk_o           (disk_from_buffer),
    .core_req_i       (core_req),
    .core_we_i        (core_we),
    .core_addr_i      (core_addr[$clog2(BufferBytes)-1:0]),
    .core_be_i        (core_be),
    .core_wdata_i     (core_wdata),
    .core_rvalid_o    (core_rvalid),
    .core_rdata_o     (core_rdata)
  );

  channel_pkg::channel_in_t  channel_q;
  channel_pkg::channel_out_t formatter_channel;
  servo_link_pkg::heads_t    heads;
  logic                      servo_index_listen, follow;

  assign channel_q = '{
    sector_pulse: pulses_q.sector_pulse,
    index_pulse:  index_pulse_q,
    byte_strobe:  pulses_q.byte_strobe,
    nrz:          nrz_q,
    write_fault:  levels_q.write_fault
  };
  assign channel_o = '{
    read_gate:     formatter_channel.read_gate,
    write_gate:    formatter_channel.write_gate,
    nrz:           formatter_channel.nrz,
    sector_listen: formatter_channel.sector_listen,
    index_listen:  formatter_channel.index_listen | servo_index_listen
  };

  formatter u_formatter (
    .clk_i            (formatter_clk_i),
    .reg_clk_i        (regs_clk_i),
    .rst_ni,
    .reg_req_i        (reg_req[BlockFormatter]),
    .reg_rsp_o        (reg_rsp[BlockFormatter]),
    .irq_o            (block_irq[BlockFormatter]),
    .clk_req_o        (formatter_clk_req_o),
    .reg_clk_req_o    (formatter_reg_clk_req),
    .disk_o           (disk_to_buffer),
    .disk_i           (disk_from_buffer),
    .channel_i        (channel_q),
    .channel_o        (formatter_channel),
    .heads_i          (heads),
    .follow_o         (follow)
  );

  // --- Heads and spindle ---

  servo u_servo (
    .clk_i(regs_clk_i),
    .rst_ni,
    .reg_req_i      (reg_req[BlockServo]),
    .reg_rsp_o      (reg_rsp[BlockServo]),
    .irq_o          (block_irq[BlockServo]),
    .clk_req_o      (servo_clk_req),
    .mtime_i        (mtime_q),
    .index_pulse_i  (index_pulse_q),
    .index_listen_o (servo_index_listen),
    .hda_i          (levels_q.hda),
    .hda_o,
    .heads_o        (heads),
    .follow_i       (follow)
  );

  // --- Clock requests ---

  // After reset the core reports that it sleeps, until its first clock edge.
  logic started_q;
  always_ff @(posedge core_clk_i or negedge rst_ni) begin
    if (!rst_ni) started_q <= 1'b0;
    else         started_q <= 1'b1;
  end
  assign core_clk_req_o = !started_q | !core_sleep_o;

  // The next edge acts on the inputs just sampled, and ends pulses.
  assign regs_clk_req_o = (levels_q != levels_before_q) | index_pulse_q | bridge_clk_req
                          | timer_clk_req | irq_ctrl_clk_req | trace_port_clk_req
                          | testdev_clk_req | servo_clk_req | scsi_reg_clk_req
                          | buffer_reg_clk_req | formatter_reg_clk_req;

  // channel_i.nrz matters only with its strobe.
  assign media_clk_req_o = pulses_q != '0;

  // Interrupt lines of blocks without interrupts, or without an input at the controller.
  logic unused_irq;
  assign unused_irq = ^{block_irq[BlockIrqCtrl], block_irq[BlockTracePort],
                        block_irq[BlockTestdev]};

  // A memory smaller than its window does not use all address bits.
  logic unused_addr;
  assign unused_addr = ^{ram_instr_addr, ram_data_addr, core_addr};

`ifndef SYNTHESIS
  always_ff @(posedge formatter_clk_i) begin
    if (rst_ni) a_one_gate : assert (!(channel_o.read_gate & channel_o.write_gate));
  end
  // A sleeping core has no access under way that a clock edge would complete.
  always_ff @(posedge core_clk_i) begin
    if (rst_ni) begin
      a_asleep_is_quiet : assert (!core_sleep_o
          | !(data_req | data_rvalid | instr_req | instr_rvalid));
    end
  end
`endif

endmodule
