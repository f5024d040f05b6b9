// Test device: the console, the exit and the platform's number.
// Timing: a store shows at the ports for one cycle, one cycle after it.
module testdev (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        reg_req_i,
  input  logic        reg_we_i,
  input  logic [11:0] reg_addr_i,
  input  logic [31:0] reg_wdata_i,
  input  logic [3:0]  reg_be_i,
  output logic [31:0] reg_rdata_o,
  output logic        reg_err_o,
  output logic        irq_o,
  output logic        clk_req_o,

  output logic        console_valid_o,
  output logic [7:0]  console_character_o,
  output logic        exit_valid_o,
  output logic [31:0] exit_code_o
);

  import testdev_regs_pkg::*;

  // PLATFORM.platform_e::rtl of testdev.rdl.
  localparam logic [7:0] PlatformRtl = 8'd1;

  testdev__in_t  hwif_in;
  testdev__out_t hwif_out;

  assign hwif_in.PLATFORM.platform.next = PlatformRtl;

  // The register block stores at the edge at which swmod stands, so the value is there with valid.
  logic console_valid_q;
  logic exit_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      console_valid_q <= 1'b0;
      exit_valid_q    <= 1'b0;
    end else begin
      console_valid_q <= hwif_out.CONSOLE.character.swmod;
      exit_valid_q    <= hwif_out.EXIT.code.swmod;
    end
  end

  assign console_valid_o     = console_valid_q;
  assign console_character_o = hwif_out.CONSOLE.character.value;
  assign exit_valid_o        = exit_valid_q;
  assign exit_code_o         = hwif_out.EXIT.code.value;
  assign irq_o               = 1'b0;
  // Valid falls again one edge after it rose.
  assign clk_req_o           = console_valid_q | exit_valid_q;

  localparam int unsigned AddrWidth = TESTDEV_REGS_MIN_ADDR_WIDTH;
  logic                 cpuif_req;
  logic                 cpuif_req_is_wr;
  logic [AddrWidth-1:0] cpuif_addr;
  logic [31:0]          cpuif_wr_data;
  logic [31:0]          cpuif_wr_biten;
  logic                 cpuif_req_stall_wr;
  logic                 cpuif_req_stall_rd;
  logic                 cpuif_rd_ack;
  logic                 cpuif_rd_err;
  logic [31:0]          cpuif_rd_data;
  logic                 cpuif_wr_ack;
  logic                 cpuif_wr_err;

  reg_adapter #(.AddrWidth(AddrWidth)) u_reg_adapter (
    .reg_req_i,
    .reg_we_i,
    .reg_addr_i,
    .reg_wdata_i,
    .reg_be_i,
    .reg_rdata_o,
    .reg_err_o,
    .cpuif_req_o         (cpuif_req),
    .cpuif_req_is_wr_o   (cpuif_req_is_wr),
    .cpuif_addr_o        (cpuif_addr),
    .cpuif_wr_data_o     (cpuif_wr_data),
    .cpuif_wr_biten_o    (cpuif_wr_biten),
    .cpuif_req_stall_wr_i(cpuif_req_stall_wr),
    .cpuif_req_stall_rd_i(cpuif_req_stall_rd),
    .cpuif_rd_ack_i      (cpuif_rd_ack),
    .cpuif_rd_err_i      (cpuif_rd_err),
    .cpuif_rd_data_i     (cpuif_rd_data),
    .cpuif_wr_ack_i      (cpuif_wr_ack),
    .cpuif_wr_err_i      (cpuif_wr_err)
  );

  testdev_regs u_regs (
    .clk                 (clk_i),
    .arst_n              (rst_ni),
    .s_cpuif_req         (cpuif_req),
    .s_cpuif_req_is_wr   (cpuif_req_is_wr),
    .s_cpuif_addr        (cpuif_addr),
    .s_cpuif_wr_data     (cpuif_wr_data),
    .s_cpuif_wr_biten    (cpuif_wr_biten),
    .s_cpuif_req_stall_wr(cpuif_req_stall_wr),
    .s_cpuif_req_stall_rd(cpuif_req_stall_rd),
    .s_cpuif_rd_ack      (cpuif_rd_ack),
    .s_cpuif_rd_err      (cpuif_rd_err),
    .s_cpuif_rd_data     (cpuif_rd_data),
    .s_cpuif_wr_ack      (cpuif_wr_ack),
    .s_cpuif_wr_err      (cpuif_wr_err),
    .hwif_in,
    .hwif_out
  );

endmodule
