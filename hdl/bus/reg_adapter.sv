// Joins a block's register port to the passthrough interface of its generated register block.
// Timing: combinational; an access takes one cycle, and the register block may never stall.
// Errors: reg_err_o for an offset past the generated block, and whatever the block itself refuses
//         (PeakRDL makes it refuse offsets without a register).
module reg_adapter #(
  // Address bits of the generated block: NAME_regs_pkg::NAME_REGS_MIN_ADDR_WIDTH.
  parameter int unsigned AddrWidth = 12
) (
  // The block's side.
  input  logic                 reg_req_i,
  input  logic                 reg_we_i,
  input  logic [11:0]          reg_addr_i,
  input  logic [31:0]          reg_wdata_i,
  input  logic [3:0]           reg_be_i,
  output logic [31:0]          reg_rdata_o,
  output logic                 reg_err_o,

  // The generated block's side, its s_cpuif_* ports.
  output logic                 cpuif_req_o,
  output logic                 cpuif_req_is_wr_o,
  output logic [AddrWidth-1:0] cpuif_addr_o,
  output logic [31:0]          cpuif_wr_data_o,
  output logic [31:0]          cpuif_wr_biten_o,
  input  logic                 cpuif_req_stall_wr_i,
  input  logic                 cpuif_req_stall_rd_i,
  input  logic                 cpuif_rd_ack_i,
  input  logic                 cpuif_rd_err_i,
  input  logic [31:0]          cpuif_rd_data_i,
  input  logic                 cpuif_wr_ack_i,
  input  logic                 cpuif_wr_err_i
);

  logic in_range;
  if (AddrWidth < 12) begin : g_range
    assign in_range = reg_addr_i[11:AddrWidth] == '0;
  end else begin : g_whole_page
    assign in_range = 1'b1;
  end

  assign cpuif_req_o       = reg_req_i & in_range;
  assign cpuif_req_is_wr_o = reg_we_i;
  assign cpuif_addr_o      = reg_addr_i[AddrWidth-1:0];
  assign cpuif_wr_data_o   = reg_wdata_i;

  for (genvar i = 0; i < 4; i++) begin : g_biten
    assign cpuif_wr_biten_o[8*i +: 8] = {8{reg_be_i[i]}};
  end

  assign reg_rdata_o = cpuif_rd_data_i;
  assign reg_err_o   = reg_req_i & (!in_range | (reg_we_i ? cpuif_wr_err_i : cpuif_rd_err_i));

  // Only the assertions look at these: a register block without external registers answers at once.
  logic unused_handshake;
  assign unused_handshake = ^{cpuif_req_stall_wr_i, cpuif_req_stall_rd_i, cpuif_rd_ack_i,
                              cpuif_wr_ack_i};

`ifndef SYNTHESIS
  always_comb begin
    a_no_stall : assert (!(cpuif_req_stall_wr_i | cpuif_req_stall_rd_i));
    a_answered : assert (!cpuif_req_o | (reg_we_i ? cpuif_wr_ack_i : cpuif_rd_ack_i));
  end
`endif

endmodule
