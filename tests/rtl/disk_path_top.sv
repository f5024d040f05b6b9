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

  input  stream_pkg::bytes_to_buffer_t   host_i,
  output stream_pkg::bytes_from_buffer_t host_o,

  input  logic        core_req_i,

  input  channel_pkg::channel_in_t  channel_i,
  output channel_pkg::channel_out_t channel_o,
  input  servo_link_pkg::heads_t    heads_i,
  output logic                      follow_o
);

  stream_pkg::disk_to_buffer_t   to_buffer;
  stream_pkg::disk_from_buffer_t from_buffer;

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
    .host_i,
    .host_o,
    .disk_i            (to_buffer),
    .disk_o            (from_buffer),
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
    .disk_o            (to_buffer),
    .disk_i            (from_buffer),
    .channel_i,
    .channel_o,
    .heads_i,
    .follow_o
  );

endmodule
