// Ring segments: where the next sector goes to and comes from, and how many whole ones there are.
//
// A ring is SIZE sectors; its producing and consuming pointers are sector numbers in the ring, so
// that moving one past any number of sectors is one addition and one comparison. Two channels look
// at one segment each: ready and index answer in the same cycle for the configured segment and
// direction (a consumer is ready when a whole sector waits, a producer when there is room for one).
//
// Timing: finish (one cycle) moves the pointer and the level at the next edge. All changes of a
// cycle count: a credit given and one taken cancel out; then comes reset, then produce.
// Errors: none. A credit that does not fit is not given, one that is not there is not taken: LEVEL
// stays within 0..SIZE even if firmware produces by hand into a ring that a channel fills.
module buffer_mgr_segments
  import buffer_mgr_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  input  segment_config_t [SegmentCount-1:0] segment_i,
  output logic [SegmentCount-1:0][15:0]      level_o,
  output logic                               busy_o,  // CONTROL is being served

  input  channel_config_t host_i,
  input  logic            host_finish_i,
  output logic            host_ready_o,
  output logic [15:0]     host_index_o,

  input  channel_config_t disk_i,
  input  logic            disk_finish_i,
  output logic            disk_ready_o,
  output logic [15:0]     disk_index_o
);

  // Pointers stay below SIZE.
  typedef struct packed {
    logic [15:0] level;
    logic [15:0] produce;
    logic [15:0] consume;
  } ring_t;

  ring_t [SegmentCount-1:0] ring_q, ring_d;

  // The pointer `count` sectors further on, count <= size.
  function automatic logic [15:0] advance(logic [15:0] index, logic [15:0] count,
                                          logic [15:0] size);
    logic [16:0] sum;
    logic [15:0] wrapped;
    logic        inside_ring;
    sum = {1'b0, index} + {1'b0, count};
    // The borrow of the subtraction is the comparison.
    {inside_ring, wrapped} = sum - {1'b0, size};
    return inside_ring ? sum[15:0] : wrapped;
  endfunction

  // --- Channels: what a sector given or taken makes of the ring that each looks at --------------
  // Worked out from registers alone: that a channel finishes is known late in a cycle, and chooses.
  localparam int unsigned Host = 0;
  localparam int unsigned Disk = 1;

  channel_config_t [Disk:Host] channel;
  logic [Disk:Host]            ready, moves, consume;
  logic [Disk:Host][15:0]      index, next_index, next_level;

  assign channel = {disk_i, host_i};
  assign consume = {disk_i.consume, host_i.consume};
  assign moves   = {disk_finish_i && disk_i.enable, host_finish_i && host_i.enable} & ready;

  for (genvar c = Host; c <= Disk; c++) begin : gen_channel
    ring_t       ring;
    logic [15:0] size;
    assign ring          = ring_q[channel[c].segment];
    assign size          = segment_i[channel[c].segment].size;
    assign ready[c]      = consume[c] ? ring.level != '0 : ring.level < size;
    assign index[c]      = consume[c] ? ring.consume : ring.produce;
    assign next_index[c] = advance(index[c], 16'd1, size);
    assign next_level[c] = consume[c] ? ring.level - 16'd1 : ring.level + 16'd1;
  end

  assign {disk_ready_o, host_ready_o} = ready;
  assign {disk_index_o, host_index_o} = index;

  // --- CONTROL: a register of one segment, so that one is served at a time ----------------------
  logic [2:0] served;
  always_comb begin
    busy_o = 1'b0;
    served = '0;
    for (int unsigned s = 0; s < SegmentCount; s++) begin
      if (segment_i[s].reset || segment_i[s].produce_valid) begin
        busy_o = 1'b1;
        served |= 3'(s);
      end
    end
  end

  // What the channels make of the level of the ring that is served.
  typedef enum logic [1:0] {
    SameLevel,
    OneMore,
    OneLess
  } change_e;

  segment_config_t order;
  change_e         change;
  logic            given, taken;
  logic            order_fits, order_writes;
  logic [15:0]     order_level, order_index;

  assign order = segment_i[served];

  always_comb begin
    given = 1'b0;
    taken = 1'b0;
    for (int unsigned c = Host; c <= Disk; c++) begin
      if (moves[c] && channel[c].segment == served) begin
        given |= !consume[c];
        taken |= consume[c];
      end
    end
    change = given == taken ? SameLevel : given ? OneMore : OneLess;
  end

  always_comb begin
    logic [15:0]      level, from, given_from;
    logic [2:0][16:0] next;
    logic [2:0]       fits;
    order_fits   = 1'b0;
    order_level  = '0;
    order_index  = '0;
    level        = '0;
    from         = '0;
    given_from   = '0;
    next         = '0;
    fits         = '0;
    // Seldom; the condition keeps simulation of other cycles cheap.
    if (busy_o) begin
      // Each thing that the channels may have done before, from registers alone ...
      if (!order.reset) begin
        level      = ring_q[served].level;
        from       = ring_q[served].produce;
        given_from = advance(from, 16'd1, order.size);
      end
      next[SameLevel] = {1'b0, level} + {1'b0, order.produce_count};
      next[OneMore]   = next[SameLevel] + 17'(!order.reset);
      next[OneLess]   = next[SameLevel] - 17'(!order.reset);
      for (int unsigned c = 0; c < 3; c++) fits[c] = next[c] <= {1'b0, order.size};
      // ... and what they do.
      order_fits  = order.produce_valid && fits[change];
      order_level = next[change][15:0];
      order_index = given ? advance(given_from, order.produce_count, order.size) :
                            advance(from, order.produce_count, order.size);
      if (!order_fits) {order_level, order_index} = '0;  // of a reset alone
    end
  end
  assign order_writes = busy_o && (order.reset || order_fits);

  // --- The rings after this cycle ---------------------------------------------------------------
  // One that gives and one that takes leave the level as it is.
  logic cancel;
  assign cancel = moves == '1 && host_i.segment == disk_i.segment;

  always_comb begin
    logic [Disk:Host] gives, takes;
    logic             ordered;
    gives   = '0;
    takes   = '0;
    ordered = 1'b0;
    ring_d  = ring_q;
    // Most cycles change nothing; the condition keeps simulation of those cheap.
    if (busy_o || host_finish_i || disk_finish_i) begin
      for (int unsigned s = 0; s < SegmentCount; s++) begin
        for (int unsigned c = Host; c <= Disk; c++) begin
          gives[c] = moves[c] && channel[c].segment == 3'(s) && !consume[c];
          takes[c] = moves[c] && channel[c].segment == 3'(s) && consume[c];
        end
        ordered = order_writes && served == 3'(s);

        if (ordered || ((gives | takes) != '0 && !cancel)) begin
          ring_d[s].level = ordered ? order_level :
                            gives[Disk] || takes[Disk] ? next_level[Disk] : next_level[Host];
        end
        if (ordered || gives != '0) begin
          ring_d[s].produce = ordered ? order_index : next_index[gives[Disk]];
        end
        if (takes != '0) ring_d[s].consume = next_index[takes[Disk]];
        if (ordered && order.reset) ring_d[s].consume = '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ring_q <= '0;
    else         ring_q <= ring_d;
  end

  for (genvar s = 0; s < SegmentCount; s++) begin : gen_level
    assign level_o[s] = ring_q[s].level;
  end

`ifndef SYNTHESIS
  // Assumptions at the input: one CONTROL is written at a time ...
  logic [SegmentCount-1:0] control;
  for (genvar s = 0; s < SegmentCount; s++) begin : gen_control
    assign control[s] = segment_i[s].reset || segment_i[s].produce_valid;
  end
  m_one_control : assume property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(control));
  // ... and the channels never both feed, nor both drain, one ring.
  m_one_user_a_pointer : assume property (@(posedge clk_i) disable iff (!rst_ni)
      !(host_finish_i && disk_finish_i && host_i.segment == disk_i.segment &&
        host_i.consume == disk_i.consume));

  for (genvar s = 0; s < SegmentCount; s++) begin : gen_assert
    // The level only ever rises to SIZE (firmware that shrinks a full ring is on its own).
    a_level_within_size : assert property (@(posedge clk_i) disable iff (!rst_ni)
        ring_d[s].level > ring_q[s].level |-> ring_d[s].level <= segment_i[s].size);
    // A credit is taken only where there is one: no wrap below zero.
    a_no_wrap_below_zero : assert property (@(posedge clk_i) disable iff (!rst_ni)
        ring_q[s].level == '0 |-> ring_d[s].level != 16'hFFFF || segment_i[s].produce_valid);
  end

  // Each way things go wrong, is reached by a test (tests/rtl/test_covers.py).
  c_no_room_any_more : cover property (@(posedge clk_i) disable iff (!rst_ni)
      disk_finish_i && !disk_i.consume && !ready[Disk]);
  c_order_refused : cover property (@(posedge clk_i) disable iff (!rst_ni)
      busy_o && order.produce_valid && !order_fits);
  c_order_and_finish : cover property (@(posedge clk_i) disable iff (!rst_ni)
      busy_o && moves != '0);
  c_cancel : cover property (@(posedge clk_i) disable iff (!rst_ni) cancel);
  c_both_finish : cover property (@(posedge clk_i) disable iff (!rst_ni) moves == '1);
`endif

endmodule
