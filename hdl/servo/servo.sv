// SPDX-License-Identifier: Apache-2.0
// Servo: seeks, spindle commands, and the time of the index.
//
// Timing: a command acts in the cycle after its write. seek_req, recalibrate, spin_up and spin_down
// of hda_o are high in that cycle alone; its other members then are the target. If the arm moves,
// hda_i.read_ready must be low at most LevelDelayCycles cycles after seek_req or recalibrate. Until
// then it may still belong to the old track. Events follow the inputs by one cycle. on_track and
// write_ready of heads_o follow at once, and fall with seek_req and recalibrate.
// follow_i, one cycle, is the formatter's request for a seek, and acts in that cycle.
// The time of an index pulse is mtime_i in the cycle of the pulse.
// Errors: a seek that is refused, or lost because the spindle left its speed, raises seek_error. A
// seek that never arrives ends with a recalibration, or without speed. Heads that leave the track
// by themselves lower heads_o.on_track, without an event. A spindle that leaves its speed raises
// speed_lost.
module servo
  import servo_pkg::*;
#(
  // Cycles of the SoC's input register, of the assembly's answer, and one spare: 1 .. 7.
  parameter int unsigned LevelDelayCycles = 3
) (
  input  logic        clk_i,
  // Assertions are disabled in reset, which reads as a synchronous use of it.
  // verilator lint_off SYNCASYNCNET
  input  logic        rst_ni,
  // verilator lint_on SYNCASYNCNET

  input  reg_pkg::reg_req_t reg_req_i,
  output reg_pkg::reg_rsp_t reg_rsp_o,
  output logic        irq_o,
  output logic        clk_req_o,

  input  logic [63:0] mtime_i,  // the time base
  input  logic        index_pulse_i,  // the track begins under the head
  output logic        index_listen_o,  // the block needs index pulses

  input  hda_pkg::hda_in_t   hda_i,  // the state of arm and spindle
  output hda_pkg::hda_out_t  hda_o,  // commands for arm and spindle
  output servo_link_pkg::heads_t heads_o,  // the state of the heads, for the formatter
  input  logic        follow_i  // the formatter's next run lies on the target
);

  typedef enum logic [1:0] {
    StIdle,    // the heads are at POSITION, or at an unknown place
    StBlank,   // hda_i.read_ready may still belong to the old track
    StSettle   // waits for hda_i.read_ready
  } state_e;

  state_e      state_d, state_q;
  logic [2:0]  blank_d, blank_q;
  track_t      target;          // target in the register
  track_t      goal_d, goal_q;  // target of the seek under way
  track_t      position_d, position_q;
  logic        position_known_d, position_known_q;
  logic        write_pending_d, write_pending_q;  // the seek's write_ready event is still to come
  logic        at_speed_q, at_rest_q;
  logic        index_capture;
  logic [63:0] index_time_d, index_time_q;
  logic [31:0] index_count_d, index_count_q;
  logic        command_valid;
  op_e         command_op;
  status_t     status;
  events_t     events;

  // --- Seeks ---

  logic follow, seek_wanted, seek_req, recalibration_wanted, recalibrate;
  assign follow               = follow_i && !command_valid;
  assign seek_wanted          = (command_valid && command_op == OpSeek) || follow;
  assign seek_req             = seek_wanted && state_q == StIdle && hda_i.at_speed;
  assign recalibration_wanted = command_valid && command_op == OpRecalibrate;
  assign recalibrate          = recalibration_wanted && hda_i.at_speed;

  // A seek or recalibration begins. This decides in this cycle what the formatter may do, so it
  // does not wait for seek_req and recalibrate. A seek counts in StIdle only.
  logic moves;
  assign moves = hda_i.at_speed && (command_valid ? command_op == OpSeek || command_op == OpRecalibrate
                                              : follow_i);

  always_comb begin
    state_d           = state_q;
    blank_d           = blank_q;
    goal_d            = goal_q;
    position_d        = position_q;
    position_known_d  = position_known_q;
    write_pending_d   = write_pending_q;
    events.on_track   = 1'b0;
    events.seek_error = (seek_wanted && !seek_req) || (recalibration_wanted && !recalibrate) ||
                        (follow_i && command_valid);

    if (events.write_ready || !hda_i.at_speed) write_pending_d = 1'b0;

    unique case (state_q)
      StIdle: begin
        if (seek_req) begin
          goal_d          = target;
          blank_d         = 3'(LevelDelayCycles);
          write_pending_d = 1'b0;
          state_d         = StBlank;
        end
      end
      StBlank: begin
        blank_d = blank_q - 3'd1;
        if (blank_q == 3'd1) state_d = StSettle;
      end
      StSettle: begin
        if (!hda_i.at_speed) begin
          events.seek_error = 1'b1;
          position_known_d  = 1'b0;
          state_d           = StIdle;
        end else if (hda_i.read_ready) begin
          events.on_track  = 1'b1;
          position_d       = goal_q;
          position_known_d = 1'b1;
          write_pending_d  = 1'b1;
          state_d          = StIdle;
        end
      end
      default: state_d = StIdle;
    endcase

    // A recalibration cancels the movement under way.
    if (recalibrate) begin
      events.on_track = 1'b0;
      goal_d          = '0;
      position_d      = position_q;
      write_pending_d = 1'b0;
      blank_d         = 3'(LevelDelayCycles);
      state_d         = StBlank;
    end
  end

  logic on_track, write_ready;
  assign on_track           = state_q == StIdle && position_known_q && hda_i.read_ready && !moves;
  assign write_ready        = on_track && hda_i.write_ready;
  assign events.write_ready = write_pending_q && write_ready;

  // A seek that begins in this cycle does not raise `seeking` yet: then the track does not count.
  assign heads_o = '{on_track: on_track, write_ready: write_ready, seeking: state_q != StIdle};

  assign status = '{
    at_speed:    hda_i.at_speed,
    seeking:     state_q != StIdle || seek_req || recalibrate,
    write_ready: write_ready,
    on_track:    on_track
  };

  // --- Spindle ---

  logic spin_up, spin_down;
  assign spin_up           = command_valid && command_op == OpSpinUp;
  assign spin_down         = command_valid && command_op == OpSpinDown;
  assign events.at_speed   = hda_i.at_speed && (!at_speed_q || spin_up);
  assign events.at_rest    = hda_i.at_rest && (!at_rest_q || spin_down);
  assign events.speed_lost = at_speed_q && !hda_i.at_speed;

  assign hda_o = '{
    seek_req:       seek_req,
    seek_cylinder:  target.cylinder,
    seek_head:      target.head,
    seek_for_write: target.for_write,
    recalibrate:    recalibrate,
    spin_up:        spin_up,
    spin_down:      spin_down
  };

  // --- Index ---

  assign index_listen_o = index_capture;
  assign events.index   = index_pulse_i && index_capture;
  assign index_time_d   = events.index ? mtime_i : index_time_q;
  assign index_count_d  = index_count_q + 32'(events.index);

  // --- Clock ---

  // A clock is needed in every cycle that would change a register below, or set an event.
  assign clk_req_o = command_valid || follow_i || state_q == StBlank || state_d != state_q || events != '0
                     || hda_i.at_speed != at_speed_q || hda_i.at_rest != at_rest_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q          <= StIdle;
      blank_q          <= '0;
      goal_q           <= '0;
      position_q       <= '0;
      position_known_q <= 1'b1;
      write_pending_q  <= 1'b0;
      at_speed_q       <= 1'b0;
      at_rest_q        <= 1'b0;
      index_time_q     <= '0;
      index_count_q    <= '0;
    end else begin
      state_q          <= state_d;
      blank_q          <= blank_d;
      goal_q           <= goal_d;
      position_q       <= position_d;
      position_known_q <= position_known_d;
      write_pending_q  <= write_pending_d;
      at_speed_q       <= hda_i.at_speed;
      at_rest_q        <= hda_i.at_rest;
      index_time_q     <= index_time_d;
      index_count_q    <= index_count_d;
    end
  end

  servo_reg_top u_reg_top (
    .clk_i,
    .rst_ni,
    .reg_req_i,
    .reg_rsp_o,
    .irq_o,
    .command_valid_o(command_valid),
    .command_op_o   (command_op),
    .target_o       (target),
    .index_capture_o(index_capture),
    .status_i       (status),
    .position_i     (position_q),
    .index_time_i   (index_time_q),
    .index_count_i  (index_count_q),
    .events_i       (events)
  );

