// SPDX-License-Identifier: Apache-2.0
// Head-disk assembly: the arm and the spindle.
package hda_pkg;

  // From the assembly: levels.
  typedef struct packed {
    logic read_ready;   // the heads have settled for reading
    logic write_ready;  // the heads have settled for writing
    logic at_speed;     // the spindle has its speed
    logic at_rest;      // the spindle stands
  } hda_in_t;

  // To the assembly. Requests last one cycle.
  typedef struct packed {
    logic        seek_req;        // starts a seek
    logic [22:0] seek_cylinder;   // its target
    logic [7:0]  seek_head;       // its head
    logic        seek_for_write;  // it goes to the position of the writing element
    logic        recalibrate;     // starts the movement to the stop at cylinder 0, head 0
    logic        spin_up;         // starts the spindle
    logic        spin_down;       // stops the spindle
  } hda_out_t;

endpackage
