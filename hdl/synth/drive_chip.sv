// SPDX-License-Identifier: Apache-2.0
// The SoC as a chip: one clock, a time base counted inside, and pins for the bus and the disk
// assembly.
//
// It is made for synthesis alone (hdl/README.md, "Synthesis"); the simulators drive soc_top. Each
// bus signal has one pin for what the target reads and one for what it drives. Transceivers connect
// them to the cable. Firmware RAM starts undefined: a board would load it.
module drive_chip #(
  parameter int unsigned RamBytes    = 1 << 16,
  parameter int unsigned BufferBytes = 1 << 17
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [15:0] db_i,
  input  logic [1:0]  dp_i,
  input  logic        bsy_i,
  input  logic        sel_i,
  input  logic        io_i,
  input  logic        ack_i,
  input  logic        atn_i,
  input  logic        rst_i,
  output logic [15:0] db_o,
  output logic [1:0]  dp_o,
  output logic        bsy_o,
  output logic        sel_o,
  output logic        cd_o,
  output logic        io_o,
  output logic        msg_o,
  output logic        req_o,

  input  logic        sector_pulse_i,
  input  logic        index_pulse_i,
  input  logic        byte_strobe_i,
  input  logic [7:0]  nrz_i,
  output logic        read_gate_o,
  output logic        write_gate_o,
  output logic [7:0]  nrz_o,
  input  logic        write_fault_i,

  output logic        seek_req_o,
  output logic [22:0] seek_cylinder_o,
  output logic [7:0]  seek_head_o,
  output logic        seek_for_write_o,
  output logic        recalibrate_o,
  input  logic        read_ready_i,
  input  logic        write_ready_i,
  output logic        spin_up_o,
  output logic        spin_down_o,
  input  logic        at_speed_i,
  input  logic        at_rest_i,

  output logic        console_valid_o,
  output logic [7:0]  console_character_o,
  output logic        event_valid_o,
  output logic [5:0]  event_number_o,
  output logic [31:0] event_argument_o
);

  // Number of the next clock edge.
  logic [63:0] mtime_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mtime_q <= '0;
    else         mtime_q <= mtime_q + 64'd1;
  end

  scsi_pkg::pins_t pins_in, pins_out;
  assign pins_in = '{db: db_i, dp: dp_i, bsy: bsy_i, sel: sel_i, io: io_i, ack: ack_i, atn: atn_i,
                     rst: rst_i, default: '0};
  assign db_o  = pins_out.db;
  assign dp_o  = pins_out.dp;
  assign bsy_o = pins_out.bsy;
  assign sel_o = pins_out.sel;
  assign cd_o  = pins_out.cd;
  assign io_o  = pins_out.io;
  assign msg_o = pins_out.msg;
  assign req_o = pins_out.req;

  // Clock requests, wake-up signals and the exit code are for simulators.
  // verilator lint_off PINCONNECTEMPTY
  soc_top #(
    .RamBytes   (RamBytes),
    .BufferBytes(BufferBytes)
  ) u_soc (
    .core_clk_i         (clk_i),
    .regs_clk_i         (clk_i),
    .pins_clk_i         (clk_i),
    .media_clk_i        (clk_i),
    .scsi_clk_i         (clk_i),
    .buffer_clk_i       (clk_i),
    .formatter_clk_i    (clk_i),
    .rst_ni,
    .mtime_i            (mtime_q),
    .timer_due_o        (),
    .timer_armed_o      (),
    .scsi_i             (pins_in),
    .scsi_o             (pins_out),
    .sector_pulse_i,
    .index_pulse_i,
    .index_listen_o     (),
    .sector_listen_o    (),
    .byte_strobe_i,
    .nrz_i,
    .read_gate_o,
    .write_gate_o,
    .nrz_o,
    .write_fault_i,
    .seek_req_o,
    .seek_cylinder_o,
    .seek_head_o,
    .seek_for_write_o,
    .recalibrate_o,
    .read_ready_i,
    .write_ready_i,
    .spin_up_o,
    .spin_down_o,
    .at_speed_i,
    .at_rest_i,
    .event_valid_o,
    .event_number_o,
    .event_argument_o,
    .console_valid_o,
    .console_character_o,
    .exit_valid_o       (),
    .exit_code_o        (),
    .core_clk_req_o     (),
    .regs_clk_req_o     (),
    .media_clk_req_o    (),
    .scsi_clk_req_o     (),
    .buffer_clk_req_o   (),
    .formatter_clk_req_o(),
    .core_sleep_o       ()
  );
  // verilator lint_on PINCONNECTEMPTY

  // Signals that only an initiator reads.
  logic unused_pins;
  assign unused_pins = ^{pins_out.ack, pins_out.atn, pins_out.rst};

endmodule