`ifndef SYNTHESIS
  initial a_level_delay : assert (LevelDelayCycles >= 1 && LevelDelayCycles <= 7);
  // A command lasts one cycle, and only one is active.
  a_seek_is_one_cycle : assert property (@(posedge clk_i) disable iff (!rst_ni)
      seek_req |=> !seek_req);
  a_one_command : assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({seek_req, recalibrate, spin_up, spin_down}));
  // No seek begins before the last has ended, and none without speed.
  a_seek_from_idle : assert property (@(posedge clk_i) disable iff (!rst_ni)
      seek_req |-> state_q == StIdle && hda_i.at_speed);
  // Ready for writing is never more than ready for reading.
  a_write_ready_is_on_track : assert property (@(posedge clk_i) disable iff (!rst_ni)
      write_ready |-> on_track);
  // A seek ends in exactly one way.
  a_seek_ends_once : assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == StSettle && state_d == StIdle |->
          events.on_track || events.seek_error && !position_known_d);
  // The position is unknown during a recalibration.
  a_recalibration_begins : assert property (@(posedge clk_i) disable iff (!rst_ni) recalibrate |=>
      state_q == StBlank && !on_track);
  // Without clk_req_o an edge would not change any register, so the clock may be off.
  a_clock_is_asked_for : assert property (@(posedge clk_i) disable iff (!rst_ni) !clk_req_o |=>
      $stable({state_q, position_q, position_known_q, write_pending_q, index_count_q}));
  // Assumptions at the inputs: the levels exclude each other, and heads are ready at speed only.
  m_speed_or_rest : assume property (@(posedge clk_i) disable iff (!rst_ni)
      !(hda_i.at_speed && hda_i.at_rest));
  m_ready_at_speed : assume property (@(posedge clk_i) disable iff (!rst_ni)
      hda_i.read_ready || hda_i.write_ready |-> hda_i.at_speed);

  // A test reaches each state and each error (tests/rtl/test_covers.py).
  c_st_idle : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StIdle);
  c_st_blank : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StBlank);
  c_st_settle : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StSettle);
  c_seek_error : cover property (@(posedge clk_i) disable iff (!rst_ni) events.seek_error);
  c_speed_lost_in_seek : cover property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == StSettle && !hda_i.at_speed);
  c_follow_refused : cover property (@(posedge clk_i) disable iff (!rst_ni)
      follow_i && !seek_req);
  c_recalibration_refused : cover property (@(posedge clk_i) disable iff (!rst_ni)
      recalibration_wanted && !recalibrate);
  c_recalibration_in_seek : cover property (@(posedge clk_i) disable iff (!rst_ni)
      recalibrate && state_q != StIdle);
  c_speed_lost : cover property (@(posedge clk_i) disable iff (!rst_ni) events.speed_lost);
`endif

endmodule
