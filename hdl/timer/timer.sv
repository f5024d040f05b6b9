// Wake-up timer: compares the time base, which lives outside the gated clock, with one due time.
// Timing: mtime_i is the number of the clock edge that sampled it; the interrupt stands from the
//         edge with number COMPARE on, also when COMPARE was already past when it was written.
// The time base may stand still while the clock does, as long as it is right again at the first
// edge after: timer_due_o and timer_armed_o tell the outside when that must be at the latest.
module timer (
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

  input  logic [63:0] mtime_i,
  output logic [63:0] timer_due_o,
  output logic        timer_armed_o
);

  import timer_regs_pkg::*;

  timer__in_t  hwif_in;
  timer__out_t hwif_out;
  logic        expired;

  assign timer_due_o   = {hwif_out.COMPARE_HI.value.value, hwif_out.COMPARE_LO.value.value};
  assign expired       = hwif_out.CTRL.enable.value & (mtime_i >= timer_due_o);
  assign timer_armed_o = hwif_out.CTRL.enable.value & !expired;
  assign irq_o         = expired;
  // What waits for the timer is woken by the outside.
  assign clk_req_o     = 1'b0;

  assign hwif_in.TIME_LO.value.next  = mtime_i[31:0];
  assign hwif_in.TIME_HI.value.next  = mtime_i[63:32];
  assign hwif_in.STATUS.expired.next = expired;

  localparam int unsigned AddrWidth = TIMER_REGS_MIN_ADDR_WIDTH;
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

  timer_regs u_regs (
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
