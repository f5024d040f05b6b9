// Ring segments: where the next sector goes to and comes from, and how many whole ones there are.
//
// A ring is SIZE sectors; its producing and consuming pointers are sector numbers in the ring, so
// that moving one past any number of sectors is one addition and one comparison. Two channels look
// at one segment each: ready and index answer in the same cycle for the configured segment and
// direction (a consumer is ready when a whole sector waits, a producer when there is room for one).
//
// Timing: finish (one cycle) moves the pointer and the level at the next edge. All changes of a
// cycle count: a credit given and one taken cancel out.
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
    sum = {1'b0, index} + {1'b0, count};
    if (sum >= {1'b0, size}) sum -= {1'b0, size};
    return sum[15:0];
  endfunction

  // Whether a channel finished a sector of this segment in this direction.
  function automatic logic finishes(channel_config_t channel, logic finish, logic [2:0] segment,
                                    logic consume);
    return finish && channel.enable && channel.segment == segment && channel.consume == consume;
  endfunction

  // A ring after one cycle in which a sector was given, taken, or CONTROL written.
  function automatic ring_t next_ring(ring_t ring, segment_config_t segment, logic give,
                                      logic take);
    ring_t next;
    next = ring;
    if (give && ring.level < segment.size) begin
      next.level += 16'd1;
      next.produce = advance(ring.produce, 16'd1, segment.size);
    end
    if (take && ring.level != '0) begin
      next.level -= 16'd1;
      next.consume = advance(ring.consume, 16'd1, segment.size);
    end
    if (segment.reset) next = '0;
    if (segment.produce_valid &&
        {1'b0, next.level} + {1'b0, segment.produce_count} <= {1'b0, segment.size}) begin
      next.level += segment.produce_count;
      next.produce = advance(next.produce, segment.produce_count, segment.size);
    end
    return next;
  endfunction

  always_comb begin
    busy_o = 1'b0;
    for (int unsigned s = 0; s < SegmentCount; s++) begin
      busy_o |= segment_i[s].reset | segment_i[s].produce_valid;
    end
  end

  always_comb begin
    ring_d = ring_q;
    // Most cycles change nothing; the condition keeps simulation of those cheap.
    if (busy_o || host_finish_i || disk_finish_i) begin
      for (int unsigned s = 0; s < SegmentCount; s++) begin
        ring_d[s] = next_ring(ring_q[s], segment_i[s],
                              finishes(host_i, host_finish_i, 3'(s), 1'b0) ||
                              finishes(disk_i, disk_finish_i, 3'(s), 1'b0),
                              finishes(host_i, host_finish_i, 3'(s), 1'b1) ||
                              finishes(disk_i, disk_finish_i, 3'(s), 1'b1));
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ring_q <= '0;
    else         ring_q <= ring_d;
  end

  function automatic logic ready(logic consume, logic [15:0] level, logic [15:0] size);
    return consume ? level != '0 : level < size;
  endfunction

  ring_t host_ring, disk_ring;
  assign host_ring = ring_q[host_i.segment];
  assign disk_ring = ring_q[disk_i.segment];

  assign host_ready_o = ready(host_i.consume, host_ring.level, segment_i[host_i.segment].size);
  assign disk_ready_o = ready(disk_i.consume, disk_ring.level, segment_i[disk_i.segment].size);
  assign host_index_o = host_i.consume ? host_ring.consume : host_ring.produce;
  assign disk_index_o = disk_i.consume ? disk_ring.consume : disk_ring.produce;

  for (genvar s = 0; s < SegmentCount; s++) begin : gen_level
    assign level_o[s] = ring_q[s].level;
  end

`ifndef SYNTHESIS
  // Assumption at the input: the channels never both feed, nor both drain, one ring.
  assume property (@(posedge clk_i) disable iff (!rst_ni)
      !(host_finish_i && disk_finish_i && host_i.segment == disk_i.segment &&
        host_i.consume == disk_i.consume));

  for (genvar s = 0; s < SegmentCount; s++) begin : gen_assert
    // The level only ever rises to SIZE (firmware that shrinks a full ring is on its own).
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        ring_d[s].level > ring_q[s].level |-> ring_d[s].level <= segment_i[s].size);
    // A credit is taken only where there is one: no wrap below zero.
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        ring_q[s].level == '0 |-> ring_d[s].level != 16'hFFFF || segment_i[s].produce_valid);
  end
`endif

endmodule
