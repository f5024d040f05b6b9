// SPDX-License-Identifier: Apache-2.0
// Ring segments: the places where the next sector goes to and comes from, and the number of whole
// sectors.
//
// A ring is SIZE sectors. Its producing and consuming pointers are sector numbers in the ring:
// moving one by any number of sectors takes one addition and one comparison. Each of the two
// channels uses one segment. For its segment and direction, ready and index answer in the same
// cycle. A consumer is ready when a whole sector waits, a producer when the ring has room for one.
//
// Levels and pointers are in memories. Three writers may write in one cycle, each to another
// segment: the two channels, and an order of CONTROL. Each writer has its own memories, and a
// register keeps the last writer of a value. A reader takes the word of that writer, or zero if
// none has written.
//
// Timing: finish (one cycle) moves the pointer and the level at the next edge. Changes of one cycle
// add up: a credit given and one taken cancel out; then reset acts, then produce or skip. A discard
// leaves the credit of a sector that is produced in its cycle.
// Errors: none. LEVEL stays within 0..SIZE, even if firmware produces into a ring that a channel
// fills. Credits beyond SIZE are not added, and none is taken from level 0. A skip of more sectors
// than there are does nothing.
module buffer_mgr_segments
  import buffer_mgr_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  input  order_t order_i,
  output logic   busy_o,  // an order is being served

  // The segment that the registers access, and its level.
  input  logic [SegmentWidth-1:0] segment_i,
  output logic [SectorWidth-1:0]  level_o,

  input  channel_config_t        host_i,
  input  logic [SectorWidth-1:0] host_size_i,  // size of the host channel's segment
  input  logic                   host_finish_i,
  output logic                   host_ready_o,
  output logic [SectorWidth-1:0] host_index_o,

  input  channel_config_t        disk_i,
  input  logic [SectorWidth-1:0] disk_size_i,
  input  logic                   disk_finish_i,
  output logic                   disk_ready_o,
  output logic [SectorWidth-1:0] disk_index_o
);

  typedef logic [SegmentWidth-1:0] segment_t;
  typedef logic [SectorWidth-1:0]  sectors_t;
  localparam sectors_t One = 1;

  // Each segment has its producing pointer, followed by its consuming one.
  localparam int unsigned PointerCount = 2 * SegmentCount;
  typedef struct packed {
    segment_t segment;
    logic     consume;
  } pointer_t;

  // The writers of levels and pointers, which are also their first readers. The registers read
  // levels, too.
  localparam int unsigned Host         = 0;
  localparam int unsigned Disk         = 1;
  localparam int unsigned Order        = 2;
  localparam int unsigned Users        = 3;
  localparam int unsigned Register     = 3;
  localparam int unsigned LevelReaders = 4;

  // Last writer of a value.
  typedef enum logic [1:0] {
    ByNobody,  // not written since reset: zero
    ByHost,
    ByDisk,
    ByOrder
  } writer_e;
  writer_e [SegmentCount-1:0] level_by_q, level_by_d;
  writer_e [PointerCount-1:0] pointer_by_q, pointer_by_d;

  // The pointer `count` sectors later, count <= size. Pointers stay below SIZE.
  function automatic sectors_t advance(sectors_t index, sectors_t count, sectors_t size);
    logic [SectorWidth:0] sum;
    sectors_t             wrapped;
    logic                 inside_ring;
    sum = {1'b0, index} + {1'b0, count};
    // The borrow of the subtraction is the comparison.
    {inside_ring, wrapped} = sum - {1'b0, size};
    return inside_ring ? sum[SectorWidth-1:0] : wrapped;
  endfunction

  // --- Reading ----------------------------------------------------------------------------------
  segment_t level_reader [LevelReaders];
  segment_t level_writer [Users];
  pointer_t pointer_reader [Users];
  pointer_t pointer_writer [Users];
  pointer_t host_pointer, disk_pointer;
  sectors_t [LevelReaders-1:0] level;
  sectors_t [Users-1:0]        pointer;

  // A discard sets the consuming pointer and a skip moves it. The others move the producing one.
  logic order_consumes;
  assign order_consumes = order_i.discard || order_i.skip;

  assign host_pointer   = '{segment: host_i.segment, consume: host_i.consume};
  assign disk_pointer   = '{segment: disk_i.segment, consume: disk_i.consume};
  assign level_reader   = '{host_i.segment, disk_i.segment, order_i.segment, segment_i};
  assign level_writer   = '{host_i.segment, disk_i.segment, order_i.segment};
  assign pointer_reader = '{host_pointer, disk_pointer,
                            '{segment: order_i.segment, consume: order_i.skip}};
  assign pointer_writer = '{host_pointer, disk_pointer,
                            '{segment: order_i.segment, consume: order_consumes}};

  logic [Users-1:0]     writes_level, writes_pointer;
  sectors_t [Users-1:0] new_level, new_pointer;
  sectors_t             level_read [Users][LevelReaders];
  sectors_t             pointer_read [Users][Users];

  for (genvar w = 0; w < Users; w++) begin : gen_writer
    buffer_mgr_table #(
      .Width(SectorWidth), .Words(SegmentCount), .Readers(LevelReaders)
    ) u_level (
      .clk_i,
      .we_i    (writes_level[w]),
      .waddr_i (level_writer[w]),
      .wdata_i (new_level[w]),
      .raddr_i (level_reader),
      .rdata_o (level_read[w])
    );
    buffer_mgr_table #(.Width(SectorWidth), .Words(PointerCount), .Readers(Users)) u_pointer (
      .clk_i,
      .we_i    (writes_pointer[w]),
      .waddr_i (pointer_writer[w]),
      .wdata_i (new_pointer[w]),
      .raddr_i (pointer_reader),
      .rdata_o (pointer_read[w])
    );
  end

  for (genvar r = 0; r < LevelReaders; r++) begin : gen_level
    always_comb begin
      unique case (level_by_q[level_reader[r]])
        ByHost:  level[r] = level_read[Host][r];
        ByDisk:  level[r] = level_read[Disk][r];
        ByOrder: level[r] = level_read[Order][r];
        default: level[r] = '0;
      endcase
    end
  end
  for (genvar r = 0; r < Users; r++) begin : gen_pointer
    always_comb begin
      unique case (pointer_by_q[pointer_reader[r]])
        ByHost:  pointer[r] = pointer_read[Host][r];
        ByDisk:  pointer[r] = pointer_read[Disk][r];
        ByOrder: pointer[r] = pointer_read[Order][r];
        default: pointer[r] = '0;
      endcase
    end
  end
  assign level_o = level[Register];

  // --- Channels: the state of a channel's ring after a sector is given or taken -----------------
  // Computed from registers alone. Whether a channel finishes is known late in the cycle, and only
  // selects a result.
  logic [Disk:Host]     ready, moves, consume;
  sectors_t [Disk:Host] size, next_level, next_pointer;

  assign size    = {disk_size_i, host_size_i};
  assign consume = {disk_i.consume, host_i.consume};
  assign moves   = {disk_finish_i, host_finish_i} & ready;

  for (genvar c = Host; c <= Disk; c++) begin : gen_channel
    assign ready[c]        = consume[c] ? level[c] != '0 : level[c] < size[c];
    assign next_level[c]   = consume[c] ? level[c] - One : level[c] + One;
    assign next_pointer[c] = {1'b0, pointer[c]} + {1'b0, One} < {1'b0, size[c]} ?
                             pointer[c] + One : '0;
  end

  assign {disk_ready_o, host_ready_o} = ready;
  assign host_index_o                 = pointer[Host];
  assign disk_index_o                 = pointer[Disk];

  // A credit given and one taken leave the level as it is.
  logic cancel;
  assign cancel = moves == '1 && host_i.segment == disk_i.segment;

  // --- Orders -----------------------------------------------------------------------------------
  assign busy_o = order_i.reset || order_i.produce || order_i.discard || order_i.skip;

  // The state that the order adds to: reset and discard empty the ring first.
  sectors_t level_before, pointer_before;
  assign level_before   = order_i.reset || order_i.discard ? '0 : level[Order];
  assign pointer_before = order_i.reset ? '0 : pointer[Order];

  // The change that the channels make to the level of the order's ring.
  typedef enum logic [1:0] {
    SameLevel,
    OneMore,
    OneLess
  } change_e;

  logic [Disk:Host] on_served;
  change_e          change;
  logic             order_fits, reset_alone, order_writes;
  sectors_t         order_level, order_pointer;

  // A reset cancels the channels' changes of its cycle. Otherwise the level before the order
  // decides whether they are ready.
  for (genvar c = Host; c <= Disk; c++) begin : gen_served
    assign on_served[c] = !order_i.reset && (c == Host ? order_i.on_host : order_i.on_disk) &&
                          (consume[c] ? level_before != '0 : level_before < order_i.size);
  end

  function automatic change_e change_by(logic [Disk:Host] finish);
    logic [Disk:Host] gives, takes;
    gives = finish & on_served & ~consume;
    takes = finish & on_served & consume;
    return (gives != '0) == (takes != '0) ? SameLevel : gives != '0 ? OneMore : OneLess;
  endfunction
  assign change = change_by({disk_finish_i, host_finish_i});

  // The result for each change that the channels may make, from registers alone. A skip fits if the
  // level is not below its count.
  logic signed [SectorWidth+1:0] level_signed, limit;  // wide enough for a limit and one more
  sectors_t                     level_after;
  sectors_t [OneLess:SameLevel] levels;
  sectors_t [OneMore:SameLevel] pointers;
  logic [OneLess:SameLevel]     fits;

  always_comb begin
    level_signed = $signed({2'b0, level_before});
    limit        = (SectorWidth + 2)'(order_i.limit);
    level_after  = '0;
    levels       = '0;
    pointers     = '0;
    fits         = '0;
    // Orders are rare: the condition keeps the simulation of other cycles fast.
    if (busy_o) begin
      level_after         = level_before + order_i.change;
      fits[SameLevel]     = level_signed <= limit;
      fits[OneMore]       = level_signed < limit;
      fits[OneLess]       = level_signed <= limit + $signed((SectorWidth + 2)'(1));
      levels[SameLevel]   = level_after;
      levels[OneMore]     = level_before + order_i.change + One;
      levels[OneLess]     = level_after - One;
      pointers[SameLevel] = advance(pointer_before, order_i.count, order_i.size);
      pointers[OneMore]   = advance(pointer_before, order_i.count + One, order_i.size);
    end
  end

  // Selects the result by the changes that the channels make.
  always_comb begin
    logic [3:0] fits_with;  // whether a skip fits, for each set of channels that finish
    for (int unsigned f = 0; f < 4; f++) begin
      fits_with[f] = (order_i.produce || order_i.skip) &&
                     fits[change_by(2'(f))] != order_i.skip;
    end
    order_fits = fits_with[{disk_finish_i, host_finish_i}];
  end
  assign reset_alone  = order_i.reset && !(order_i.produce && fits[SameLevel]);
  assign order_level   = reset_alone ? '0 : levels[change];
  assign order_pointer = reset_alone ? '0 :
                         change == OneMore && !order_consumes ? pointers[OneMore] : pointers[SameLevel];
  assign order_writes = order_i.reset || order_i.discard || order_fits;

  // --- Writing: in one cycle, an order's word counts as the last --------------------------------
  assign writes_level   = {order_writes, cancel ? 2'b00 : moves};
  assign writes_pointer = {order_writes, moves};
  assign new_level      = {order_level, next_level};
  assign new_pointer    = {order_pointer, next_pointer};

  always_comb begin
    level_by_d   = level_by_q;
    pointer_by_d = pointer_by_q;
    if (writes_level[Host])   level_by_d[host_i.segment]   = ByHost;
    if (writes_level[Disk])   level_by_d[disk_i.segment]   = ByDisk;
    if (writes_pointer[Host]) pointer_by_d[host_pointer]   = ByHost;
    if (writes_pointer[Disk]) pointer_by_d[disk_pointer]   = ByDisk;
    if (order_writes) begin
      level_by_d[order_i.segment]           = ByOrder;
      pointer_by_d[{order_i.segment, order_consumes}] = ByOrder;
    end
    if (order_i.reset) pointer_by_d[{order_i.segment, 1'b1}] = ByNobody;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_by_q   <= '0;
      pointer_by_q <= '0;
    end else begin
      level_by_q   <= level_by_d;
      pointer_by_q <= pointer_by_d;
    end
  end

`ifndef SYNTHESIS
  // Assumption at the input: the channels never both feed, nor both drain, one ring.
  m_one_user_a_pointer : assume property (@(posedge clk_i) disable iff (!rst_ni)
      !(host_finish_i && disk_finish_i && host_i.segment == disk_i.segment &&
        host_i.consume == disk_i.consume));
  // Assumptions at the inputs: a channel finishes only while it is enabled, and an order's limit,
  // change, on_host and on_disk are right.
  m_on : assume property (@(posedge clk_i) disable iff (!rst_ni)
      (!host_finish_i || host_i.enable) && (!disk_finish_i || disk_i.enable));
  m_limit : assume property (@(posedge clk_i) disable iff (!rst_ni)
      busy_o |-> order_i.limit == (order_i.skip ? $signed({1'b0, order_i.count}) - (SectorWidth + 1)'(1) :
                                   $signed({1'b0, order_i.size}) - $signed({1'b0, order_i.count})) &&
                 order_i.change == (order_i.skip ? -order_i.count : order_i.count));
  m_concerns : assume property (@(posedge clk_i) disable iff (!rst_ni)
      busy_o |-> order_i.on_host == (order_i.segment == host_i.segment) &&
                 order_i.on_disk == (order_i.segment == disk_i.segment));

  // A skip never comes with another order: buffer_mgr_segment_regs.
  m_skip_alone : assume property (@(posedge clk_i) disable iff (!rst_ni)
      order_i.skip |-> !order_i.reset && !order_i.produce && !order_i.discard);

  for (genvar c = Host; c <= Disk; c++) begin : gen_assert
    // The level never rises above SIZE, unless firmware shrinks a ring that is too full.
    a_level_within_size : assert property (@(posedge clk_i) disable iff (!rst_ni)
        writes_level[c] && !consume[c] |-> new_level[c] != '0 && new_level[c] <= size[c]);
    // A credit is taken only if there is one: no level wraps below zero.
    a_no_wrap_below_zero : assert property (@(posedge clk_i) disable iff (!rst_ni)
        writes_level[c] && consume[c] |-> level[c] != '0);
  end
  // A skip removes only sectors that are there, with the one that a channel gives in that cycle.
  a_skip_within_level : assert property (@(posedge clk_i) disable iff (!rst_ni)
      order_i.skip && order_writes |->
      level[Order] + SectorWidth'(change == OneMore) >= order_i.count + SectorWidth'(change == OneLess));
  a_order_within_size : assert property (@(posedge clk_i) disable iff (!rst_ni)
      order_fits && order_i.produce |-> new_level[Order] <= order_i.size);
  // An order and a channel write one level in one cycle only if the order includes the channel's
  // change.
  a_one_writer : assert property (@(posedge clk_i) disable iff (!rst_ni)
      writes_level[Host] && writes_level[Disk] |-> host_i.segment != disk_i.segment);

  // A test reaches each error (tests/rtl/test_covers.py).
  c_no_room_any_more : cover property (@(posedge clk_i) disable iff (!rst_ni)
      disk_finish_i && !disk_i.consume && !ready[Disk]);
  c_order_refused : cover property (@(posedge clk_i) disable iff (!rst_ni)
      busy_o && order_i.produce && !order_fits);
  c_skip_refused : cover property (@(posedge clk_i) disable iff (!rst_ni)
      order_i.skip && !order_fits);
  c_skip_and_finish : cover property (@(posedge clk_i) disable iff (!rst_ni)
      order_i.skip && order_fits && change == OneMore);
  c_discard_and_finish : cover property (@(posedge clk_i) disable iff (!rst_ni)
      order_i.discard && change == OneMore);
  c_order_and_finish : cover property (@(posedge clk_i) disable iff (!rst_ni)
      busy_o && moves != '0);
  c_cancel : cover property (@(posedge clk_i) disable iff (!rst_ni) cancel);
  c_both_finish : cover property (@(posedge clk_i) disable iff (!rst_ni) moves == '1);
`endif

endmodule
