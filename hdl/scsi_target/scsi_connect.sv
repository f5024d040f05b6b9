// SPDX-License-Identifier: Apache-2.0
// Connections of the target: answers selection, arbitrates and reselects, releases the bus.
//
// Clauses are those of SCSI-2: 6.1.1 bus free, 6.1.2 arbitration, 6.1.3 selection, 6.1.4
// reselection, 6.2.2 reset.
// Timing: every wait begins in the cycle in which the block sampled or drove the edge, and so lasts
//         slightly longer at the pins. If the block samples a pin after a wait, SyncClocks are
//         added. Waiting for a pin needs no clock. The firmware limits the wait for the answer to a
//         reselection: it measures the selection time-out delay and writes abort.
// Errors: lost arbitration, no answer, RST: one pulse each, and the bus is released.
module scsi_connect
  import scsi_target_pkg::*;
  import scsi_timing_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        enable_i,  // answer selection
  input  logic        parity_check_i,
  input  logic [3:0]  own_id_i,

  // Commands, one cycle each.
  input  logic        reselect_i,
  input  logic [3:0]  reselect_id_i,
  input  logic        release_i,
  input  logic        abort_i,

  // The bus, synchronised.
  input  logic [15:0] db_i,
  input  logic [1:0]  dp_i,
  input  logic        bsy_i,
  input  logic        sel_i,
  input  logic        io_i,
  input  logic        atn_i,
  input  logic        rst_i,

  // The signals to drive, registered.
  output logic [15:0] db_o,
  output logic [1:0]  dp_o,
  output logic        bsy_o,
  output logic        sel_o,
  output logic        io_o,

  output logic        connected_o,
  output logic        busy_o,
  output logic [3:0]  initiator_id_o,
  output logic        selected_with_atn_o,

  // Events, one cycle each.
  output logic        selected_o,
  output logic        reselected_o,
  output logic        arbitration_lost_o,
  output logic        reselect_timeout_o,
  output logic        attention_o,
  output logic        bus_reset_o,
  output logic        disconnected_o,

  output logic        clk_req_o
);

  typedef enum logic [3:0] {
    StFree,       // not connected; may be selected
    StAnswer,     // selected: BSY asserted, waits until SEL falls
    StConnected,
    StRelease,    // all signals released; waits until the bus counts as free
    StWaitFree,   // reselect: waits for the bus, still answers selection
    StArbitrate,  // BSY and own id asserted
    StWon,        // SEL asserted, too; the losers leave
    StReselectId, // I/O and both ids asserted, too
    StReselect,   // BSY released; waits for the initiator's BSY
    StGiveUp,     // ids released; the initiator may still answer
    StTakeBsy     // BSY taken over from the initiator
  } state_e;

  localparam int unsigned TimerWidth = $clog2(GiveUpClocks + SyncClocks);
  localparam int unsigned FreeWidth  = $clog2(FreeToArbitrateClocks + 1);
  localparam int unsigned MatchWidth = $clog2(BusSettleClocks + 1);

  // The timer's value on entry into a state.
  function automatic logic [TimerWidth-1:0] clocks_left(state_e entered);
    unique case (entered)
      StRelease:               return TimerWidth'(BusSettleClocks - 1);
      StArbitrate:             return TimerWidth'(ArbitrationClocks + SyncClocks - 1);
      StWon:                   return TimerWidth'(ArbitrationWonClocks - 1);
      StReselectId, StTakeBsy: return TimerWidth'(TwoDeskewClocks - 1);
      StReselect:              return TimerWidth'(BusSettleClocks + SyncClocks - 1);
      StGiveUp:                return TimerWidth'(GiveUpClocks + SyncClocks - 1);
      default:                 return '0;  // no time limit
    endcase
  endfunction

  state_e                state_d, state_q;
  logic [TimerWidth-1:0] timer_d, timer_q;        // clocks left in the state
  logic [FreeWidth-1:0]  free_clocks_d, free_clocks_q;    // how long the bus has been free
  logic [MatchWidth-1:0] match_clocks_d, match_clocks_q;  // how long the target has been selected
  logic                  abort_d, abort_q;        // the reselection must be abandoned
  logic                  timed_out_d, timed_out_q;  // the bus was released after no answer
  logic [3:0]            initiator_id_d, initiator_id_q;
  logic                  with_atn_d, with_atn_q;
  logic                  atn_seen_d, atn_seen_q;
  logic                  rst_seen_q;
  logic [15:0]           db_d, db_q;
  logic [1:0]            dp_d, dp_q;

  logic                  enters;                  // the state changes
  logic                  bus_free, joinable, may_arbitrate, outranked;
  logic                  listening, match, chosen, timer_done;
  logic [15:0]           other_ids;
  logic [1:0]            parity_bad;
  logic                  parity_good;

  // --- Bus free (6.1.1) and when to arbitrate (6.1.2 a to c) -------------------------------------
  // The bus is free when BSY and SEL were false for a bus settle delay. The target may arbitrate a
  // bus free delay later. Another device may begin arbitration in that delay, and the target may
  // still join. It joins at the end of its own delay, well within a bus set delay (1.8 us) after it
  // detected bus free.
  assign bus_free = !bsy_i & !sel_i & !rst_i;
  assign joinable = (state_q == StWaitFree) & bsy_i & !sel_i & !rst_i &
                    (free_clocks_q >= FreeWidth'(BusSettleClocks));

  assign may_arbitrate = (bus_free | joinable) &
                         (free_clocks_q == FreeWidth'(FreeToArbitrateClocks));

  // 6.1.2 d: SEL means that another device has won; at the end of the delay the highest id wins.
  assign outranked = sel_i | (timer_done & ((db_i & ids_above(own_id_i)) != '0));

  always_comb begin
    free_clocks_d = '0;
    if (bus_free | joinable) begin
      free_clocks_d = free_clocks_q;
      if (free_clocks_q != FreeWidth'(FreeToArbitrateClocks)) free_clocks_d = free_clocks_q + 1'b1;
    end
  end

  // --- Selection (6.1.3) -------------------------------------------------------------------------
  // The target is selected when its id and at most one other were asserted for at least a bus
  // settle delay. Parity must be good, and I/O false: true would mean reselection. An 8-bit
  // initiator drives neither DB(15-8) nor DB(P1), so both zero is no error.
  assign other_ids   = db_i & ~id_bit(own_id_i);
  assign parity_bad  = dp_i ^ parity_of(db_i);
  assign parity_good = !parity_bad[0] & (!parity_bad[1] | ({dp_i[1], db_i[15:8]} == '0));
  assign listening   = (state_q == StFree) | (state_q == StWaitFree);
  assign match       = listening & enable_i & sel_i & !bsy_i & !io_i & !rst_i & db_i[own_id_i] &
                       at_most_two(db_i) &
                       (parity_good | !parity_check_i);

  assign match_clocks_d = !match ? '0 :
                          (match_clocks_q == MatchWidth'(BusSettleClocks)) ? match_clocks_q :
                          match_clocks_q + 1'b1;
  assign chosen         = match & (match_clocks_q == MatchWidth'(BusSettleClocks));

  // --- State machine -----------------------------------------------------------------------------
  assign timer_done = timer_q == '0;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StFree:       if (reselect_i) state_d = StWaitFree;
      StAnswer:     if (!sel_i) state_d = StConnected;
      StConnected:  if (release_i) state_d = StRelease;
      StRelease:    if (timer_done) state_d = StFree;
      StWaitFree: begin
        if (abort_i) state_d = StFree;
        else if (may_arbitrate) state_d = StArbitrate;
      end
      StArbitrate: begin
        if (outranked) state_d = StFree;
        else if (timer_done) state_d = StWon;
      end
      StWon:        if (timer_done) state_d = StReselectId;
      StReselectId: if (timer_done) state_d = StReselect;
      StReselect: begin
        if (timer_done & bsy_i) state_d = StTakeBsy;
        else if (timer_done & abort_q) state_d = StGiveUp;
      end
      // 6.1.4.2 b: the initiator may have detected the reselection just before the ids were
      // released.
      StGiveUp: begin
        if (bsy_i) state_d = StTakeBsy;
        else if (timer_done) state_d = StRelease;
      end
      StTakeBsy:    if (timer_done) state_d = StConnected;
      default:      state_d = StFree;
    endcase
    if (chosen) state_d = StAnswer;
    // Reset condition (6.2.2): release all signals at once, in any state.
    if (bus_reset_o) state_d = StFree;
  end
  assign enters = state_d != state_q;

  // Events. A reset suppresses all others.
  always_comb begin
    selected_o         = 1'b0;
    reselected_o       = 1'b0;
    arbitration_lost_o = 1'b0;
    reselect_timeout_o = 1'b0;
    disconnected_o     = 1'b0;
    if (!bus_reset_o) begin
      unique case (state_q)
        StFree: begin
          arbitration_lost_o = reselect_i & chosen;
          disconnected_o     = release_i;
        end
        StAnswer: begin
          selected_o         = !sel_i;
          arbitration_lost_o = reselect_i;
          disconnected_o     = release_i;
        end
        StConnected: arbitration_lost_o = reselect_i;
        StRelease: begin
          reselect_timeout_o = timer_done & timed_out_q;
          disconnected_o     = timer_done & !timed_out_q;
        end
        StWaitFree:  arbitration_lost_o = abort_i | chosen;
        StArbitrate: arbitration_lost_o = outranked;
        StTakeBsy:   reselected_o = timer_done;
        default: ;
      endcase
    end
  end

  // --- Datapath ----------------------------------------------------------------------------------
  assign timer_d = enters ? clocks_left(state_d) : timer_done ? '0 : timer_q - 1'b1;
  assign abort_d = (abort_q | abort_i) & !(state_d inside {StFree, StWaitFree});
  assign timed_out_d = (enters & (state_d == StRelease)) ? (state_q == StGiveUp) : timed_out_q;

  // The initiator of the connection.
  always_comb begin
    initiator_id_d = initiator_id_q;
    if (chosen) initiator_id_d = (other_ids == '0) ? own_id_i : id_of(other_ids);
    else if (reselect_i & (state_q == StFree)) initiator_id_d = reselect_id_i;
  end
  always_comb begin
    with_atn_d = with_atn_q;
    if (!sel_i & (state_q == StAnswer)) with_atn_d = atn_i;
    if (timer_done & (state_q == StTakeBsy)) with_atn_d = 1'b0;
  end

  // DATA BUS: the target's id from arbitration on, both ids in reselection.
  logic [15:0] both_ids;
  assign both_ids = id_bit(own_id_i) | id_bit(initiator_id_q);
  always_comb begin
    db_d = db_q;
    dp_d = dp_q;
    if (enters) begin
      unique case (state_d)
        StArbitrate:  db_d = id_bit(own_id_i);
        StReselectId: {db_d, dp_d} = {both_ids, parity_of(both_ids)};
        StWon, StReselect, StTakeBsy: ;
        default:      {db_d, dp_d} = '0;
      endcase
    end
  end

  // --- Attention (6.2.1) and reset ---------------------------------------------------------------
  // selected_with_atn reports ATN during selection; later, and after a reselection, ATN raises an
  // event.
  assign attention_o = connected_o & atn_i & !atn_seen_q & !bus_reset_o;
  assign atn_seen_d  = (selected_o | connected_o) & atn_i;
  assign bus_reset_o = rst_i & !rst_seen_q;

  assign connected_o         = state_q == StConnected;
  assign busy_o              = !(state_q inside {StFree, StAnswer, StConnected});
  assign initiator_id_o      = initiator_id_q;
  assign selected_with_atn_o = with_atn_q;

  // --- Registers and drivers ---------------------------------------------------------------------
  logic bsy_d, sel_d, io_d;
  assign bsy_d = state_d inside {StAnswer, StConnected, StArbitrate, StWon, StReselectId,
                                 StTakeBsy};
  assign sel_d = state_d inside {StWon, StReselectId, StReselect, StGiveUp, StTakeBsy};
  assign io_d  = state_d inside {StReselectId, StReselect, StGiveUp, StTakeBsy};
  assign db_o  = db_q;
  assign dp_o  = dp_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= StFree;
      timer_q        <= '0;
      free_clocks_q  <= '0;
      match_clocks_q <= '0;
      abort_q        <= 1'b0;
      timed_out_q    <= 1'b0;
      initiator_id_q <= '0;
      with_atn_q     <= 1'b0;
      atn_seen_q     <= 1'b0;
      rst_seen_q     <= 1'b0;
      db_q           <= '0;
      dp_q           <= '0;
      bsy_o          <= 1'b0;
      sel_o          <= 1'b0;
      io_o           <= 1'b0;
    end else begin
      state_q        <= state_d;
      timer_q        <= timer_d;
      free_clocks_q  <= free_clocks_d;
      match_clocks_q <= match_clocks_d;
      abort_q        <= abort_d;
      timed_out_q    <= timed_out_d;
      initiator_id_q <= initiator_id_d;
      with_atn_q     <= with_atn_d;
      atn_seen_q     <= atn_seen_d;
      rst_seen_q     <= rst_i;
      db_q           <= db_d;
      dp_q           <= dp_d;
      bsy_o          <= bsy_d;
      sel_o          <= sel_d;
      io_o           <= io_d;
    end
  end

  // The block needs an edge that would change a register. Registers not listed change with these.
  assign clk_req_o = (state_d != state_q) | (timer_d != timer_q) | (abort_d != abort_q) |
                     (free_clocks_d != free_clocks_q) | (match_clocks_d != match_clocks_q) |
                     (atn_seen_d != atn_seen_q) | (rst_i != rst_seen_q) |
                     arbitration_lost_o | disconnected_o;

`ifndef SYNTHESIS
  // Assumption: the other parts of the block give one command at a time.
  a_one_command : assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot0({reselect_i, release_i, abort_i}));
  // Promise: SEL is driven only in a reselection after a won arbitration; an idle target drives
  // nothing.
  a_sel_after_bsy : assert property (@(posedge clk_i) disable iff (!rst_ni)
    $rose(sel_o) |-> bsy_o);
  a_free_is_quiet : assert property (@(posedge clk_i) disable iff (!rst_ni)
    listening |-> ({bsy_o, sel_o, io_o, db_o, dp_o} == '0));
  // A connection leaves the data bus and I/O to the transfer.
  a_connected_is_quiet : assert property (@(posedge clk_i) disable iff (!rst_ni)
    connected_o |-> bsy_o & ({sel_o, io_o, db_o, dp_o} == '0));

  // A test reaches each state and each error (tests/rtl/test_covers.py).
  c_st_free : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StFree);
  c_st_answer : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StAnswer);
  c_st_connected : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StConnected);
  c_st_release : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StRelease);
  c_st_wait_free : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StWaitFree);
  c_st_arbitrate : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StArbitrate);
  c_st_won : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StWon);
  c_st_reselect_id : cover property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == StReselectId);
  c_st_reselect : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StReselect);
  c_st_give_up : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StGiveUp);
  c_st_take_bsy : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StTakeBsy);
  c_selected : cover property (@(posedge clk_i) disable iff (!rst_ni) selected_o);
  c_reselected : cover property (@(posedge clk_i) disable iff (!rst_ni) reselected_o);
  c_outranked : cover property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == StArbitrate) & outranked);
  c_selected_while_waiting : cover property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == StWaitFree) & chosen);
  c_reselect_timeout : cover property (@(posedge clk_i) disable iff (!rst_ni) reselect_timeout_o);
  c_late_answer : cover property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == StGiveUp) & bsy_i);
  c_reset_while_busy : cover property (@(posedge clk_i) disable iff (!rst_ni)
      bus_reset_o & (state_q != StFree));
  c_bad_parity : cover property (@(posedge clk_i) disable iff (!rst_ni)
      listening & enable_i & sel_i & !bsy_i & !parity_good & parity_check_i);
  c_joined : cover property (@(posedge clk_i) disable iff (!rst_ni) may_arbitrate & joinable);
`endif

endmodule
