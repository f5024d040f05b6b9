// SPDX-License-Identifier: Apache-2.0
// Types of the servo block. Values of op_e are those of op_e in hdl/regs/servo.rdl.
package servo_pkg;

  typedef enum logic [2:0] {
    OpNone        = 3'd0,
    OpSeek        = 3'd1,
    OpSpinUp      = 3'd2,
    OpSpinDown    = 3'd3,
    OpRecalibrate = 3'd4
  } op_e;

  typedef struct packed {
    logic [7:0]  head;
    logic        for_write;  // the writing element is over the track, not the reading one
    logic [22:0] cylinder;
  } track_t;

  typedef struct packed {
    logic at_speed;
    logic seeking;
    logic write_ready;
    logic on_track;
  } status_t;

  // Events of one cycle each, in the order of INTR_STATE, the lowest last.
  typedef struct packed {
    logic speed_lost;
    logic seek_error;
    logic index;
    logic at_rest;
    logic at_speed;
    logic write_ready;
    logic on_track;
  } events_t;

endpackage
