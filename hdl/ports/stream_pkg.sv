// SPDX-License-Identifier: Apache-2.0
// Bytes to and from the buffer manager: those of the host, and those of the disk.
//
// A byte moves in a cycle with valid and ready. wr is towards the buffer, rd from it.
package stream_pkg;

  typedef struct packed {
    logic       wr_valid;  // a byte for the buffer is there
    logic [7:0] wr_data;   // the byte
    logic       rd_ready;  // a byte from the buffer is taken
  } bytes_to_buffer_t;

  typedef struct packed {
    logic       wr_ready;  // the segment has room for a byte
    logic       rd_valid;  // a byte from the buffer is there
    logic [7:0] rd_data;   // the byte
  } bytes_from_buffer_t;

  typedef struct packed {
    bytes_to_buffer_t bytes;   // the disk's bytes
    logic             commit;  // the sector just delivered is good: it gets its credit
    logic             drop;    // the sector is bad: the next byte starts it again
  } disk_to_buffer_t;

  typedef struct packed {
    bytes_from_buffer_t bytes;       // the disk's bytes
    logic               can_accept;  // the segment has room for a whole sector
    logic               has_sector;  // the segment has a whole sector
  } disk_from_buffer_t;

endpackage
