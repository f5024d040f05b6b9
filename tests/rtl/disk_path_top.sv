// SPDX-License-Identifier: Apache-2.0
// Test top: formatter and buffer manager joined at the disk port, as in the SoC.
//
// Timing and errors are those of the blocks. reg_select_i chooses the block of a register access: 0
// buffer_mgr, 1 formatter.
module disk_path_top (
  input  logic        clk_i,
  input  logic        reg_clk_i,
  // `disable iff` samples the asynchronous reset at the clock, in assertions only.
  // verilator lint_off SYNCASYNCNET
  input  logic        rst_ni,
  // verilator lint_on SYNCASYNCNET

  input  logic        reg_select_i,
  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        clk_req_o,
  output logic        reg_clk_req_o,
  output logic        formatter_irq_o,
  output logic        buffer_irq_o,

  output logic        host_rd_valid_o,
  input  logic        host_rd_ready_i,
  output logic [7:0]  host_rd_data_o,
  input  logic        host_wr_valid_i,
  output logic        host_wr_ready_o,
  input  logic [7:0]  host_wr_data_i,

  input  logic        core_req_i,

  input  logic        sector_pulse_i,
  input  logic        index_pulse_i,
  input  logic        byte_strobe_i,
  input  logic [7:0]  nrz_i,
  output logic        read_gate_o,
  output logic        write_gate_o,
  output logic [7:0]  nrz_o,
  input  logic        write_fault_i,
  output logic        sector_listen_o,
  output logic        index_listen_o,
  input  logic        on_track_i,
  input  logic        write_ready_i,
  input  logic        seeking_i,
  output logic        seek_o
);

  logic       wr_valid, wr_ready, wr_commit, wr_drop, rd_valid, rd_ready, can_accept, has_sector;
  logic [7:0] wr_data, rd_data;

  reg_pkg::reg_req_t buffer_reg_req, formatter_reg_req;
  reg_pkg::reg_rsp_t buffer_reg_rsp, formatter_reg_rsp;
  logic        buffer_clk_req, formatter_clk_req, buffer_reg_clk_req, formatter_reg_clk_req;

  always_comb begin
    buffer_reg_req          = reg_req_i;
    buffer_reg_req.valid    = reg_req_i.valid && !reg_select_i;
    formatter_reg_req       = reg_req_i;
    formatter_reg_req.valid = reg_req_i.valid && reg_select_i;
  end
  assign reg_rsp_o   = reg_select_i ? formatter_reg_rsp : buffer_reg_rsp;
  assign clk_req_o   = buffer_clk_req || formatter_clk_req;
  assign reg_clk_req_o = buffer_reg_clk_req || formatter_reg_clk_req;

  // The core only reads here, as a load on the RAM.
  logic        unused_core_rvalid;
  logic [31:0] unused_core_rdata;

  buffer_mgr u_buffer_mgr (
    .clk_i,
    .reg_clk_i,
    .rst_ni,
    .reg_req_i         (buffer_reg_req),
    .reg_rsp_o         (buffer_reg_rsp),
    .irq_o             (buffer_irq_o),
    .clk_req_o         (buffer_clk_req),
    .reg_clk_req_o     (buffer_reg_clk_req),
    .host_rd_valid_o,
    .host_rd_ready_i,
    .host_rd_data_o,
    .host_wr_valid_i,
    .host_wr_ready_o,
    .host_wr_data_i,
    .disk_wr_valid_i   (wr_valid),
    .disk_wr_ready_o   (wr_ready),
    .disk_wr_data_i    (wr_data),
    .disk_wr_commit_i  (wr_commit),
    .disk_wr_drop_i    (wr_drop),
    .disk_rd_valid_o   (rd_valid),
    .disk_rd_ready_i   (rd_ready),
    .disk_rd_data_o    (rd_data),
    .disk_can_accept_o (can_accept),
    .disk_has_sector_o (has_sector),
    .core_req_i,
    .core_we_i         (1'b0),
    .core_addr_i       ('0),
    .core_be_i         ('1),
    .core_wdata_i      ('0),
    .core_rvalid_o     (unused_core_rvalid),
    .core_rdata_o      (unused_core_rdata)
  );

  formatter u_formatter (
    .clk_i,
    .reg_clk_i,
    .rst_ni,
    .reg_req_i         (formatter_reg_req),
    .reg_rsp_o         (formatter_reg_rsp),
    .irq_o             (formatter_irq_o),
    .clk_req_o         (formatter_clk_req),
    .reg_clk_req_o     (formatter_reg_clk_req),
    .disk_wr_valid_o   (wr_valid),
    .disk_wr_ready_i   (wr_ready),
    .disk_wr_data_o    (wr_data),
    .disk_wr_commit_o  (wr_commit),
    .disk_wr_drop_o    (wr_drop),
    .disk_rd_valid_i   (rd_valid),
    .disk_rd_ready_o   (rd_ready),
    .disk_rd_data_i    (rd_data),
    .disk_can_accept_i (can_accept),
    .disk_has_sector_i (has_sector),
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
