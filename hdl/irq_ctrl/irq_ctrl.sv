// Interrupt controller: the levels of all blocks in, one level to the core.
// Timing: combinational; a source stays pending until its own block is acknowledged.
module irq_ctrl (
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

  input  logic        irq_scsi_target_i,
  input  logic        irq_buffer_mgr_i,
  input  logic        irq_formatter_i,
  input  logic        irq_servo_i,
  input  logic        irq_timer_i
);

  import irq_ctrl_regs_pkg::*;

  irq_ctrl__in_t  hwif_in;
  irq_ctrl__out_t hwif_out;

  assign hwif_in.PENDING.scsi_target.next = irq_scsi_target_i;
  assign hwif_in.PENDING.buffer_mgr.next  = irq_buffer_mgr_i;
  assign hwif_in.PENDING.formatter.next   = irq_formatter_i;
  assign hwif_in.PENDING.servo.next       = irq_servo_i;
  assign hwif_in.PENDING.timer.next       = irq_timer_i;

  assign irq_o = (irq_scsi_target_i & hwif_out.ENABLE.scsi_target.value)
               | (irq_buffer_mgr_i  & hwif_out.ENABLE.buffer_mgr.value)
               | (irq_formatter_i   & hwif_out.ENABLE.formatter.value)
               | (irq_servo_i       & hwif_out.ENABLE.servo.value)
               | (irq_timer_i       & hwif_out.ENABLE.timer.value);

  // Nothing here moves by itself; the core asks for the clock when irq_o wakes it.
  assign clk_req_o = 1'b0;

  localparam int unsigned AddrWidth = IRQ_CTRL_REGS_MIN_ADDR_WIDTH;
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

  irq_ctrl_regs u_regs (
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
