// SPDX-License-Identifier: Apache-2.0
// The SoC as a chip: one clock, a time base counted inside, and pins for the bus and the disk
// assembly.
//
// It is made only for synthesis (hdl/README.md, "Synthesis"); the simulators drive soc_top. Each
// bus signal has one pin for input and one for output. Transceivers connect them to the cable.
// Firmware RAM starts undefined: a board would load it.
module drive_chip #(
  parameter int unsigned RamBytes    = 1 << 16,
  parameter int unsigned BufferBytes = 1 << 17
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  scsi_pkg::pins_t           scsi_i,
  output scsi_pkg::pins_t           scsi_o,
  input  channel_pkg::channel_in_t  channel_i,
  output channel_pkg::channel_out_t channel_o,
  input  hda_pkg::hda_in_t          hda_i,
  output hda_pkg::hda_out_t         hda_o,
  output message_pkg::event_t       event_o,
  output message_pkg::console_t     console_o
);

  // Number of the next clock edge.
  logic [63:0] mtime_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mtime_q <= '0;
    else         mtime_q <= mtime_q + 64'd1;
  end

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
    .scsi_i,
    .scsi_o,
    .channel_i,
    .channel_o,
    .hda_i,
    .hda_o,
    .event_o,
    .console_o,
    .exit_o             (),
    .core_clk_req_o     (),
    .regs_clk_req_o     (),
    .media_clk_req_o    (),
    .scsi_clk_req_o     (),
    .buffer_clk_req_o   (),
    .formatter_clk_req_o(),
    .core_sleep_o       ()
  );
  // verilator lint_on PINCONNECTEMPTY

endmodule
