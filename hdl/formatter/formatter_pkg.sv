// SPDX-License-Identifier: Apache-2.0
// Format of a sector and its check codes; the types between the formatter's parts.
package formatter_pkg;

  // Sync mark and header, as "The format of a sector" in hdl/README.md gives them.
  localparam logic [7:0]  SyncFirst   = 8'hA1;
  localparam logic [7:0]  SyncSecond  = 8'hFE;
  localparam int unsigned SyncBytes   = 2;
  localparam int unsigned HeaderBytes = 8;
  localparam int unsigned CheckBytes  = 4;

  // How late the sync mark may be. The read gate opens on the sector pulse or a little later, so at
  // most preamble and mark pass before the mark is complete.
  localparam int unsigned SyncSlackBytes = 4;

  typedef enum logic [2:0] {
    OpNone   = 3'd0,
    OpRead   = 3'd1,
    OpWrite  = 3'd2,
    OpVerify = 3'd3,
    OpAbort  = 3'd4,
    OpChain  = 3'd5
  } op_e;

  typedef struct packed {
    logic [23:0] cylinder;
    logic [7:0]  head;
  } track_t;

  // Sectors of one track.
  typedef struct packed {
    track_t      track;
    logic [15:0] sector;  // first
    logic [15:0] count;
  } run_t;

  // The operation to execute, straight from the registers.
  typedef struct packed {
    run_t        first;
    run_t        next;
    logic [11:0] preamble;     // bytes
    logic [15:0] data;         // bytes
    logic [3:0]  revolutions;  // index pulses
  } job_t;

  // Fields of ERROR, lowest bit last.
  typedef struct packed {
    logic no_sync;
    logic other_track;
    logic write_fault;
    logic off_track;
    logic header;
    logic underrun;
    logic overrun;
    logic check;
    logic not_found;
  } error_t;

  typedef struct packed {
    logic        busy;
    logic        header_valid;
    logic [15:0] header_sector;
    logic [15:0] done;
    logic [7:0]  index_pulses;
    logic [7:0]  runs;
    error_t      error;
    logic [15:0] error_sector;
  } status_t;

  // CRC-16/CCITT-FALSE after one more byte: polynomial 0x1021, high bit first, preset with ones.
  // Over a message and its check bytes the result is zero.
  function automatic logic [15:0] crc16_byte(logic [15:0] crc, logic [7:0] data);
    logic [15:0] next;
    next = crc ^ {data, 8'h00};
    for (int unsigned i = 0; i < 8; i++) begin
      next = {next[14:0], 1'b0} ^ (next[15] ? 16'h1021 : 16'h0000);
    end
    return next;
  endfunction

  // CRC-32 of IEEE 802.3 (clause 3.2.9) after one more byte: polynomial 0x04C11DB7 reflected, low
  // bit first, preset with ones. The check bytes are its complement.
  function automatic logic [31:0] crc32_byte(logic [31:0] crc, logic [7:0] data);
    logic [31:0] next;
    next = crc ^ {24'h0, data};
    for (int unsigned i = 0; i < 8; i++) begin
      next = {1'b0, next[31:1]} ^ (next[0] ? 32'hEDB8_8320 : 32'h0);
    end
    return next;
  endfunction

endpackage
