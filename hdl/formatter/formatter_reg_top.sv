// Register side of the formatter: generated registers on one face, plain structs on the other.
//
// Timing: a command shows at command_valid_o, for one cycle, in the cycle after its write; every
// other write shows in the next cycle.
// Errors: offsets that do not exist answer with reg_err_o.
module formatter_reg_top
  import formatter_pkg::*;
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
  output logic        clk_req_o,

  output logic    command_valid_o,
  output op_e     command_op_o,
  output job_t    job_o,
  input  status_t status_i,
  input  logic    event_done_i,
  input  logic    event_error_i,
  input  logic    event_sector_i,
  input  logic    event_chained_i
);

  formatter_regs_pkg::formatter__in_t  hwif_in;
  formatter_regs_pkg::formatter__out_t hwif_out;

  localparam int unsigned RegAddrWidth = formatter_regs_pkg::FORMATTER_REGS_MIN_ADDR_WIDTH;
  logic                    cpuif_req;
  logic                    cpuif_req_is_wr;
  logic [RegAddrWidth-1:0] cpuif_addr;
  logic [31:0]             cpuif_wr_data;
  logic [31:0]             cpuif_wr_biten;
  logic                    cpuif_req_stall_wr;
  logic                    cpuif_req_stall_rd;
  logic                    cpuif_rd_ack;
  logic                    cpuif_rd_err;
  logic [31:0]             cpuif_rd_data;
  logic                    cpuif_wr_ack;
  logic                    cpuif_wr_err;

  reg_adapter #(.AddrWidth(RegAddrWidth)) u_reg_adapter (
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

  formatter_regs u_regs (
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

  // The value of COMMAND is there in the cycle after its write.
  logic command_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) command_valid_q <= 1'b0;
    else         command_valid_q <= hwif_out.COMMAND.op.swmod;
  end
  assign command_valid_o = command_valid_q;
  assign command_op_o    = op_e'(hwif_out.COMMAND.op.value);

  assign job_o.first = '{
    track:  '{cylinder: hwif_out.TRACK.cylinder.value, head: hwif_out.TRACK.head.value},
    sector: hwif_out.START.sector.value,
    count:  hwif_out.START.count.value
  };
  assign job_o.next = '{
    track:  '{cylinder: hwif_out.NEXT_TRACK.cylinder.value, head: hwif_out.NEXT_TRACK.head.value},
    sector: hwif_out.NEXT_START.sector.value,
    count:  hwif_out.NEXT_START.count.value
  };
  assign job_o.preamble    = hwif_out.FORMAT.preamble.value;
  assign job_o.data        = hwif_out.FORMAT.data.value;
  assign job_o.revolutions = hwif_out.LIMIT.revolutions.value;

  assign hwif_in.STATUS.busy.next           = status_i.busy;
  assign hwif_in.STATUS.header_valid.next   = status_i.header_valid;
  assign hwif_in.STATUS.sector.next         = status_i.header_sector;
  assign hwif_in.PROGRESS.done.next         = status_i.done;
  assign hwif_in.PROGRESS.index_pulses.next = status_i.index_pulses;
  assign hwif_in.PROGRESS.runs.next         = status_i.runs;
  assign hwif_in.ERROR.not_found.next       = status_i.error.not_found;
  assign hwif_in.ERROR.check.next           = status_i.error.check;
  assign hwif_in.ERROR.overrun.next         = status_i.error.overrun;
  assign hwif_in.ERROR.underrun.next        = status_i.error.underrun;
  assign hwif_in.ERROR.header.next          = status_i.error.header;
  assign hwif_in.ERROR.off_track.next       = status_i.error.off_track;
  assign hwif_in.ERROR.write_fault.next     = status_i.error.write_fault;
  assign hwif_in.ERROR.other_track.next     = status_i.error.other_track;
  assign hwif_in.ERROR.no_sync.next         = status_i.error.no_sync;
  assign hwif_in.ERROR.sector.next          = status_i.error_sector;

  assign hwif_in.INTR_STATE.done.hwset    = event_done_i;
  assign hwif_in.INTR_STATE.error.hwset   = event_error_i;
  assign hwif_in.INTR_STATE.sector.hwset  = event_sector_i;
  assign hwif_in.INTR_STATE.chained.hwset = event_chained_i;

  assign irq_o = |({hwif_out.INTR_STATE.chained.value, hwif_out.INTR_STATE.sector.value,
                    hwif_out.INTR_STATE.error.value, hwif_out.INTR_STATE.done.value} & hwif_out.INTR_ENABLE.mask.value);

  // A command stands for one cycle and has to fall again.
  assign clk_req_o = reg_req_i || command_valid_q || event_done_i || event_error_i ||
                     event_sector_i || event_chained_i;

endmodule
