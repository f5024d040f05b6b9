// SPDX-License-Identifier: Apache-2.0
// Read-write channel: bytes of the track, and the marks that pass between them.
package channel_pkg;

  // From the channel. Pulses and strobes last one cycle; write_fault is a level.
  typedef struct packed {
    logic       sector_pulse;  // a sector of the track under the head begins
    logic       index_pulse;   // the track begins under the head
    logic       byte_strobe;   // a byte passes under the head; only while a gate is open
    logic [7:0] nrz;           // the byte just read, with its strobe
    logic       write_fault;   // no current in the head: from the first byte not written until the write gate closes
  } channel_in_t;

  // To the channel: levels.
  typedef struct packed {
    logic       read_gate;      // the channel reads
    logic       write_gate;     // the channel writes
    logic [7:0] nrz;            // the byte that the next strobe writes
    logic       sector_listen;  // sector pulses are needed
    logic       index_listen;   // index pulses are needed
  } channel_out_t;

endpackage
