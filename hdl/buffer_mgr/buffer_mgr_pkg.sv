// Shared types of the buffer manager.
package buffer_mgr_pkg;

  // As many as there are SEGMENT register files.
  localparam int unsigned SegmentCount = 8;

  // What a channel is told to do; one per channel, straight from its register.
  typedef struct packed {
    logic       enable;
    logic       consume;  // 1: RAM to port, 0: port to RAM
    logic [2:0] segment;
  } channel_config_t;

  // A segment as firmware set it up, and its CONTROL strobes.
  typedef struct packed {
    logic [15:0] size;  // sectors
    logic        reset;
    logic        produce_valid;
    logic [15:0] produce_count;  // sectors
  } segment_config_t;

endpackage
