// SPDX-License-Identifier: Apache-2.0
// From the servo to the formatter. The other way there is one signal, follow.
package servo_link_pkg;

  // Levels.
  typedef struct packed {
    logic on_track;     // settled for reading on the track of the last seek
    logic write_ready;  // the same for writing
    logic seeking;      // a seek is under way; it may follow `follow` by one cycle
  } heads_t;

endpackage
