// SPDX-License-Identifier: Apache-2.0
// Messages of the firmware to the simulator. Each is valid for one cycle.
package message_pkg;

  // A trace event.
  typedef struct packed {
    logic        valid;     // an event leaves the SoC
    logic [5:0]  number;    // its number
    logic [31:0] argument;  // its argument
  } event_t;

  // A character of the console.
  typedef struct packed {
    logic       valid;      // a character for the console
    logic [7:0] character;  // the character
  } console_t;

  // The end of the run.
  typedef struct packed {
    logic        valid;  // the firmware ends the simulation
    logic [31:0] code;   // 0, or its assertion
  } exit_t;

endpackage
