// SPDX-License-Identifier: Apache-2.0
// Register side of the formatter: converts between the generated registers and plain structs.
//
// Timing: command_valid_o is high for one cycle, the cycle after the write of a command. Every
// other write reaches the outputs in the next cycle.
// Errors: offsets that do not exist answer with reg_rsp_o.err.
module formatter_reg_top
  import formatter_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
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

  formatter_regs u_regs (
    .clk   (clk_i),
    .arst_n(rst_ni),
    .reg_req_i,
    .reg_rsp_o,
    .hwif_in,
    .hwif_out
  );

  // The register holds the value of COMMAND in the cycle after its write.
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

  // A command is valid for one cycle, and needs a clock edge to fall.
  assign clk_req_o = reg_req_i.valid || command_valid_q || event_done_i || event_error_i ||
                     event_sector_i || event_chained_i;

endmodule
