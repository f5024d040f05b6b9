// SPDX-License-Identifier: Apache-2.0
// Information transfer of the target: bus phases, REQ/ACK, asynchronous and synchronous, one or two
// bytes at a time.
//
// Clauses are those of SCSI-2: 6.1.5.1 asynchronous, 6.1.5.2 synchronous, 6.1.5.3 wide transfer,
// 6.1.10 between phases.
// Timing: a new phase is driven for a bus settle delay before REQ. After the DATA BUS turns towards
//         the initiator, it is driven only after data release and bus settle delay. Towards the
//         initiator, a unit of data is driven SetupClocks before REQ. Asynchronous: one REQ, one
//         ACK. Synchronous: REQ every period_i clocks, at most offset_i ahead of ACK. From the
//         initiator, REQ also never exceeds the room in the FIFO. A transfer ends when ACK is false
//         again and has balanced REQ. Waiting for ACK, the FIFO or the host port needs no clock.
// Errors: bad parity from the initiator stops REQ. Bytes already requested still arrive, are kept
//         and count as moved; parity_error_o pulses in place of done_o. An abort also stops REQ,
//         and empties the FIFO. A second abort no longer waits for ACK: only release may follow. In
//         MESSAGE OUT, a byte whose ACK comes with ATN false is the last (6.2.1). One more REQ
//         would make the initiator send all of them again (6.1.9.2).
// Items: with whole_i a transfer also ends after a whole command, or after a message that the
//        firmware may reject. The firmware must reject it before it requests more (6.6.14).
// Chains: with then_message_i the FIFO's bytes follow as MESSAGE IN, after a transfer or an
//        answered reselection. With take_command_i a selection goes on through MESSAGE OUT and
//        COMMAND, as long as the messages are those that need no answer. Two phases of a connection
//        then cost the firmware one event.
module scsi_transfer
  import scsi_target_pkg::*;
  import scsi_timing_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        connected_i,  // low: the block leaves the bus at once, without an event

  // Commands, one cycle each, and the parameters of a transfer, registered at its start.
  input  logic        start_i,
  input  logic        abort_i,
  input  phase_t      phase_i,
  input  logic [23:0] count_i,      // bytes
  input  logic        dma_i,        // the FIFO's other side is the host port
  input  logic        whole_i,      // also ends after a whole item
  input  logic        then_release_i,  // release_o replaces done_o if ATN is false
  input  logic        then_message_i,  // the FIFO's messages replace done_o if ATN is false
  input  logic        reselected_i,    // high for one cycle, the last before connected_i
  input  logic        selected_i,      // high for one cycle, the last before connected_i
  input  logic        arbitration_lost_i,
  input  logic        take_command_i,
  input  logic        with_atn_i,      // ATN of the selection, while connected
  input  logic        wide_i,
  input  logic [4:0]  offset_i,     // 0: asynchronous
  input  logic [7:0]  period_i,     // clocks
  input  logic        parity_check_i,

  // The bus, synchronised, and the signals to drive, registered.
  input  logic [15:0] db_i,
  input  logic [1:0]  dp_i,
  input  logic        ack_i,
  input  logic        atn_i,
  output logic [15:0] db_o,
  output logic [1:0]  dp_o,
  output phase_t      phase_o,
  output logic        req_o,

  // The bus side of the FIFO: up to two bytes, the first in the low byte.
  input  logic [4:0]  fifo_level_i,
  input  logic [15:0] fifo_head_i,
  output logic [1:0]  fifo_pop_o,
  output logic [1:0]  fifo_push_o,
  output logic [15:0] fifo_push_data_o,
  output logic        fifo_clear_o,

  output logic        busy_o,
  output logic        takes_o,           // messages and command are taken after the selection
  output logic [1:0]  taken_messages_o,  // bytes of MESSAGE OUT; 3 for more
  output logic        fifo_locked_o,     // high until all received bytes have been read
  output logic        dma_in_o,     // a transfer with the host port needs bytes
  output logic        dma_out_o,    // a transfer with the host port delivers bytes
  output logic [23:0] residue_o,    // bytes not moved over the bus
  output logic        done_o,
  output logic        release_o,
  output logic        parity_error_o,
  // High with done_o or parity_error_o, at the end of the transfers after a (re)selection.
  output logic        selection_done_o,
  output logic        reselection_done_o,

  output logic        clk_req_o
);

  typedef enum logic [1:0] {
    StIdle,    // holds the phase while connected
    StSettle,  // the phase is driven, the bus settles
    StMove,
    StDrain    // the last bytes go to the host port
  } state_e;

  // Position of the next byte from the initiator in its item.
  typedef enum logic [1:0] {
    StItemFirst,   // the first byte of a message, or of a command
    StItemLength,  // the length of an extended message
    StItemRest
  } item_e;

  localparam int unsigned TimerWidth = $clog2(TurnInClocks);
  localparam int unsigned SetupWidth = $clog2(SetupClocks);

  // A period that is not fast must keep REQ false for a negation period.
  if (FastPeriodClocks < ReqClocks + clocks(NegationPeriodNs)) begin : g_negation
    $error("the shortest period that is not fast has no room for the negation period");
  end

  // Parameters of a transfer.
  typedef struct packed {
    logic [4:0] offset;  // agreement: 0 is asynchronous
    logic [7:0] period;
    logic       wide;
    logic       dma;
    logic       whole;
    logic       then_release;
    logic       then_message;
    logic       then_command;
  } terms_t;
  localparam terms_t TermsAtReset = '{period: 8'(MinPeriodClocks), default: '0};

  state_e                state_d, state_q;
  logic [TimerWidth-1:0] timer_d, timer_q;
  phase_t                phase_d, phase_q;
  logic                  settled_d, settled_q;          // phase_q was driven long enough
  terms_t                terms_d, terms_q;
  logic [23:0]           req_left_d, req_left_q;        // bytes not requested by REQ yet
  logic [23:0]           ack_left_d, ack_left_q;        // bytes not moved by ACK yet
  logic [4:0]            ahead_d, ahead_q;              // REQs without ACK
  logic                  req_d, req_q;
  logic                  ack_q;
  logic [7:0]            since_req_d, since_req_q;      // clocks since REQ turned true
  logic                  loaded_d, loaded_q;            // the drivers hold a unit that is still
                                                        // needed
  logic [SetupWidth-1:0] setup_d, setup_q;              // clocks until REQ may follow the data
  logic [15:0]           db_d, db_q;
  logic [1:0]            dp_d, dp_q;
  logic                  abort_d, abort_q, parity_d, parity_q;
  logic                  last_d, last_q;                // no further byte follows
  logic                  sends_d, sends_q;              // messages are sent after the reselection
  logic                  takes_d, takes_q;              // messages and command are taken after the selection
  logic                  taken_d, taken_q;              // messages and command were taken in this connection
  logic                  locked_d, locked_q;
  logic                  selecting_d, selecting_q;      // high until the transfers after the selection end
  logic                  reselecting_d, reselecting_q;
  logic [1:0]            messages_d, messages_q;
  logic                  plain_d, plain_q;              // the messages need no answer
  item_e                 item_d, item_q;
  logic [8:0]            item_left_d, item_left_q;      // bytes of the item, in StItemRest

  // --- Agreement and unit ------------------------------------------------------------------------
  logic [7:0] req_clocks;
  logic       sync, fast;

  function automatic logic [1:0] unit_of(logic [23:0] left, logic wide);
    return (wide && (left != 24'd1)) ? 2'd2 : 2'd1;
  endfunction

  assign sync       = terms_q.offset != '0;
  assign fast       = sync & (terms_q.period < 8'(FastPeriodClocks));
  assign req_clocks = fast ? 8'(FastReqClocks) : 8'(ReqClocks);

  // --- ACK: each rise moves a unit ---------------------------------------------------------------
  logic       moved, to_initiator;
  logic [1:0] ack_unit, parity_bad;

  assign to_initiator = phase_q[0];
  assign moved        = ack_i & !ack_q & (ahead_q != '0);
  assign ack_unit     = unit_of(ack_left_q, terms_q.wide);
  // Even an invalid last byte (IGNORE WIDE RESIDUE) has valid parity, so wide units check both
  // bytes.
  assign parity_bad   = dp_i ^ parity_of(db_i);

  assign fifo_push_o      = (moved & !to_initiator) ? ack_unit : 2'd0;
  assign fifo_push_data_o = db_i;

  // --- Data towards the initiator ----------------------------------------------------------------
  logic       data_free, load, stop;
  logic [1:0] req_unit;

  assign stop      = abort_q | parity_q | last_q;
  assign req_unit  = unit_of(req_left_q, terms_q.wide);
  // The data may change when ACK arrives or, in a synchronous transfer, when REQ turns false.
  assign data_free = !loaded_q | (sync ? (req_q & (since_req_q == req_clocks)) : moved);
  assign load      = (state_q == StMove) & to_initiator & !stop & (req_left_q != '0) & data_free &
                     (fifo_level_i >= 5'(req_unit));
  assign fifo_pop_o = load ? req_unit : 2'd0;

  // --- REQ ---------------------------------------------------------------------------------------
  logic       data_ready, room, may_req, req_rise;
  logic [6:0] room_needed;

  // Every REQ without ACK, and this one, brings a unit.
  assign room_needed = 7'(fifo_level_i) +
                       ((7'(ahead_q) + 7'd1) << terms_q.wide);
  assign room        = room_needed <= 7'(FifoDepth);
  assign data_ready  = to_initiator ? (loaded_q & !req_q & (setup_q == '0)) : room;
  assign may_req     = sync ? ((ahead_q < terms_q.offset) & (since_req_q >= terms_q.period))
                              : ((ahead_q == '0) & !ack_i);
  assign req_rise    = (state_q == StMove) & !stop & !abort_i & (req_left_q != '0) & !req_q &
                       data_ready & may_req;

  // --- Items: messages, commands -----------------------------------------------------------------
  logic       sends, goes_on, takes, commands;  // a transfer begins without a command
  logic       item_done, is_identify, is_tag;
  logic [7:0] item_byte;

  assign item_byte   = db_i[7:0];
  assign is_identify = item_byte[7] & (item_byte[5:3] == '0);
  assign is_tag      = (item_byte[7:2] == 6'h08) & (item_byte[1:0] != 2'd3);

  always_comb begin
    item_d      = item_q;
    item_left_d = item_left_q;
    item_done   = 1'b0;
    if (moved & terms_q.whole) begin
      unique case (item_q)
        StItemFirst: begin
          item_d      = StItemRest;
          item_left_d = 9'd1;
          if (phase_q == PhaseCommand) begin
            item_left_d = cdb_bytes(item_byte[7:5]) - 9'd1;
          end else if (item_byte == 8'h01) begin
            item_d = StItemLength;
          end else if (is_identify) begin
            item_d = StItemFirst;  // IDENTIFY is never rejected
          end else begin
            item_done = item_byte[7:4] != 4'h2;
          end
        end

        StItemLength: begin
          item_d      = StItemRest;
          item_left_d = {item_byte == '0, item_byte};
        end

        default: begin
          item_left_d = item_left_q - 9'd1;
          item_done   = item_left_q == 9'd1;
        end
      endcase
    end
    if (start_i | takes | commands) item_d = StItemFirst;
  end

  // --- Messages followed by a command ------------------------------------------------------------
  // IDENTIFY comes first, then at most one message of a tag; ATN falls after either (6.6.7,
  // 6.6.17).
  always_comb begin
    messages_d = messages_q;
    plain_d    = plain_q;
    if (moved & terms_q.then_command) begin
      messages_d = (messages_q == 2'd3) ? 2'd3 : messages_q + 2'd1;
      unique case (messages_q)
        2'd0:    plain_d = is_identify;
        2'd1:    plain_d = plain_q & is_tag;
        default: ;  // The transfer ends after the tag.
      endcase
    end
    if (takes) {messages_d, plain_d} = '0;
  end

  // --- State machine -----------------------------------------------------------------------------
  logic starts, settles, balanced, gives_up, drained, ends, ends_well;

  assign balanced = ((req_left_q == '0) | stop) & (ahead_q == '0) & !req_q & !ack_i;
  assign drained  = abort_q | !terms_q.dma | to_initiator | (fifo_level_i == '0);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: begin
        if (sends | takes) state_d = StSettle;
        else if (start_i) state_d = (settled_q & (phase_i == phase_q)) ? StMove : StSettle;
      end
      StSettle: if (timer_q == '0) state_d = StMove;
      StMove:   if (balanced | gives_up) state_d = StDrain;
      StDrain:  if (drained) state_d = (sends | commands) ? StSettle : StIdle;
      default:  state_d = StIdle;
    endcase
    if (!connected_i) state_d = StIdle;
  end

  assign starts   = (state_q == StIdle) & start_i;
  assign sends_d  = reselected_i & then_message_i;
  assign takes_d  = selected_i & take_command_i;
  assign takes    = takes_q & connected_i;
  assign taken_d  = connected_i & (taken_q | takes_q);

  // The messages of a reselection that the firmware prepares meanwhile must not mix with these.
  assign fifo_locked_o = takes_q | (locked_q & ((state_q != StIdle) | (fifo_level_i != '0)));
  assign locked_d      = connected_i & fifo_locked_o;
  assign sends    = (sends_q & connected_i) | goes_on;
  assign settles  = (state_q inside {StIdle, StDrain}) & (state_d == StSettle);
  // The initiator does not change ACK: the block releases REQ, and leaves the rest to the firmware.
  assign gives_up = (state_q == StMove) & abort_i & abort_q;
  assign ends     = (state_q == StDrain) & drained & connected_i;

  // The end raises one of three events, or none if messages follow or the connection has ended.
  assign ends_well      = ends & !parity_q & !atn_i & !abort_q & !abort_i;
  assign parity_error_o = ends & parity_q;
  assign goes_on        = ends_well & terms_q.then_message;
  assign commands       = ends_well & terms_q.then_command & plain_q & (messages_q != 2'd2);
  assign release_o      = ends_well & terms_q.then_release & !goes_on;
  assign done_o         = (ends & !parity_q & !release_o & !goes_on & !commands) |
                          (starts & !connected_i);

  logic over;
  assign over               = done_o | parity_error_o;
  assign selection_done_o   = over & selecting_q;
  assign reselection_done_o = over & reselecting_q;
  assign selecting_d        = connected_i & (takes | (selecting_q & !over));
  assign reselecting_d      = connected_i & (sends_q | (reselecting_q & !over));

  always_comb begin
    unique case (state_q)
      // Messages for a reselection that did not come are dropped.
      StIdle:  fifo_clear_o = takes | (arbitration_lost_i & !fifo_locked_o) |
                              (start_i ? dma_i : abort_i);
      default: fifo_clear_o = !connected_i | (ends & abort_q);
    endcase
  end

  // --- Datapath ----------------------------------------------------------------------------------
  always_comb begin
    terms_d = terms_q;
    if (sends) begin
      terms_d = '{period: terms_q.period, then_release: goes_on, default: '0};
    end else if (takes | commands) begin
      terms_d = '{period: terms_q.period, whole: 1'b1, then_command: takes & with_atn_i,
                  default: '0};
    end else if (starts) begin
      terms_d = '{
        offset:       is_data_phase(phase_i) ? offset_i : '0,
        period:       (period_i < 8'(MinPeriodClocks)) ? 8'(MinPeriodClocks) : period_i,
        wide:         is_data_phase(phase_i) & wide_i,
        dma:          dma_i,
        whole:        whole_i & ((phase_i == PhaseCommand) | (phase_i == PhaseMessageOut)),
        then_release: then_release_i,
        then_message: then_message_i,
        then_command: 1'b0
      };
    end
  end

  // The phase, and how long it must be driven before REQ.
  always_comb begin
    phase_d   = starts ? phase_i : phase_q;
    if (sends) phase_d = PhaseMessageIn;
    if (takes | commands) phase_d = (takes & with_atn_i) ? PhaseMessageOut : PhaseCommand;
    settled_d = settled_q | ((state_q == StSettle) & (timer_q == '0));
    timer_d   = (timer_q == '0) ? '0 : timer_q - 1'b1;
    if (settles) begin
      settled_d = 1'b0;
      timer_d   = (phase_d[0] & !phase_q[0]) ? TimerWidth'(TurnInClocks - 1)
                                             : TimerWidth'(BusSettleClocks - 1);
    end
    if (!connected_i) {phase_d, settled_d, timer_d} = '0;
  end

  // Bytes requested by REQ, and bytes moved by ACK.
  always_comb begin
    req_left_d = req_rise ? req_left_q - 24'(req_unit) : req_left_q;
    ack_left_d = moved ? ack_left_q - 24'(ack_unit) : ack_left_q;
    ahead_d    = ahead_q + 5'(req_rise) - 5'(moved);
    if (starts) {req_left_d, ack_left_d} = {count_i, count_i};
    // An abort in this very cycle empties the FIFO.
    if (sends) {req_left_d, ack_left_d} = abort_i ? '0 : {2{24'(fifo_level_i)}};
    if (takes) {req_left_d, ack_left_d} = {2{24'(FifoDepth)}};
    if (commands) {req_left_d, ack_left_d} = {2{24'(FifoDepth) - 24'(fifo_level_i)}};
    if (gives_up | !connected_i) ahead_d = '0;
  end

  // REQ lasts for its period in a synchronous transfer, until ACK in an asynchronous one.
  always_comb begin
    req_d       = req_q;
    since_req_d = (sync & (since_req_q < terms_q.period)) ? since_req_q + 8'd1 : since_req_q;
    if (req_rise) begin
      req_d       = 1'b1;
      since_req_d = 8'd1;
    end else if (sync ? (since_req_q == req_clocks) : moved) begin
      req_d = 1'b0;
    end
    if (gives_up | !connected_i) req_d = 1'b0;
  end

  // The drivers of DATA BUS, and their set-up time before REQ. In the other direction they are off.
  always_comb begin
    loaded_d = loaded_q & !data_free;
    setup_d  = (setup_q == '0) ? '0 : setup_q - 1'b1;
    db_d     = db_q;
    dp_d     = dp_q;
    if (load) begin
      loaded_d = 1'b1;
      setup_d  = SetupWidth'((fast ? FastSetupClocks : SetupClocks) - 1);
      db_d     = {(req_unit == 2'd2) ? fifo_head_i[15:8] : 8'd0, fifo_head_i[7:0]};
      // The drivers of DB(15-8) and DB(P1) are off in 8-bit transfers.
      dp_d     = parity_of(db_d) & {terms_q.wide, 1'b1};
    end
    if (ends | !connected_i) loaded_d = 1'b0;
    if (!phase_d[0] | !connected_i) {db_d, dp_d} = '0;
  end

  // Reasons to stop.
  always_comb begin
    abort_d  = abort_q | (abort_i & (state_q != StIdle));
    parity_d = parity_q | (moved & !to_initiator & parity_check_i &
                           (parity_bad[0] | (terms_q.wide & parity_bad[1])));
    last_d   = last_q | (moved & (((phase_q == PhaseMessageOut) & !atn_i) | item_done));
    if (starts | sends | takes | commands) {abort_d, parity_d, last_d} = '0;
  end

  assign db_o      = db_q;
  assign dp_o      = dp_q;
  assign phase_o   = phase_q;
  assign req_o     = req_q;
  assign busy_o    = (state_q != StIdle) | sends_q | takes_q;
  assign dma_in_o  = (state_q != StIdle) & terms_q.dma & to_initiator & !abort_q;
  assign dma_out_o = (state_q != StIdle) & terms_q.dma & !to_initiator;
  assign residue_o = ack_left_q;

  assign takes_o          = taken_q;
  assign taken_messages_o = messages_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StIdle;
      timer_q     <= '0;
      phase_q     <= '0;
      settled_q   <= 1'b0;
      terms_q     <= TermsAtReset;
      req_left_q  <= '0;
      ack_left_q  <= '0;
      ahead_q     <= '0;
      req_q       <= 1'b0;
      ack_q       <= 1'b0;
      since_req_q <= '0;
      loaded_q    <= 1'b0;
      setup_q     <= '0;
      db_q        <= '0;
      dp_q        <= '0;
      abort_q     <= 1'b0;
      parity_q    <= 1'b0;
      last_q      <= 1'b0;
      sends_q     <= 1'b0;
      takes_q     <= 1'b0;
      taken_q     <= 1'b0;
      locked_q    <= 1'b0;
      selecting_q   <= 1'b0;
      reselecting_q <= 1'b0;
      messages_q  <= '0;
      plain_q     <= 1'b0;
      item_q      <= StItemFirst;
      item_left_q <= '0;
    end else begin
      state_q     <= state_d;
      timer_q     <= timer_d;
      phase_q     <= phase_d;
      settled_q   <= settled_d;
      terms_q     <= terms_d;
      req_left_q  <= req_left_d;
      ack_left_q  <= ack_left_d;
      ahead_q     <= ahead_d;
      req_q       <= req_d;
      ack_q       <= ack_i;
      since_req_q <= since_req_d;
      loaded_q    <= loaded_d;
      setup_q     <= setup_d;
      db_q        <= db_d;
      dp_q        <= dp_d;
      abort_q     <= abort_d;
      parity_q    <= parity_d;
      last_q      <= last_d;
      sends_q     <= sends_d;
      takes_q     <= takes_d;
      taken_q     <= taken_d;
      locked_q    <= locked_d;
      selecting_q   <= selecting_d;
      reselecting_q <= reselecting_d;
      messages_q  <= messages_d;
      plain_q     <= plain_d;
      item_q      <= item_d;
      item_left_q <= item_left_d;
    end
  end

  // The block needs an edge that would change a register. Registers not listed change with these.
  assign clk_req_o = (state_d != state_q) | (timer_d != timer_q) | (phase_d != phase_q) |
                     (req_d != req_q) | (ack_i != ack_q) | (ahead_d != ahead_q) |
                     (since_req_d != since_req_q) | (setup_d != setup_q) |
                     (loaded_d != loaded_q) | (abort_d != abort_q) | (db_d != db_q) |
                     (dp_d != dp_q) | (sends_d != sends_q) | (takes_d != takes_q) |
                     (taken_d != taken_q) | (locked_d != locked_q) | fifo_clear_o | done_o;

`ifndef SYNTHESIS
  // Assumptions: the FIFO's level is right, and a transfer is not started twice.
  a_start_when_idle : assert property (@(posedge clk_i) disable iff (!rst_ni)
    start_i |-> (state_q == StIdle) & !sends_q & !takes_q);
  // Promises at the pins.
  a_offset : assert property (@(posedge clk_i) disable iff (!rst_ni)
    (sync & busy_o) |-> (ahead_q <= terms_q.offset));
  a_one_async : assert property (@(posedge clk_i) disable iff (!rst_ni)
    (!sync & busy_o) |-> (ahead_q <= 5'd1));
  a_phase_stands : assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_q & connected_i) |=> $stable(phase_q));
  a_no_overflow : assert property (@(posedge clk_i) disable iff (!rst_ni)
    (fifo_push_o != '0) |-> (fifo_level_i + 5'(fifo_push_o) <= 5'(FifoDepth)));
  a_no_more_than_asked : assert property (@(posedge clk_i) disable iff (!rst_ni)
    ack_left_q >= req_left_q);
  // The promises rest on these (hdl/synth/prove_blocks.py). REQ is outstanding only while bytes
  // move. Each REQ has room in the FIFO, and is a unit between the two counts. If the number of
  // bytes is odd, the last unit of a wide transfer is one byte.
  logic [23:0] outstanding;
  logic        is_odd;
  assign outstanding = 24'(ahead_q) << terms_q.wide;
  assign is_odd      = terms_q.wide & (req_left_q == '0) & (ahead_q != '0) & ack_left_q[0];
  a_req_while_moving : assert property (@(posedge clk_i) disable iff (!rst_ni)
    (state_q != StMove) |-> (ahead_q == '0) & !req_q);
  a_room : assert property (@(posedge clk_i) disable iff (!rst_ni)
    ((state_q == StMove) & !to_initiator) |-> (24'(fifo_level_i) + outstanding <= 24'(FifoDepth)));
  a_units : assert property (@(posedge clk_i) disable iff (!rst_ni)
    (state_q inside {StSettle, StMove}) |->
    (ack_left_q - req_left_q + 24'(is_odd) == outstanding));

  // A test reaches each state and each error (tests/rtl/test_covers.py).
  c_st_idle : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StIdle);
  c_st_settle : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StSettle);
  c_st_move : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StMove);
  c_st_drain : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StDrain);
  c_item_first : cover property (@(posedge clk_i) disable iff (!rst_ni)
      moved & terms_q.whole & (item_q == StItemFirst));
  c_item_length : cover property (@(posedge clk_i) disable iff (!rst_ni)
      moved & (item_q == StItemLength));
  c_item_rest : cover property (@(posedge clk_i) disable iff (!rst_ni)
      moved & (item_q == StItemRest));
  c_parity_error : cover property (@(posedge clk_i) disable iff (!rst_ni) parity_error_o);
  c_abort : cover property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == StMove) & abort_i & !abort_q);
  c_gives_up : cover property (@(posedge clk_i) disable iff (!rst_ni) gives_up);
  c_connection_lost : cover property (@(posedge clk_i) disable iff (!rst_ni)
      !connected_i & (state_q != StIdle));
  c_last_message_byte : cover property (@(posedge clk_i) disable iff (!rst_ni)
      moved & (phase_q == PhaseMessageOut) & !atn_i);
  c_then_release : cover property (@(posedge clk_i) disable iff (!rst_ni) release_o);
  c_then_message : cover property (@(posedge clk_i) disable iff (!rst_ni) goes_on);
  c_message_after_reselection : cover property (@(posedge clk_i) disable iff (!rst_ni)
      sends_q & connected_i);
  c_takes_messages : cover property (@(posedge clk_i) disable iff (!rst_ni) takes & with_atn_i);
  c_takes_command : cover property (@(posedge clk_i) disable iff (!rst_ni) takes & !with_atn_i);
  c_then_command : cover property (@(posedge clk_i) disable iff (!rst_ni) commands);
  c_messages_need_an_answer : cover property (@(posedge clk_i) disable iff (!rst_ni)
      ends_well & terms_q.then_command & !plain_q);
`endif

endmodule
