// SPDX-License-Identifier: Apache-2.0
// Register side of the buffer manager: converts between the generated registers and plain structs.
//
// Timing: a write reaches the outputs in the next cycle; order_o is valid for one cycle.
// Errors: offsets that do not exist answer with reg_rsp_o.err.
module buffer_mgr_reg_top
  import buffer_mgr_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,

  output logic [13:0]     sector_words_o,
  output channel_config_t host_o,
  output channel_config_t disk_o,
  output logic            host_changed_o,  // segment or direction differs from the last cycle's
  output logic            disk_changed_o,
  output logic            host_waits_o,    // both channels feed, or both drain, one ring
  output logic [15:0]     disk_notice_o,
  output segment_config_t host_segment_o,  // configuration of HOST.segment
  output segment_config_t disk_segment_o,  // configuration of DISK.segment
  output order_t          order_o,
  // The segment that the registers access, and the level of its ring.
  output logic [SegmentWidth-1:0] segment_o,
  input  logic [SectorWidth-1:0]  level_i,
  input  logic            host_finish_i,
  input  logic            disk_event_i
);

  buffer_mgr_regs_pkg::buffer_mgr__in_t  hwif_in;
  buffer_mgr_regs_pkg::buffer_mgr__out_t hwif_out;

  buffer_mgr_regs u_regs (
    .clk   (clk_i),
    .arst_n(rst_ni),
    .reg_req_i,
    .reg_rsp_o,
    .hwif_in,
    .hwif_out
  );

  // The number is a multiple of four: the two low bits are 0.
  logic [15:0] sector_bytes;
  logic        unused_sector_bytes;
  assign sector_bytes        = hwif_out.SECTOR.bytes.value;
  assign sector_words_o      = sector_bytes[15:2];
  assign unused_sector_bytes = ^sector_bytes[1:0];

  assign host_o.enable  = hwif_out.HOST.enable.value;
  assign host_o.consume = hwif_out.HOST.to_host.value;
  assign host_o.segment = hwif_out.HOST.segment.value;
  assign disk_o.enable  = hwif_out.DISK.enable.value;
  assign disk_o.consume = hwif_out.DISK.to_disk.value;
  assign disk_o.segment = hwif_out.DISK.segment.value;
  assign disk_notice_o  = hwif_out.DISK.notice.value;

  // Whether a write changes segment or direction of a channel, which share one byte. It is known at
  // the write, and reported in the next cycle.
  logic [SegmentWidth:0] written;
  assign written = {reg_req_i.wdata[4], reg_req_i.wdata[0+:SegmentWidth]};

  // Whether both channels would use one place of one ring. It is known at the write, too, and
  // decides early in the next cycle whether the host channel runs.
  logic [SegmentWidth:0] host_next, disk_next;
  logic                  disk_enable_next;
  assign host_next        = hwif_out.HOST.segment.swmod ? written : {host_o.consume, host_o.segment};
  assign disk_next        = hwif_out.DISK.segment.swmod ? written : {disk_o.consume, disk_o.segment};
  assign disk_enable_next = hwif_out.DISK.enable.swmod ? reg_req_i.wdata[8] : disk_o.enable;

  logic host_changed_q, disk_changed_q, host_waits_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      host_changed_q <= 1'b0;
      disk_changed_q <= 1'b0;
      host_waits_q   <= 1'b0;
    end else begin
      host_waits_q   <= disk_enable_next && host_next == disk_next;
      host_changed_q <= hwif_out.HOST.segment.swmod &&
                        written != {host_o.consume, host_o.segment};
      disk_changed_q <= hwif_out.DISK.segment.swmod &&
                        written != {disk_o.consume, disk_o.segment};
    end
  end
  assign host_changed_o = host_changed_q;
  assign disk_changed_o = disk_changed_q;
  assign host_waits_o   = host_waits_q;

  // The segments answer in the cycle of their request, as registers do.
  assign hwif_in.SEGMENTS.rd_ack = hwif_out.SEGMENTS.req && !hwif_out.SEGMENTS.req_is_wr;
  assign hwif_in.SEGMENTS.wr_ack = hwif_out.SEGMENTS.req && hwif_out.SEGMENTS.req_is_wr;

  buffer_mgr_segment_regs u_segment_regs (
    .clk_i,
    .rst_ni,
    .req_i           (hwif_out.SEGMENTS.req),
    .we_i            (hwif_out.SEGMENTS.req_is_wr),
    .addr_i          (hwif_out.SEGMENTS.addr),
    .wdata_i         (hwif_out.SEGMENTS.wr_data),
    .wmask_i         (hwif_out.SEGMENTS.wr_biten),
    .rdata_o         (hwif_in.SEGMENTS.rd_data),
    .segment_o,
    .level_i,
    .host_segment_i  (host_o.segment),
    .disk_segment_i  (disk_o.segment),
    .host_o          (host_segment_o),
    .disk_o          (disk_segment_o),
    .order_o
  );

  assign hwif_in.INTR_STATE.host_sector.hwset = host_finish_i;
  assign hwif_in.INTR_STATE.disk_sector.hwset = disk_event_i;

  assign irq_o = |({hwif_out.INTR_STATE.disk_sector.value, hwif_out.INTR_STATE.host_sector.value} &
                   hwif_out.INTR_ENABLE.mask.value);

  // Outputs that are high for one cycle need a clock edge to fall.
  assign clk_req_o = reg_req_i.valid || order_o.reset || order_o.produce || order_o.discard ||
                     order_o.skip || host_changed_q || disk_changed_q || host_finish_i || disk_event_i;

endmodule
