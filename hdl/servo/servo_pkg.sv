// Types of the servo block. Values of op_e are those of op_e in hdl/regs/servo.rdl.
package servo_pkg;

  typedef enum logic [1:0] {
    OpNone     = 2'd0,
    OpSeek     = 2'd1,
    OpSpinUp   = 2'd2,
    OpSpinDown = 2'd3
  } op_e;

  typedef struct packed {
    logic [7:0]  head;
    logic [23:0] cylinder;
  } track_t;

  typedef struct packed {
    logic at_speed;
    logic seeking;
    logic write_ready;
    logic on_track;
  } status_t;

  // One cycle each; in the order of INTR_STATE, the lowest last.
  typedef struct packed {
    logic seek_error;
    logic index;
    logic at_rest;
    logic at_speed;
    logic write_ready;
    logic on_track;
  } events_t;

endpackage
