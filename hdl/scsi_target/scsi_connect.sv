// Connections of the target: answers selection, arbitrates and reselects, lets go of the bus.
//
// Clauses are those of SCSI-2: 6.1.1 bus free, 6.1.2 arbitration, 6.1.3 selection, 6.1.4
// reselection, 6.2.2 reset.
// Timing: every wait runs from the clock in which the block saw or drove the edge, and so lasts a
//         bit longer on the pins; where something must be seen after a wait, SyncClocks are added.
//         Waiting for a pin costs no clock. How long to wait for the answer to a reselection is
//         the firmware's affair: it measures the selection time-out delay and writes abort.
// Errors: lost arbitration, no answer, RST: one pulse each, and the bus is let go of.
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

  // What to drive, registered.
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
    StFree,       // not connected; listens for selection
    StAnswer,     // selected: BSY asserted, waits for SEL to go
    StConnected,
    StRelease,    // everything let go of; waits until the bus counts as free
    StWaitFree,   // reselect: waits for the bus, still listens for selection
    StArbitrate,  // BSY and own id asserted
    StWon,        // SEL too; the losers go
    StReselectId, // I/O and both ids too
    StReselect,   // BSY let go of; waits for the initiator's
    StGiveUp,     // ids let go of; last chance for the initiator
    StTakeBsy     // BSY taken over from the initiator
  } state_e;

  localparam int unsigned TimerWidth = $clog2(GiveUpClocks + SyncClocks);
  localparam int unsigned FreeWidth  = $clog2(FreeToArbitrateClocks + 1);
  localparam int unsigned MatchWidth = $clog2(BusSettleClocks + 1);

  // What a timer is loaded with so that a state lasts so many clocks.
  function automatic logic [TimerWidth-1:0] lasting(int unsigned clock_count);
    return TimerWidth'(clock_count - 1);
  endfunction

  state_e                state_d, state_q;
  logic [TimerWidth-1:0] timer_d, timer_q;        // clocks left in the state
  logic [FreeWidth-1:0]  free_clocks_d, free_clocks_q;    // how long the bus has been free
  logic [MatchWidth-1:0] match_clocks_d, match_clocks_q;  // how long we have been selected
  logic                  abort_d, abort_q;        // reselection is to be given up
  logic                  timed_out_d, timed_out_q;  // why the bus was let go of
  logic [3:0]            initiator_id_d, initiator_id_q;
  logic                  with_atn_d, with_atn_q;
  logic                  atn_seen_d, atn_seen_q;
  logic                  rst_seen_q;
  logic [15:0]           db_d, db_q;
  logic [1:0]            dp_d, dp_q;

  logic                  bus_free, joinable;
  logic                  listening, match;
  logic [15:0]           other_ids;
  logic [1:0]            parity_bad;
  logic                  parity_good;

  // --- Bus free (6.1.1) and when to arbitrate (6.1.2 a to c) -------------------------------------
  // BSY and SEL false for a bus settle delay is bus free; a bus free delay later we may arbitrate.
  // Another may begin in that delay, and then we may still join it: we do so at the end of our own
  // delay, which is well within a bus set delay (1.8 us) of having seen the bus free.
  assign bus_free = !bsy_i & !sel_i & !rst_i;
  assign joinable = (state_q == StWaitFree) & bsy_i & !sel_i & !rst_i &
                    (free_clocks_q >= FreeWidth'(BusSettleClocks));

  always_comb begin
    free_clocks_d = '0;
    if (bus_free | joinable) begin
      free_clocks_d = free_clocks_q;
      if (free_clocks_q != FreeWidth'(FreeToArbitrateClocks)) free_clocks_d = free_clocks_q + 1'b1;
    end
  end

  // --- Selection (6.1.3) -------------------------------------------------------------------------
  // Ours and at most one more id, good parity, no I/O (that would be a reselection), for at least a
  // bus settle delay. An 8-bit initiator drives neither DB(15-8) nor DB(P1): both zero is no error.
  assign other_ids   = db_i & ~id_bit(own_id_i);
  assign parity_bad  = dp_i ^ parity_of(db_i);
  assign parity_good = !parity_bad[0] & (!parity_bad[1] | ({dp_i[1], db_i[15:8]} == '0));
  assign listening   = (state_q == StFree) | (state_q == StWaitFree);
  assign match       = listening & enable_i & sel_i & !bsy_i & !io_i & !rst_i & db_i[own_id_i] &
                       ((other_ids & (other_ids - 16'd1)) == '0) &
                       (parity_good | !parity_check_i);

  assign match_clocks_d = !match ? '0 :
                          (match_clocks_q == MatchWidth'(BusSettleClocks)) ? match_clocks_q :
                          match_clocks_q + 1'b1;

  // --- States ------------------------------------------------------------------------------------
  always_comb begin
    state_d            = state_q;
    timer_d            = (timer_q == '0) ? '0 : timer_q - 1'b1;
    abort_d            = abort_q | abort_i;
    timed_out_d        = timed_out_q;
    initiator_id_d     = initiator_id_q;
    with_atn_d         = with_atn_q;
    db_d               = db_q;
    dp_d               = dp_q;
    selected_o         = 1'b0;
    reselected_o       = 1'b0;
    arbitration_lost_o = 1'b0;
    reselect_timeout_o = 1'b0;
    disconnected_o     = 1'b0;

    unique case (state_q)
      StFree: begin
        disconnected_o = release_i;
        if (reselect_i) begin
          state_d        = StWaitFree;
          initiator_id_d = reselect_id_i;
        end
      end

      StAnswer: begin
        arbitration_lost_o = reselect_i;
        disconnected_o     = release_i;
        if (!sel_i) begin
          state_d    = StConnected;
          selected_o = 1'b1;
          with_atn_d = atn_i;
        end
      end

      StConnected: begin
        arbitration_lost_o = reselect_i;
        if (release_i) begin
          state_d     = StRelease;
          timer_d     = lasting(BusSettleClocks);
          timed_out_d = 1'b0;
        end
      end

      StRelease: begin
        if (timer_q == '0) begin
          state_d            = StFree;
          reselect_timeout_o = timed_out_q;
          disconnected_o     = !timed_out_q;
        end
      end

      StWaitFree: begin
        if (abort_i) begin
          state_d            = StFree;
          arbitration_lost_o = 1'b1;
        end else if ((bus_free | joinable) &
                     (free_clocks_q == FreeWidth'(FreeToArbitrateClocks))) begin
          state_d = StArbitrate;
          timer_d = lasting(ArbitrationClocks + SyncClocks);
          db_d    = id_bit(own_id_i);
        end
      end

      StArbitrate: begin
        // 6.1.2 d: SEL comes from a winner; at the end of the delay the highest id wins.
        if (sel_i | ((timer_q == '0) & ((db_i & ids_above(own_id_i)) != '0))) begin
          state_d            = StFree;
          arbitration_lost_o = 1'b1;
        end else if (timer_q == '0) begin
          state_d = StWon;
          timer_d = lasting(ArbitrationWonClocks);
        end
      end

      StWon: begin
        if (timer_q == '0) begin
          state_d = StReselectId;
          timer_d = lasting(TwoDeskewClocks);
          db_d    = id_bit(own_id_i) | id_bit(initiator_id_q);
          dp_d    = parity_of(id_bit(own_id_i) | id_bit(initiator_id_q));
        end
      end

      StReselectId: begin
        if (timer_q == '0) begin
          state_d = StReselect;
          timer_d = lasting(BusSettleClocks + SyncClocks);
        end
      end

      StReselect: begin
        if (timer_q == '0) begin
          if (bsy_i) begin
            state_d = StTakeBsy;
            timer_d = lasting(TwoDeskewClocks);
          end else if (abort_q) begin
            state_d = StGiveUp;
            timer_d = lasting(GiveUpClocks + SyncClocks);
            db_d    = '0;
            dp_d    = '0;
          end
        end
      end

      StGiveUp: begin
        // 6.1.4.2 b: the initiator may have seen us just before the ids went.
        if (bsy_i) begin
          state_d = StTakeBsy;
          timer_d = lasting(TwoDeskewClocks);
        end else if (timer_q == '0) begin
          state_d     = StRelease;
          timer_d     = lasting(BusSettleClocks);
          timed_out_d = 1'b1;
        end
      end

      StTakeBsy: begin
        if (timer_q == '0) begin
          state_d      = StConnected;
          reselected_o = 1'b1;
          with_atn_d   = 1'b0;
        end
      end

      default: state_d = StFree;
    endcase

    if (match & (match_clocks_q == MatchWidth'(BusSettleClocks))) begin
      state_d            = StAnswer;
      arbitration_lost_o = reselect_i | (state_q == StWaitFree);
      initiator_id_d     = (other_ids == '0) ? own_id_i : id_of(other_ids);
    end

    // Reset condition (6.2.2): let go of everything at once, whatever was going on; told alone.
    if (bus_reset_o) begin
      state_d            = StFree;
      selected_o         = 1'b0;
      reselected_o       = 1'b0;
      arbitration_lost_o = 1'b0;
      reselect_timeout_o = 1'b0;
      disconnected_o     = 1'b0;
    end

    if (state_d inside {StFree, StWaitFree}) abort_d = 1'b0;
    if (state_d inside {StFree, StConnected}) timer_d = '0;
    if (state_d inside {StFree, StConnected, StRelease}) begin
      db_d = '0;
      dp_d = '0;
    end
  end

  // --- Attention (6.2.1) and reset ---------------------------------------------------------------
  // ATN during selection is told by selected_with_atn; later, and after a reselection, as event.
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

  // The next edge matters if it would change anything. What is not listed changes with these.
  assign clk_req_o = (state_d != state_q) | (timer_d != timer_q) | (abort_d != abort_q) |
                     (free_clocks_d != free_clocks_q) | (match_clocks_d != match_clocks_q) |
                     (atn_seen_d != atn_seen_q) | (rst_i != rst_seen_q) |
                     arbitration_lost_o | disconnected_o;

`ifndef SYNTHESIS
  // Assumed of the rest of the block.
  a_one_command : assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot0({reselect_i, release_i, abort_i}));
  // Promised: SEL only in a reselection that was won with BSY, and all quiet when not in use.
  a_sel_after_bsy : assert property (@(posedge clk_i) disable iff (!rst_ni)
    $rose(sel_o) |-> bsy_o);
  a_free_is_quiet : assert property (@(posedge clk_i) disable iff (!rst_ni)
    listening |-> ({bsy_o, sel_o, io_o, db_o, dp_o} == '0));
`endif

endmodule
