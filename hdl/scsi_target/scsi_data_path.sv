// SPDX-License-Identifier: Apache-2.0
// The target's FIFO, between the bus on one side and the firmware or the host port on the other.
//
// Timing: a byte pushed in one cycle can be popped in the next. The bus side moves up to two bytes
//         per cycle, the host port and the register one. During a transfer with the host port the
//         register moves nothing. The register never pushes while the bus side pushes, nor pops
//         while it pops.
// Errors: none; a register read when empty gives 0, a write when full is dropped.
module scsi_data_path
  import scsi_target_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  // The bus side.
  input  logic        clear_i,
  input  logic [1:0]  bus_pop_i,
  input  logic [1:0]  bus_push_i,
  input  logic [15:0] bus_push_data_i,
  output logic [15:0] head_o,  // the oldest two bytes, the older in the low byte
  output logic [4:0]  level_o,

  // The transfer under way.
  input  logic        start_i,
  input  logic [23:0] count_i,    // bytes to fetch from the host port, at start
  input  logic        dma_in_i,   // the transfer fetches bytes
  input  logic        dma_out_i,  // the transfer delivers bytes
  input  logic        bus_reads_i,   // a transfer towards the initiator is under way
  input  logic        bus_writes_i,  // a transfer from the initiator is under way

  output stream_pkg::bytes_to_buffer_t   host_o,
  input  stream_pkg::bytes_from_buffer_t host_i,

  // Register.
  input  logic        reg_pop_i,
  input  logic        reg_push_i,
  input  logic [7:0]  reg_push_data_i,

  output logic        clk_req_o
);

  localparam int unsigned PtrWidth = $clog2(FifoDepth);

  logic [7:0]          memory_q [FifoDepth];
  logic [PtrWidth-1:0] write_q, read_q;
  logic [4:0]          level_d, level_q;
  logic [23:0]         fetch_left_d, fetch_left_q;
  logic [1:0]          push, pop;
  logic [15:0]         push_data;
  logic                fetch, deliver, reg_pop, reg_push, full, empty;

  assign full  = level_q == 5'(FifoDepth);
  assign empty = level_q == '0;

  // --- Host port ---------------------------------------------------------------------------------
  logic rd_ready, wr_valid;
  assign rd_ready = dma_in_i & !full & (fetch_left_q != '0);
  assign wr_valid = dma_out_i & !empty;
  assign host_o   = '{wr_valid: wr_valid, wr_data: head_o[7:0], rd_ready: rd_ready};
  assign fetch    = host_i.rd_valid & rd_ready;
  assign deliver  = wr_valid & host_i.wr_ready;

  assign fetch_left_d = start_i ? count_i : fetch ? fetch_left_q - 24'd1 : fetch_left_q;

  // --- One pusher, one popper --------------------------------------------------------------------
  assign reg_pop  = reg_pop_i & !empty & !bus_reads_i & !dma_out_i;
  assign reg_push = reg_push_i & !full & !bus_writes_i & !dma_in_i;

  assign push      = bus_push_i | {1'b0, fetch | reg_push};
  assign pop       = bus_pop_i | {1'b0, deliver | reg_pop};
  assign push_data = (bus_push_i != '0) ? bus_push_data_i :
                     fetch              ? {8'd0, host_i.rd_data} : {8'd0, reg_push_data_i};

  assign level_d = clear_i ? '0 : level_q + 5'(push) - 5'(pop);
  assign head_o  = {memory_q[read_q + 1'b1], memory_q[read_q]};
  assign level_o = level_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q      <= '0;
      read_q       <= '0;
      level_q      <= '0;
      fetch_left_q <= '0;
    end else begin
      write_q      <= clear_i ? '0 : write_q + PtrWidth'(push);
      read_q       <= clear_i ? '0 : read_q + PtrWidth'(pop);
      level_q      <= level_d;
      fetch_left_q <= fetch_left_d;
    end
  end

  // The data needs no reset: the level determines which bytes are valid.
  always_ff @(posedge clk_i) begin
    if (push != '0)  memory_q[write_q]        <= push_data[7:0];
    if (push == 2'd2) memory_q[write_q + 1'b1] <= push_data[15:8];
  end

  assign clk_req_o = (push != '0) | (pop != '0) | clear_i | start_i;

`ifndef SYNTHESIS
  a_level : assert property (@(posedge clk_i) disable iff (!rst_ni) level_q <= 5'(FifoDepth));
  a_no_overflow : assert property (@(posedge clk_i) disable iff (!rst_ni)
    (push != '0) |-> (level_q + 5'(push) <= 5'(FifoDepth)));
  a_no_underflow : assert property (@(posedge clk_i) disable iff (!rst_ni) 5'(pop) <= level_q);
  a_one_pusher : assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot0({bus_push_i != '0, fetch, reg_push}));
  a_one_popper : assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot0({bus_pop_i != '0, deliver, reg_pop}));

  // A test reaches each error (tests/rtl/test_covers.py).
  c_full : cover property (@(posedge clk_i) disable iff (!rst_ni) full);
  c_read_empty : cover property (@(posedge clk_i) disable iff (!rst_ni) reg_pop_i & empty);
  c_write_full : cover property (@(posedge clk_i) disable iff (!rst_ni) reg_push_i & full);
`endif

endmodule
