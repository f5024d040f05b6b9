// Registers of the servo: flattens the generated block, and turns a write to COMMAND into one cycle
// with its operation.
// Timing: command_valid_o follows the write by one cycle; irq_o follows an event by one cycle.
// Errors: reg_err_o for an offset that does not exist.
module servo_reg_top
  import servo_pkg::*;
(
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

  output logic        command_valid_o,
  output op_e         command_op_o,
  output track_t      target_o,
  output logic        index_capture_o,

  input  status_t     status_i,
  input  track_t      position_i,
  input  logic [63:0] index_time_i,
  input  logic [31:0] index_count_i,
  input  events_t     events_i
);

  import servo_regs_pkg::*;

  localparam int unsigned AddrWidth = SERVO_REGS_MIN_ADDR_WIDTH;

  servo__in_t           hwif_in;
  servo__out_t          hwif_out;
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
  events_t              pending;
  logic                 command_valid_q;

  // The generated block stores the operation with the write: it is there one cycle after.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) command_valid_q <= 1'b0;
    else         command_valid_q <= hwif_out.COMMAND.op.swmod;
  end
  assign command_valid_o = command_valid_q;
  assign command_op_o    = op_e'(hwif_out.COMMAND.op.value);

  assign target_o = '{head: hwif_out.TARGET.head.value, cylinder: hwif_out.TARGET.cylinder.value};
  assign index_capture_o = hwif_out.INDEX_CAPTURE.enable.value;

  assign hwif_in.STATUS.on_track.next     = status_i.on_track;
  assign hwif_in.STATUS.write_ready.next  = status_i.write_ready;
  assign hwif_in.STATUS.seeking.next      = status_i.seeking;
  assign hwif_in.STATUS.at_speed.next     = status_i.at_speed;
  assign hwif_in.POSITION.cylinder.next   = position_i.cylinder;
  assign hwif_in.POSITION.head.next       = position_i.head;
  assign hwif_in.INDEX_TIME_LO.value.next = index_time_i[31:0];
  assign hwif_in.INDEX_TIME_HI.value.next = index_time_i[63:32];
  assign hwif_in.INDEX_COUNT.value.next   = index_count_i;

  assign hwif_in.INTR_STATE.on_track.hwset    = events_i.on_track;
  assign hwif_in.INTR_STATE.write_ready.hwset = events_i.write_ready;
  assign hwif_in.INTR_STATE.at_speed.hwset    = events_i.at_speed;
  assign hwif_in.INTR_STATE.at_rest.hwset     = events_i.at_rest;
  assign hwif_in.INTR_STATE.index.hwset       = events_i.index;
  assign hwif_in.INTR_STATE.seek_error.hwset  = events_i.seek_error;
  assign hwif_in.INTR_STATE.speed_lost.hwset  = events_i.speed_lost;

  assign pending = '{
    speed_lost:  hwif_out.INTR_STATE.speed_lost.value,
    seek_error:  hwif_out.INTR_STATE.seek_error.value,
    index:       hwif_out.INTR_STATE.index.value,
    at_rest:     hwif_out.INTR_STATE.at_rest.value,
    at_speed:    hwif_out.INTR_STATE.at_speed.value,
    write_ready: hwif_out.INTR_STATE.write_ready.value,
    on_track:    hwif_out.INTR_STATE.on_track.value
  };
  assign irq_o = (pending & hwif_out.INTR_ENABLE.mask.value) != '0;

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

  servo_regs u_regs (
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
