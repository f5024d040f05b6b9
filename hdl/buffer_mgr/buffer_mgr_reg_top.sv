// Register side of the buffer manager: generated registers on one face, plain structs on the other.
//
// Timing: a write shows at the outputs in the next cycle; reset and produce_valid are one cycle.
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

  output logic [13:0]                        sector_words_o,
  output channel_config_t                    host_o,
  output channel_config_t                    disk_o,
  output logic [15:0]                        disk_notice_o,
  output segment_config_t [SegmentCount-1:0] segment_o,
  output logic [SegmentCount-1:0][23:0]      base_o,  // byte address
  input  logic [SegmentCount-1:0][15:0]      level_i,
  input  logic                               host_finish_i,
  input  logic                               disk_event_i
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

  // A multiple of four by definition: the two low bits carry nothing.
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

  // The value of `produce` is there in the cycle after the write; so is `reset`, a single pulse.
  logic [SegmentCount-1:0]       reset, produce_d, produce_q;
  logic [SegmentCount-1:0][15:0] size, produce_count;

  // One by one, and field by field: Verilator 5.006 can neither index an array inside a structure
  // (buffer_mgr.rdl is generated with -D UNROLLED for that) nor copy a structure out of one.
  assign base_o = {
    hwif_out.SEGMENT7.BASE.address.value, hwif_out.SEGMENT6.BASE.address.value,
    hwif_out.SEGMENT5.BASE.address.value, hwif_out.SEGMENT4.BASE.address.value,
    hwif_out.SEGMENT3.BASE.address.value, hwif_out.SEGMENT2.BASE.address.value,
    hwif_out.SEGMENT1.BASE.address.value, hwif_out.SEGMENT0.BASE.address.value
  };
  assign size = {
    hwif_out.SEGMENT7.SIZE.sectors.value, hwif_out.SEGMENT6.SIZE.sectors.value,
    hwif_out.SEGMENT5.SIZE.sectors.value, hwif_out.SEGMENT4.SIZE.sectors.value,
    hwif_out.SEGMENT3.SIZE.sectors.value, hwif_out.SEGMENT2.SIZE.sectors.value,
    hwif_out.SEGMENT1.SIZE.sectors.value, hwif_out.SEGMENT0.SIZE.sectors.value
  };
  assign reset = {
    hwif_out.SEGMENT7.CONTROL.reset.value, hwif_out.SEGMENT6.CONTROL.reset.value,
    hwif_out.SEGMENT5.CONTROL.reset.value, hwif_out.SEGMENT4.CONTROL.reset.value,
    hwif_out.SEGMENT3.CONTROL.reset.value, hwif_out.SEGMENT2.CONTROL.reset.value,
    hwif_out.SEGMENT1.CONTROL.reset.value, hwif_out.SEGMENT0.CONTROL.reset.value
  };
  assign produce_d = {
    hwif_out.SEGMENT7.CONTROL.produce.swmod, hwif_out.SEGMENT6.CONTROL.produce.swmod,
    hwif_out.SEGMENT5.CONTROL.produce.swmod, hwif_out.SEGMENT4.CONTROL.produce.swmod,
    hwif_out.SEGMENT3.CONTROL.produce.swmod, hwif_out.SEGMENT2.CONTROL.produce.swmod,
    hwif_out.SEGMENT1.CONTROL.produce.swmod, hwif_out.SEGMENT0.CONTROL.produce.swmod
  };
  assign produce_count = {
    hwif_out.SEGMENT7.CONTROL.produce.value, hwif_out.SEGMENT6.CONTROL.produce.value,
    hwif_out.SEGMENT5.CONTROL.produce.value, hwif_out.SEGMENT4.CONTROL.produce.value,
    hwif_out.SEGMENT3.CONTROL.produce.value, hwif_out.SEGMENT2.CONTROL.produce.value,
    hwif_out.SEGMENT1.CONTROL.produce.value, hwif_out.SEGMENT0.CONTROL.produce.value
  };
  assign hwif_in.SEGMENT0.LEVEL.sectors.next = level_i[0];
  assign hwif_in.SEGMENT1.LEVEL.sectors.next = level_i[1];
  assign hwif_in.SEGMENT2.LEVEL.sectors.next = level_i[2];
  assign hwif_in.SEGMENT3.LEVEL.sectors.next = level_i[3];
  assign hwif_in.SEGMENT4.LEVEL.sectors.next = level_i[4];
  assign hwif_in.SEGMENT5.LEVEL.sectors.next = level_i[5];
  assign hwif_in.SEGMENT6.LEVEL.sectors.next = level_i[6];
  assign hwif_in.SEGMENT7.LEVEL.sectors.next = level_i[7];

  for (genvar s = 0; s < SegmentCount; s++) begin : gen_segment
    assign segment_o[s] = '{size: size[s], reset: reset[s], produce_valid: produce_q[s],
                            produce_count: produce_count[s]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) produce_q <= '0;
    else         produce_q <= produce_d;
  end

  assign hwif_in.INTR_STATE.host_sector.hwset = host_finish_i;
  assign hwif_in.INTR_STATE.disk_sector.hwset = disk_event_i;

  assign irq_o = |({hwif_out.INTR_STATE.disk_sector.value, hwif_out.INTR_STATE.host_sector.value} &
                   hwif_out.INTR_ENABLE.mask.value);

  // What stands for one cycle has to fall again.
  assign clk_req_o = reg_req_i.valid || produce_q != '0 || reset != '0 || host_finish_i ||
                     disk_event_i;

endmodule
