// SPDX-License-Identifier: Apache-2.0
// The SEGMENT registers of buffer_mgr.rdl: one memory for BASE, one for SIZE.
//
// Memories suffice, because at most three segments are read in one cycle: one by the registers, one
// by each channel. A word that was not written since reset reads as its reset value. CONTROL is not
// stored: in a narrow write to `produce`, the other byte counts as zero.
//
// Timing: rdata_o answers in the cycle of the request. A write reaches the outputs in the next
// cycle, the only one in which order_o is valid.
// Errors: none. All offsets exist; those without a register read 0.
module buffer_mgr_segment_regs
  import buffer_mgr_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic                    req_i,
  input  logic                    we_i,
  input  logic [SegmentWidth+3:0] addr_i,   // byte address from SEGMENT[0] on
  input  logic [31:0]             wdata_i,
  input  logic [31:0]             wmask_i,  // bits to be written
  output logic [31:0]             rdata_o,

  // The accessed segment, and the LEVEL of its ring.
  output logic [SegmentWidth-1:0] segment_o,
  input  logic [SectorWidth-1:0]  level_i,

  input  logic [SegmentWidth-1:0] host_segment_i,
  input  logic [SegmentWidth-1:0] disk_segment_i,
  output segment_config_t         host_o,
  output segment_config_t         disk_o,
  output order_t                  order_o
);

  // The words of a segment.
  typedef enum logic [1:0] {
    WordBase,
    WordSize,
    WordLevel,
    WordControl
  } word_e;

  // The readers of BASE and SIZE.
  localparam int unsigned Registers = 0;
  localparam int unsigned Host      = 1;
  localparam int unsigned Disk      = 2;
  localparam int unsigned Readers   = 3;

  localparam logic [SectorWidth-1:0] SizeAtReset = 1;

  logic [SegmentWidth-1:0] segment;
  word_e                   word;
  logic                    write;
  assign segment = addr_i[4+:SegmentWidth];
  assign word    = word_e'(addr_i[3:2]);
  assign write   = req_i && we_i;

  // The low bits are not used, since the core aligns its accesses.
  logic unused_addr;
  assign unused_addr = ^addr_i[1:0];

  // Segments whose word was written since reset.
  logic [SegmentCount-1:0] base_set_q, size_set_q;

  logic [SegmentWidth-1:0] reader [Readers];
  logic [23:0]             base_read [Readers];
  logic [SectorWidth-1:0]  size_read [Readers];
  segment_config_t         config_of [Readers];

  assign reader = '{segment, host_segment_i, disk_segment_i};

  for (genvar r = 0; r < Readers; r++) begin : gen_reader
    assign config_of[r] = '{base: base_set_q[reader[r]] ? base_read[r] : '0,
                            size: size_set_q[reader[r]] ? size_read[r] : SizeAtReset};
  end
  assign host_o = config_of[Host];
  assign disk_o = config_of[Disk];

  // The stored word, and the word after a write: a narrow write keeps the other bytes.
  logic [31:0] kept, merged;
  always_comb begin
    unique case (word)
      WordBase: kept = 32'(config_of[Registers].base);
      WordSize: kept = 32'(config_of[Registers].size);
      default:  kept = '0;
    endcase
    merged = (kept & ~wmask_i) | (wdata_i & wmask_i);
  end
  assign rdata_o   = word == WordLevel ? 32'(level_i) : kept;
  assign segment_o = segment;

  buffer_mgr_table #(.Width(24), .Words(SegmentCount), .Readers(Readers)) u_base (
    .clk_i,
    .we_i    (write && word == WordBase),
    .waddr_i (segment),
    .wdata_i (merged[23:0]),
    .raddr_i (reader),
    .rdata_o (base_read)
  );

  buffer_mgr_table #(.Width(SectorWidth), .Words(SegmentCount), .Readers(Readers)) u_size (
    .clk_i,
    .we_i    (write && word == WordSize),
    .waddr_i (segment),
    .wdata_i (merged[SectorWidth-1:0]),
    .raddr_i (reader),
    .rdata_o (size_read)
  );

  logic   reset, discard, skip, control;
  order_t order_d, order_q;
  logic [SectorWidth-1:0] count;
  assign count     = discard ? '0 : merged[16+:SectorWidth];
  assign reset     = wdata_i[0] && wmask_i[0];
  assign discard   = !reset && wdata_i[1] && wmask_i[1];
  assign skip      = !reset && !discard && wdata_i[2] && wmask_i[2];
  assign control   = write && word == WordControl;
  always_comb begin
    order_d         = order_q;
    order_d.reset   = 1'b0;
    order_d.produce = 1'b0;
    order_d.discard = 1'b0;
    order_d.skip    = 1'b0;
    if (control) begin
      order_d = '{reset:   reset,
                  produce: wmask_i[16+:SectorWidth] != '0 && !discard && !skip,
                  discard: discard,
                  skip:    skip,
                  segment: segment,
                  count:   count,
                  change:  skip ? -count : count,
                  size:    config_of[Registers].size,
                  limit:   skip ? $signed({1'b0, count}) - $signed((SectorWidth + 1)'(1)) :
                           $signed({1'b0, config_of[Registers].size}) - $signed({1'b0, count}),
                  on_host: segment == host_segment_i,
                  on_disk: segment == disk_segment_i};
    end
  end
  assign order_o = order_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_set_q <= '0;
      size_set_q <= '0;
      order_q    <= '0;
    end else begin
      if (write && word == WordBase) base_set_q[segment] <= 1'b1;
      if (write && word == WordSize) size_set_q[segment] <= 1'b1;
      order_q <= order_d;
    end
  end

endmodule
