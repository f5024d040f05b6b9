// SPDX-License-Identifier: Apache-2.0
// Shared types of the buffer manager.
package buffer_mgr_pkg;

  // Number of segments, and of SEGMENT register files.
  localparam int unsigned SegmentCount = 8;
  localparam int unsigned SegmentWidth = $clog2(SegmentCount);

  // Width of places in a ring, and of their number: fields of SIZE, LEVEL and CONTROL.
  localparam int unsigned SectorWidth = 16;

  // The configuration of a channel, straight from its register.
  typedef struct packed {
    logic                    enable;
    logic                    consume;  // 1: RAM to port, 0: port to RAM
    logic [SegmentWidth-1:0] segment;
  } channel_config_t;

  // A segment's configuration by the firmware.
  typedef struct packed {
    logic [23:0]            base;  // byte address
    logic [SectorWidth-1:0] size;  // sectors
  } segment_config_t;

  // An order: what a write to CONTROL requests. It is valid in the cycle after the write only.
  typedef struct packed {
    logic                    reset;
    logic                    produce;
    logic                    discard;  // neither reset nor produce comes with it
    logic                    skip;     // neither reset nor produce comes with it
    logic [SegmentWidth-1:0] segment;
    logic [SectorWidth-1:0]  count;    // sectors to produce, or to skip
    logic [SectorWidth-1:0]  change;   // change of the level: count, or -count
    logic [SectorWidth-1:0]  size;     // size of the segment
    // Level that leaves room: size - count. For skip, the highest level with too few: count - 1.
    logic signed [SectorWidth:0] limit;
    logic                    on_host;  // the segment is that of the host channel
    logic                    on_disk;
  } order_t;

endpackage
