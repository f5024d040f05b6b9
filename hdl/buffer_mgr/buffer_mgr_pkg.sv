// Shared types of the buffer manager.
package buffer_mgr_pkg;

  // As many as there are SEGMENT register files.
  localparam int unsigned SegmentCount = 8;
  localparam int unsigned SegmentWidth = $clog2(SegmentCount);

  // Places in a ring, and how many of them: fields of SIZE, LEVEL and CONTROL.
  localparam int unsigned SectorWidth = 16;

  // What a channel is told to do; one per channel, straight from its register.
  typedef struct packed {
    logic                    enable;
    logic                    consume;  // 1: RAM to port, 0: port to RAM
    logic [SegmentWidth-1:0] segment;
  } channel_config_t;

  // A segment as firmware set it up.
  typedef struct packed {
    logic [23:0]            base;  // byte address
    logic [SectorWidth-1:0] size;  // sectors
  } segment_config_t;

  // What a write to CONTROL asks for: in the cycle after it, and in no other.
  typedef struct packed {
    logic                    reset;
    logic                    produce;
    logic [SegmentWidth-1:0] segment;
    logic [SectorWidth-1:0]  count;    // sectors to produce
    logic [SectorWidth-1:0]  size;     // of the segment
    logic [SectorWidth-1:0]  level;    // of the ring that it finds; 0 behind its own reset
    logic [SectorWidth-1:0]  pointer;  // the producing one, likewise
    logic                    on_host;  // it is the segment of the host channel
    logic                    on_disk;
  } order_t;

endpackage
