// SPDX-License-Identifier: Apache-2.0
// One channel between a byte port and the buffer RAM: packs four bytes into one RAM access.
//
// It works sector by sector. It waits until its segment is ready (room, or a whole sector), reads
// the sector's place, moves SECTOR.bytes bytes, and reports finish_o. Byte 0 of a word is bits 7:0.
//   Port to RAM (consume = 0): wr of the port. The sector is finished when its last word is in RAM. With
//   ExplicitCommit, commit_i must also confirm it. drop_i starts it again.
//   RAM to port (consume = 1): rd of the port. The next word is fetched while this one leaves. The sector is
//   finished when its last byte is taken. drop_i starts it again.
//
// Timing: a byte every cycle in either direction, if RAM requests are granted at once. Two cycles
// lie between sectors, and three more until the first byte of a sector can be read.
// Errors: a commit before the last byte counts as a drop. Bytes are refused (wr_ready low) when
// the channel is off or the sector is full. An unfinished sector is discarded when the channel is
// disabled, its configuration changes, or restart_i pulses.
module buffer_mgr_channel
  import buffer_mgr_pkg::*;
#(
  parameter bit          ExplicitCommit = 1'b0,
  parameter int unsigned AddrWidth      = 18,  // word address
  localparam int unsigned CountWidth    = 14   // words of a sector
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  channel_config_t        config_i,
  input  logic                   changed_i,  // segment or direction differs from the last cycle's
  input  logic                   restart_i,
  input  logic [CountWidth-1:0]  sector_words_i,
  input  logic [AddrWidth-1:0]   base_i,    // word address of the segment
  input  logic                   ready_i,   // the segment is ready for this direction
  input  logic [15:0]            index_i,   // number of the sector in the segment
  output logic                   finish_o,
  output logic                   clk_req_o,

  input  logic       commit_i,
  input  logic       drop_i,

  input  stream_pkg::bytes_to_buffer_t   bytes_i,
  output stream_pkg::bytes_from_buffer_t bytes_o,

  output logic                 ram_req_o,
  output logic                 ram_we_o,
  output logic [AddrWidth-1:0] ram_addr_o,
  output logic [31:0]          ram_wdata_o,
  input  logic                 ram_gnt_i,  // grant of a request, if there is one
  input  logic [31:0]          ram_rdata_i  // the cycle after a granted read
);

  typedef enum logic [1:0] {
    StWait,     // waits until the segment has room, or a sector
    StProduce,  // moves bytes from the port to the RAM
    StConsume   // moves bytes from the RAM to the port
  } state_e;

  state_e                state_q, state_d;
  logic                  enable_q;
  logic                  more_q, more_d;              // accesses are left
  logic                  first_q, first_d;            // addr_q is still an offset from base_q
  logic [AddrWidth-1:0]  base_q, base_d;              // base of the segment when the sector began
  logic [AddrWidth-1:0]  addr_q, addr_d;              // address of the next RAM access
  logic [CountWidth-1:0] access_left_q, access_left_d;  // RAM accesses not granted yet
  logic [1:0]            lane_q, lane_d;              // byte of the word at the port
  logic [31:0]           port_q, port_d;              // word at the port; bytes go down, out at 7:0
  logic                  port_valid_q, port_valid_d;  // consume: port_q holds a word
  logic [31:0]           side_q, side_d;              // word towards, or from, the RAM
  logic                  side_valid_q, side_valid_d;
  logic                  fetching_q, fetching_d;      // RAM data comes in this cycle

  // The port's byte. Verilator resolves it to its source, but not a member of a struct that a process
  // reads.
  logic [7:0] wr_data;
  assign wr_data = bytes_i.wr_data;

  // Nothing moves while the channel is disabled, or in the cycle of a new configuration or a
  // restart.
  logic run;
  assign run = config_i.enable && enable_q && !changed_i && !restart_i;

  logic commit;
  assign commit = !ExplicitCommit || commit_i;

  // all_taken, producing: the port has delivered every word; the last may not be in RAM yet.
  // last_word, consuming: the port has the last word.
  logic all_taken, last_word;
  assign all_taken = access_left_q == CountWidth'(side_valid_q);
  assign last_word = !more_q && !fetching_q && !side_valid_q;

  // The address of a sector: a multiplication in its first cycle, an addition in the next.
  logic [AddrWidth-1:0] addr;
  assign addr = first_q ? base_q + addr_q : addr_q;

  // Handshakes of this cycle.
  logic wr_take, rd_take, ram_take, port_done;
  logic wr_ready, rd_valid;
  assign wr_ready = run && state_q == StProduce && !all_taken &&
                    (lane_q != 2'd3 || !side_valid_q || ram_gnt_i);
  assign rd_valid = run && state_q == StConsume && port_valid_q;
  assign bytes_o  = '{wr_ready: wr_ready, rd_valid: rd_valid, rd_data: port_q[7:0]};
  assign wr_take  = bytes_i.wr_valid && wr_ready;
  assign rd_take  = rd_valid && bytes_i.rd_ready;
  assign port_done = (wr_take || rd_take) && lane_q == 2'd3;

  always_comb begin
    unique case (state_q)
      StProduce: ram_req_o = run && side_valid_q;
      // The next word is requested when its register is empty.
      StConsume: ram_req_o = run && more_q && !fetching_q && !side_valid_q;
      default:   ram_req_o = 1'b0;
    endcase
  end
  assign ram_we_o    = state_q == StProduce;
  assign ram_addr_o  = addr;
  assign ram_wdata_o = side_q;
  assign ram_take    = ram_req_o && ram_gnt_i;

  // Every byte of the sector is in RAM at the end of this cycle; the disk's verdict may come.
  logic stored;
  assign stored = state_q == StProduce && all_taken && (!side_valid_q || ram_gnt_i);

  // The last byte leaves in this cycle.
  logic drained;
  assign drained = rd_take && lane_q == 2'd3 && last_word;

  logic stop;  // leave the sector, finished or not
  assign finish_o = run && !drop_i && ((stored && commit) || drained);
  assign stop = !run || finish_o || drop_i ||
                (ExplicitCommit && commit_i && state_q == StProduce);

  // The high sectors of a ring repeat its low ones if the RAM is small.
  logic unused_index;
  assign unused_index = ^index_i;

  logic begin_sector;
  assign begin_sector = run && state_q == StWait && ready_i && sector_words_i != '0;

  // Moves bytes and words of the sector begun.
  always_comb begin
    state_d       = state_q;
    addr_d        = addr;
    base_d        = base_q;
    first_d       = 1'b0;
    access_left_d = access_left_q;
    lane_d        = lane_q;
    port_d        = port_q;
    port_valid_d  = port_valid_q;
    side_d        = side_q;
    side_valid_d  = side_valid_q;
    fetching_d    = 1'b0;

    if (ram_take) begin
      addr_d        = addr + AddrWidth'(1);
      access_left_d = access_left_q - CountWidth'(1);
    end
    if (wr_take || rd_take) begin
      lane_d = lane_q + 2'd1;
      port_d = {wr_data, port_q[31:8]};
    end

    unique case (state_q)
      StWait: begin
        lane_d       = '0;
        port_valid_d = 1'b0;
        side_valid_d = 1'b0;
        if (begin_sector) begin
          state_d       = config_i.consume ? StConsume : StProduce;
          addr_d        = AddrWidth'(index_i) * AddrWidth'(sector_words_i);
          base_d        = base_i;
          first_d       = 1'b1;
          access_left_d = sector_words_i;
        end
      end
      StProduce: begin
        if (ram_take) side_valid_d = 1'b0;
        if (port_done) begin
          side_d       = {wr_data, port_q[31:8]};
          side_valid_d = 1'b1;
        end
      end
      StConsume: begin
        fetching_d = ram_take;
        if (port_done) port_valid_d = 1'b0;
        if (!port_valid_d && (side_valid_q || fetching_q)) begin
          port_d       = side_valid_q ? side_q : ram_rdata_i;
          port_valid_d = 1'b1;
          side_valid_d = 1'b0;
        end else if (fetching_q) begin
          side_d       = ram_rdata_i;
          side_valid_d = 1'b1;
        end
      end
      default: state_d = StWait;
    endcase

    if (stop) state_d = StWait;
    more_d = access_left_d != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StWait;
      enable_q      <= 1'b0;
      more_q        <= 1'b0;
      addr_q        <= '0;
      base_q        <= '0;
      first_q       <= 1'b0;
      access_left_q <= '0;
      lane_q        <= '0;
      port_q        <= '0;
      port_valid_q  <= 1'b0;
      side_q        <= '0;
      side_valid_q  <= 1'b0;
      fetching_q    <= 1'b0;
    end else begin
      state_q       <= state_d;
      enable_q      <= config_i.enable;
      more_q        <= more_d;
      addr_q        <= addr_d;
      base_q        <= base_d;
      first_q       <= first_d;
      access_left_q <= access_left_d;
      lane_q        <= lane_d;
      port_q        <= port_d;
      port_valid_q  <= port_valid_d;
      side_q        <= side_d;
      side_valid_q  <= side_valid_d;
      fetching_q    <= fetching_d;
    end
  end

  // The clock is needed when a byte or word moves, a sector can begin or end, or a new
  // configuration arrives.
  assign clk_req_o = changed_i || config_i.enable != enable_q || restart_i || wr_take || rd_take || ram_req_o ||
                     fetching_q || finish_o || (stop && state_q != StWait) ||
                     begin_sector;

`ifndef SYNTHESIS
  // Words of the sector that have not completely passed the port, counted at the port alone.
  logic [CountWidth-1:0] words_left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)           words_left_q <= '0;
    else if (begin_sector) words_left_q <= sector_words_i;
    else if (port_done)    words_left_q <= words_left_q - CountWidth'(1);
  end

  // Assumption at the input: changed_i is high in the first cycle of a change, and in no other.
  channel_config_t config_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) config_q <= '0;
    else         config_q <= config_i;
  end
  m_change_is_told : assume property (@(posedge clk_i) disable iff (!rst_ni)
      config_i.enable && enable_q && !changed_i |-> config_i == config_q);
  m_change_is_one : assume property (@(posedge clk_i) disable iff (!rst_ni)
      config_i.enable && enable_q && changed_i |-> config_i != config_q);

  // Promise at the read port: an offered byte stays until it is taken or the sector is discarded.
  a_byte_stays : assert property (@(posedge clk_i) disable iff (!rst_ni)
      rd_valid && !bytes_i.rd_ready && !stop |=> !run || (rd_valid && $stable(bytes_o.rd_data)));
  // RAM accesses of a sector stay inside it.
  a_within_sector : assert property (@(posedge clk_i) disable iff (!rst_ni)
      ram_req_o |-> access_left_q != '0);
  // Every word of the sector is in exactly one place: still in RAM, on its way, or in a register.
  a_words_consumed : assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == StConsume |-> words_left_q == access_left_q + CountWidth'(fetching_q) +
                                               CountWidth'(side_valid_q) +
                                               CountWidth'(port_valid_q));
  a_words_produced : assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == StProduce |-> access_left_q == words_left_q + CountWidth'(side_valid_q));
  a_more_are_left : assert property (@(posedge clk_i) disable iff (!rst_ni)
      more_q == (access_left_q != '0));
  // Nothing moves while the channel is disabled or gets a new configuration.
  a_off_is_quiet : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !run |-> !wr_take && !rd_take && !ram_req_o && !finish_o);

  if (ExplicitCommit) begin : gen_disk_rate
    // Assumption: RAM requests of the disk side are granted at once. The disk side then never waits
    // at up to one byte per cycle. There is room for every byte of a sector that has begun.
    m_disk_granted : assume property (@(posedge clk_i) disable iff (!rst_ni)
        ram_req_o |-> ram_gnt_i);
    a_disk_has_room : assert property (@(posedge clk_i) disable iff (!rst_ni)
        run && state_q == StProduce && words_left_q != '0 |-> wr_ready);
    // After the first byte of a sector, each next byte is ready in the next cycle.
    a_disk_has_byte : assert property (@(posedge clk_i) disable iff (!rst_ni)
        rd_take && !stop |=> !run || rd_valid);
    // The assertion above needs this: once a word's first byte has gone, the next word is on its
    // way.
    a_next_word_comes : assert property (@(posedge clk_i) disable iff (!rst_ni)
        state_q == StConsume && lane_q != '0 |->
        port_valid_q && (!more_q || fetching_q || side_valid_q));
    m_one_verdict : assume property (@(posedge clk_i) disable iff (!rst_ni) !(commit_i && drop_i));
  end

  // A test reaches each state and each error (tests/rtl/test_covers.py).
  c_st_wait : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StWait);
  c_st_produce : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StProduce);
  c_st_consume : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StConsume);
  if (ExplicitCommit) begin : gen_cover_disk
    c_dropped : cover property (@(posedge clk_i) disable iff (!rst_ni) drop_i && run);
  end
  c_off_in_sector : cover property (@(posedge clk_i) disable iff (!rst_ni)
      !config_i.enable && state_q != StWait);
  c_restart_in_sector : cover property (@(posedge clk_i) disable iff (!rst_ni)
      restart_i && state_q != StWait);
  if (!ExplicitCommit) begin : gen_cover_host
    c_waits_for_ram : cover property (@(posedge clk_i) disable iff (!rst_ni)
      ram_req_o && !ram_gnt_i);
  end
`endif

endmodule
