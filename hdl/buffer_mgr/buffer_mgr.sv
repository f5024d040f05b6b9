// SPDX-License-Identifier: Apache-2.0
// Sector buffer of the drive: one RAM, three users, eight ring segments.
//
// The disk channel and the host channel each move bytes between a port and a ring segment. The core
// accesses the RAM through a window. A producing channel adds a credit per whole sector to its
// segment, and a consuming channel takes one away. Data can therefore stream through a segment.
//
// Timing: the RAM has a port for the channels and one for the core, so that neither delays the
// other. The channels' port serves one access per cycle, disk before host. A channel moves four
// bytes per access. The disk side never waits. The core's port serves one access per cycle, and
// rvalid (reads and writes) follows in the next.
// Errors: the block has none. A channel that cannot move refuses its bytes, and the formatter or
// the firmware detects it. Register offsets that do not exist answer with reg_rsp_o.err.
module buffer_mgr
  import buffer_mgr_pkg::*;
#(
  parameter int unsigned RamBytes = 1 << 21,  // a power of two
  localparam int unsigned CoreAddrWidth = $clog2(RamBytes)
) (
  input  logic        clk_i,
  input  logic        reg_clk_i,
  // `disable iff` samples the asynchronous reset at the clock, in assertions only.
  // verilator lint_off SYNCASYNCNET
  input  logic        rst_ni,
  // verilator lint_on SYNCASYNCNET

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,
  output logic        reg_clk_req_o,

  input  stream_pkg::bytes_to_buffer_t   host_i,  // the host's side of its port
  output stream_pkg::bytes_from_buffer_t host_o,  // the buffer's side
  input  stream_pkg::disk_to_buffer_t    disk_i,  // the disk's side of its port
  output stream_pkg::disk_from_buffer_t  disk_o,  // the buffer's side

  // The core's window.
  input  logic        core_req_i,  // an access of the core
  input  logic        core_we_i,  // it writes
  input  logic [CoreAddrWidth-1:0] core_addr_i,  // in bytes
  input  logic [3:0]  core_be_i,  // bytes of the word that it writes
  input  logic [31:0] core_wdata_i,  // the word to write
  output logic        core_rvalid_o,  // the access is done
  output logic [31:0] core_rdata_o  // the word read
);

  localparam int unsigned AddrWidth = $clog2(RamBytes / 4);  // width of a word's address

  // Registers.
  channel_config_t host_config, disk_config;
  logic            host_changed, disk_changed, host_waits;
  segment_config_t host_segment, disk_segment;
  order_t          order;
  logic [SegmentWidth-1:0] segment;  // the segment that the registers access
  logic [SectorWidth-1:0]  level;
  logic [13:0] sector_words;
  logic host_finish, disk_finish, disk_event;
  logic [15:0] disk_notice;

  buffer_mgr_reg_top u_reg_top (
    .clk_i          (reg_clk_i),
    .rst_ni,
    .reg_req_i,
    .reg_rsp_o,
    .irq_o,
    .clk_req_o      (reg_clk_req_o),
    .sector_words_o (sector_words),
    .host_o         (host_config),
    .disk_o         (disk_config),
    .host_changed_o (host_changed),
    .disk_changed_o (disk_changed),
    .host_waits_o   (host_waits),
    .disk_notice_o  (disk_notice),
    .host_segment_o (host_segment),
    .disk_segment_o (disk_segment),
    .order_o        (order),
    .segment_o      (segment),
    .level_i        (level),
    .host_finish_i  (host_finish),
    .disk_event_i   (disk_event)
  );

  // Sectors that the disk channel has finished since it was enabled. The clock runs when `enable`
  // changes, since the channel requests it.
  logic [15:0] disk_count_q, disk_next;
  assign disk_next  = disk_count_q + 16'd1;
  assign disk_event = disk_finish && (disk_notice == '0 || disk_next == disk_notice);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                  disk_count_q <= '0;
    else if (!disk_config.enable) disk_count_q <= '0;
    else if (disk_finish)         disk_count_q <= disk_next;
  end

  // If both channels fed, or both drained, one ring, they would use the same place: the host waits.
  channel_config_t host_run;
  always_comb begin
    host_run = host_config;
    if (host_waits) host_run.enable = 1'b0;
  end

  logic        segments_busy, host_seg_ready, disk_seg_ready;
  logic [15:0] host_index, disk_index;

  buffer_mgr_segments u_segments (
    .clk_i,
    .rst_ni,
    .order_i         (order),
    .busy_o          (segments_busy),
    .segment_i       (segment),
    .level_o         (level),
    .host_i          (host_run),
    .host_size_i     (host_segment.size),
    .host_finish_i   (host_finish),
    .host_ready_o    (host_seg_ready),
    .host_index_o    (host_index),
    .disk_i          (disk_config),
    .disk_size_i     (disk_segment.size),
    .disk_finish_i   (disk_finish),
    .disk_ready_o    (disk_seg_ready),
    .disk_index_o    (disk_index)
  );

  logic                 host_req, host_we, host_gnt, host_clk_req;
  logic [AddrWidth-1:0] host_addr;
  logic [31:0]          host_wdata;
  logic                 disk_req, disk_we, disk_gnt, disk_clk_req;
  logic [AddrWidth-1:0] disk_addr;
  logic [31:0]          disk_wdata;
  stream_pkg::bytes_from_buffer_t disk_bytes;
  logic [31:0]          ram_rdata;

  buffer_mgr_channel #(
    .ExplicitCommit (1'b0),
    .AddrWidth      (AddrWidth)
  ) u_host (
    .clk_i,
    .rst_ni,
    .config_i       (host_run),
    .changed_i      (host_changed),
    .restart_i      (order.reset && order.on_host),
    .sector_words_i (sector_words),
    .base_i         (AddrWidth'(host_segment.base[23:2])),
    .ready_i        (host_seg_ready),
    .index_i        (host_index),
    .finish_o       (host_finish),
    .clk_req_o      (host_clk_req),
    .commit_i       (1'b0),
    .drop_i         (1'b0),
    .bytes_i        (host_i),
    .bytes_o        (host_o),
    .ram_req_o      (host_req),
    .ram_we_o       (host_we),
    .ram_addr_o     (host_addr),
    .ram_wdata_o    (host_wdata),
    .ram_gnt_i      (host_gnt),
    .ram_rdata_i    (ram_rdata)
  );

  buffer_mgr_channel #(
    .ExplicitCommit (1'b1),
    .AddrWidth      (AddrWidth)
  ) u_disk (
    .clk_i,
    .rst_ni,
    .config_i       (disk_config),
    .changed_i      (disk_changed),
    .restart_i      (order.reset && order.on_disk),
    .sector_words_i (sector_words),
    .base_i         (AddrWidth'(disk_segment.base[23:2])),
    .ready_i        (disk_seg_ready),
    .index_i        (disk_index),
    .finish_o       (disk_finish),
    .clk_req_o      (disk_clk_req),
    .commit_i       (disk_i.commit),
    .drop_i         (disk_i.drop),
    .bytes_i        (disk_i.bytes),
    .bytes_o        (disk_bytes),
    .ram_req_o      (disk_req),
    .ram_we_o       (disk_we),
    .ram_addr_o     (disk_addr),
    .ram_wdata_o    (disk_wdata),
    .ram_gnt_i      (disk_gnt),
    .ram_rdata_i    (ram_rdata)
  );

  assign disk_o = '{
    bytes:      disk_bytes,
    can_accept: disk_config.enable && !disk_config.consume && disk_seg_ready,
    // A sector waits, and its first bytes have arrived from the RAM: it can start in this cycle.
    has_sector: disk_bytes.rd_valid
  };

  // The channels' port: disk before host.
  logic                 ram_we;
  logic [AddrWidth-1:0] ram_addr;
  logic [31:0]          ram_wdata;

  // The byte enables stand in for bits 1:0 of the byte address.
  logic unused_core_addr;
  assign unused_core_addr = ^core_addr_i[1:0];

  // A grant to a channel without a request has no meaning, so it need not depend on the request.
  assign disk_gnt = 1'b1;
  assign host_gnt = !disk_req;

  assign ram_we    = disk_req ? disk_we : host_we;
  assign ram_addr  = disk_req ? disk_addr : host_addr;
  assign ram_wdata = disk_req ? disk_wdata : host_wdata;

  buffer_ram #(
    .Words (RamBytes / 4)
  ) u_ram (
    .clk_i,
    .channel_req_i   (disk_req || host_req),
    .channel_we_i    (ram_we),
    .channel_addr_i  (ram_addr),
    .channel_wdata_i (ram_wdata),
    .channel_rdata_o (ram_rdata),
    .core_req_i,
    .core_we_i,
    .core_addr_i     (core_addr_i[CoreAddrWidth-1:2]),
    .core_be_i,
    .core_wdata_i,
    .core_rdata_o
  );

  logic core_rvalid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) core_rvalid_q <= 1'b0;
    else         core_rvalid_q <= core_req_i;
  end
  assign core_rvalid_o = core_rvalid_q;

  assign clk_req_o = segments_busy || host_clk_req || disk_clk_req || core_req_i || core_rvalid_q;

`ifndef SYNTHESIS
  // The disk side never starves: its word moves in the cycle of the request, whatever others
  // request.
  a_disk_never_waits : assert property (@(posedge clk_i) disable iff (!rst_ni)
      disk_req |-> disk_gnt);
  a_host_waits : assert property (@(posedge clk_i) disable iff (!rst_ni)
      host_waits == (disk_config.enable && disk_config.segment == host_config.segment &&
                     disk_config.consume == host_config.consume));
  // The host does not starve either: the disk requests at most every other cycle, even at a byte
  // per cycle.
  a_disk_leaves_half : assert property (@(posedge clk_i) disable iff (!rst_ni)
      disk_req |=> !disk_req);
  a_one_grant : assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({disk_req && disk_gnt, host_req && host_gnt}));
  // Assumption at the input: a verdict on a sector is either good or bad.
  m_one_verdict : assume property (@(posedge clk_i) disable iff (!rst_ni)
      !(disk_i.commit && disk_i.drop));
`endif

endmodule
