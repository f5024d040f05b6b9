// SPDX-License-Identifier: Apache-2.0
// Walks the sectors of a track: pulse, sync mark, header, data, check bytes; next sector.
//
// Timing: everything happens in the cycle of a pulse, a strobe, or a command; between them the
// sequencer needs no clock. It answers the channel within the same cycle: gates and byte are
// next-state values. The answer to a strobe is therefore ready before the next byte begins, even
// when a byte lasts little more than a clock. The write gate is open for data and check bytes only.
// It opens on the header's last strobe and closes on the last strobe of the check bytes.
// A byte goes to the buffer in the cycle of its strobe. A byte comes from the buffer one strobe
// before it is written. The last byte of a sector is taken only when the sector is on the media:
// until then the buffer keeps the sector's credit.
// After the last sector of a run, the next run follows if the firmware has named it by then. If it
// is on another track, the servo gets the request in the cycle after. The first pulse after the
// servo has reached that track begins a sector. The firmware need not act between runs, as it names
// the next run during the present one.
// Errors: see error_t. If an error stops a sector that the buffer has begun, disk_o.drop pulses in
// both directions, and the buffer starts that sector again.
module formatter_sequencer
  import formatter_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  input  logic    command_valid_i,  // high for one cycle
  input  op_e     command_op_i,
  input  job_t    job_i,            // constant while busy; `next` while a run is named
  output status_t status_o,
  output logic    event_done_o,
  output logic    event_error_o,
  output logic    event_sector_o,
  output logic    event_chained_o,
  output logic    clk_req_o,

  output stream_pkg::disk_to_buffer_t   disk_o,
  input  stream_pkg::disk_from_buffer_t disk_i,
  input  channel_pkg::channel_in_t      channel_i,
  output channel_pkg::channel_out_t     channel_o,
  input  servo_link_pkg::heads_t        heads_i,
  output logic                          follow_o
);

  typedef enum logic [3:0] {
    StIdle,
    StPulse,       // wait for a sector to begin
    StHunt,        // read until the sync mark
    StHeader,
    StReadData,
    StReadCheck,
    StWriteData,
    StWriteCheck,
    StSeek         // the servo moves to the next run's track
  } state_e;

  state_e      state_q, state_d;
  op_e         op_q, op_d;
  logic        aborting_q, aborting_d;  // finish the sector being written, then stop
  logic [15:0] count_q, count_d;        // bytes of the current field that have passed
  logic [7:0]  last_byte_q, last_byte_d;
  logic [47:0] header_q, header_d;      // cylinder, head, sector
  logic [15:0] crc16_q, crc16_d;
  logic [31:0] crc32_q, crc32_d;        // CRC of the data; check bytes leave at the top
  logic        bad_q, bad_d;            // a check byte differed, or write data was missing
  logic [7:0]  out_q, out_d;            // the byte that the next strobe writes
  logic [3:0]  patience_q, patience_d;  // index pulses since a sector was found
  logic        began_q;                 // high in the cycle after `start`
  track_t      track_q, track_d;        // track of the run under way
  logic [15:0] sector_q, sector_d;      // number of the next sector
  logic [15:0] left_q, left_d;          // sectors left in the run, sector_q included
  logic        named_q, named_d;        // a next run is named
  logic        follow_q, follow_d;      // the request to the servo
  status_t     status_q, status_d;

  // Signals of the input ports. Verilator resolves these to their sources, but not a member of a
  // struct that a process reads.
  logic       sector_pulse, index_pulse, byte_strobe, write_fault;
  logic       on_track, write_ready, seeking;
  logic       wr_ready, rd_valid, can_accept, has_sector;
  logic [7:0] nrz, rd_data;
  assign sector_pulse = channel_i.sector_pulse;
  assign index_pulse  = channel_i.index_pulse;
  assign byte_strobe  = channel_i.byte_strobe;
  assign nrz          = channel_i.nrz;
  assign write_fault  = channel_i.write_fault;
  assign on_track     = heads_i.on_track;
  assign write_ready  = heads_i.write_ready;
  assign seeking      = heads_i.seeking;
  assign wr_ready     = disk_i.bytes.wr_ready;
  assign rd_valid     = disk_i.bytes.rd_valid;
  assign rd_data      = disk_i.bytes.rd_data;
  assign can_accept   = disk_i.can_accept;
  assign has_sector   = disk_i.has_sector;

  logic busy, reading, writing;
  assign busy    = state_q != StIdle;
  assign reading = state_q inside {StReadData, StReadCheck};
  assign writing = state_q inside {StWriteData, StWriteCheck};

  logic start, abort, named;
  assign start = command_valid_i && !busy && command_op_i inside {OpRead, OpWrite, OpVerify};
  assign abort = command_valid_i && command_op_i == OpAbort;
  assign named = named_q || (command_valid_i && command_op_i == OpChain && busy);

  // Reasons to stop that do not come from the byte stream.
  logic lost_track, unsettled, out_of_patience;
  assign lost_track      = busy && state_q != StSeek &&
                           (!on_track || (writing && !write_ready));
  // Sectors pass by meanwhile. A turn of a write begins when they need not.
  assign unsettled       = op_q == OpWrite && !write_ready;
  assign out_of_patience = busy && index_pulse && !began_q && !reading && !writing &&
                           state_q != StSeek && !unsettled &&
                           5'(patience_q) + 5'd1 >= 5'(job_i.revolutions);

  // The servo has reached the next run's track, or has failed.
  logic seek_ended;
  assign seek_ended = state_q == StSeek && !follow_q && !seeking;

  // What this strobe completes.
  logic sync_found, sync_missed, header_end, data_end, check_end;
  assign sync_found  = last_byte_q == SyncFirst && nrz == SyncSecond;
  assign sync_missed = count_q + 16'd1 == 16'(job_i.preamble) + 16'(SyncBytes + SyncSlackBytes);
  assign header_end  = count_q[2:0] == 3'(HeaderBytes - 1);  // the low bits are enough here
  assign data_end    = count_q + 16'd1 == job_i.data;
  assign check_end   = count_q[1:0] == 2'(CheckBytes - 1);   // the low bits are enough here

  // A check byte differs from the data's CRC: an earlier one, or the one that passes now.
  logic check_bad;
  assign check_bad = bad_q || nrz != ~crc32_q[31:24];

  // Whether the header is good at its last strobe, and whether it is that of the wanted sector.
  logic header_good, wanted;
  assign header_good = state_q == StHeader && byte_strobe && header_end && crc16_d == '0;
  assign wanted      = header_q == {track_q, sector_q};

  logic elsewhere;
  assign elsewhere = header_q[47:16] != track_q;

  // Whether the cycle ends a sector or the operation.
  logic   sector_done, last_sector, failed;
  error_t error;  // all members but `header`, `other_track` and `no_sync` end the operation
  assign last_sector = left_q == 16'd1 || aborting_q || abort;

  // Whether the cycle ends only the run, because there is a next run.
  logic goes_on, chained;
  assign goes_on = named && job_i.next.count != '0 && !aborting_q && !abort && left_q == 16'd1;
  assign chained = sector_done && goes_on;

  // The next state.
  always_comb begin
    state_d     = state_q;
    sector_done = 1'b0;
    error       = '0;

    if (start && job_i.first.count != '0) begin
      state_d = StPulse;
    end else if (lost_track) begin
      error.off_track = 1'b1;
    end else if (abort && !writing) begin
      state_d = StIdle;
    end else if (out_of_patience) begin
      error.not_found = 1'b1;
    end else if (seek_ended) begin
      state_d         = StPulse;
      error.off_track = !on_track;
    end else if (byte_strobe) begin
      unique case (state_q)
        StHunt: begin
          if (sync_found) begin
            state_d = StHeader;
          end else if (sync_missed) begin
            state_d       = StPulse;
            error.header  = 1'b1;
            error.no_sync = 1'b1;
          end
        end
        StHeader: begin
          if (header_end) begin
            state_d           = StPulse;
            error.header      = !header_good;
            error.other_track = header_good && elsewhere;
            if (header_good && wanted) begin
              unique case (op_q)
                OpRead: begin
                  state_d       = StReadData;
                  error.overrun = !can_accept;
                end
                OpWrite: begin
                  // Sectors pass by until the heads are settled for writing.
                  if (write_ready) begin
                    state_d        = StWriteData;
                    error.underrun = !has_sector;
                  end
                end
                default: state_d = StReadData;
              endcase
            end
          end
        end
        StReadData: begin
          error.overrun = op_q == OpRead && !wr_ready;
          if (data_end) state_d = StReadCheck;
        end
        StReadCheck: begin
          sector_done = check_end && !check_bad;
          error.check = check_end && check_bad;
        end
        StWriteData: begin
          if (data_end) state_d = StWriteCheck;
        end
        StWriteCheck: begin
          sector_done       = check_end && !bad_q && !write_fault;
          error.underrun    = check_end && bad_q;
          error.write_fault = check_end && !bad_q && write_fault;
        end
        default: ;
      endcase
    end

    failed = error.off_track || error.underrun || error.overrun || error.check ||
             error.not_found || error.write_fault;
    if (sector_done) begin
      state_d = last_sector && !goes_on ? StIdle : StPulse;
      if (goes_on && job_i.next.track != track_q) state_d = StSeek;
    end
    if (failed) state_d = StIdle;
    // A sector that begins in the cycle in which another ends is not missed.
    if (state_d == StPulse && sector_pulse) state_d = StHunt;
  end

  // The count starts again with each field, without waiting for state_d: outside the fields it is
  // held at 0. A field that is cut off needs no other end.
  always_comb begin
    logic field_end;
    unique case (state_q)
      StHunt:                    field_end = sync_found;
      StHeader:                  field_end = header_end;
      StReadData, StWriteData:   field_end = data_end;
      StReadCheck, StWriteCheck: field_end = check_end;
      default:                   field_end = 1'b1;
    endcase
    count_d = byte_strobe ? count_q + 16'd1 : count_q;
    if (field_end && (byte_strobe || state_q inside {StIdle, StPulse, StSeek})) count_d = '0;
  end

  // Header and check codes. All data bytes feed crc32 with their strobe, in both directions.
  always_comb begin
    last_byte_d = last_byte_q;
    header_d    = header_q;
    crc16_d     = crc16_q;
    crc32_d     = crc32_q;
    if (byte_strobe) begin
      unique case (state_q)
        StHunt: begin
          last_byte_d = nrz;
          crc16_d     = '1;
        end
        StHeader: begin
          crc16_d = crc16_byte(crc16_q, nrz);
          crc32_d = '1;
          if (count_q[2:0] < 3'(HeaderBytes - 2)) header_d = {header_q[39:0], nrz};
        end
        StReadData:                crc32_d = crc32_byte(crc32_q, nrz);
        StWriteData:               crc32_d = crc32_byte(crc32_q, out_q);
        StReadCheck, StWriteCheck: crc32_d = {crc32_q[23:0], 8'h00};
        default: ;
      endcase
    end
    // The last byte matters only in StHunt.
    if (state_q != StHunt) last_byte_d = '0;
  end

  // Data to the media, one byte ahead. Byte 0 is loaded with the header's last strobe, byte k + 1
  // with the strobe of byte k. The check bytes follow. The buffer's last byte stays until
  // sector_done. The conditions are those of StWriteData, but not state_d itself: state_d also
  // depends on can_accept, which arrives late and matters for reads only.
  logic load_first, load_next, load, load_last;
  assign load_first = header_good && wanted && op_q == OpWrite && write_ready &&
                      has_sector && !lost_track && !abort && !out_of_patience;
  assign load_next  = state_q == StWriteData && byte_strobe && !data_end && !lost_track;
  assign load       = load_first || load_next;
  assign load_last  = state_q == StWriteData && count_q + 16'd2 == job_i.data;

  always_comb begin
    bad_d = bad_q;
    out_d = out_q;
    if (load) begin
      bad_d = (state_q == StWriteData && bad_q) || !rd_valid;
      out_d = bad_d ? 8'h00 : rd_data;
    end else if (writing && byte_strobe) begin
      // Good check bytes are the complement of the CRC; bad ones differ from them in every bit.
      out_d = bad_q ? crc32_d[31:24] : ~crc32_d[31:24];
    end else if (state_q == StReadData) begin
      bad_d = 1'b0;
    end else if (state_q == StReadCheck && byte_strobe) begin
      bad_d = check_bad;
    end
  end

  // Verdicts of the operation.
  always_comb begin
    op_d       = op_q;
    aborting_d = aborting_q || (abort && writing);
    patience_d = patience_q + 4'(index_pulse);
    status_d   = status_q;
    if (index_pulse) begin
      status_d.header_valid = 1'b0;
      if (busy && status_q.index_pulses != '1) status_d.index_pulses += 8'd1;
    end
    if (header_good) begin
      status_d.header_valid  = 1'b1;
      status_d.header_sector = header_q[15:0];
    end
    if (sector_done) status_d.done += 16'd1;
    if (chained) status_d.runs += 8'd1;
    if (busy) status_d.error |= error;
    if (failed) status_d.error_sector = sector_q;
    if (start) begin
      op_d       = command_op_i;
      aborting_d = 1'b0;
      status_d   = '0;
    end
    // A pulse that comes with `start` does not count. The sector that begins with it is missed, and
    // is found a turn later.
    if (start || began_q || reading || writing || state_q == StSeek || unsettled) begin
      patience_d = '0;
    end
    status_d.busy = state_d != StIdle;
  end

  // Progress of the operation.
  always_comb begin
    track_d  = track_q;
    sector_d = sector_q + 16'(sector_done);
    left_d   = left_q - 16'(sector_done);
    named_d  = named && !chained && state_d != StIdle;
    follow_d = chained && state_d == StSeek;
    if (start || chained) begin
      track_d  = start ? job_i.first.track : job_i.next.track;
      sector_d = start ? job_i.first.sector : job_i.next.sector;
      left_d   = start ? job_i.first.count : job_i.next.count;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StIdle;
      op_q        <= OpNone;
      aborting_q  <= 1'b0;
      count_q     <= '0;
      last_byte_q <= '0;
      header_q    <= '0;
      crc16_q     <= '0;
      crc32_q     <= '0;
      bad_q       <= 1'b0;
      out_q       <= '0;
      patience_q  <= '0;
      began_q     <= 1'b0;
      track_q     <= '0;
      sector_q    <= '0;
      left_q      <= '0;
      named_q     <= 1'b0;
      follow_q    <= 1'b0;
      status_q    <= '0;
    end else begin
      state_q     <= state_d;
      op_q        <= op_d;
      aborting_q  <= aborting_d;
      count_q     <= count_d;
      last_byte_q <= last_byte_d;
      header_q    <= header_d;
      crc16_q     <= crc16_d;
      crc32_q     <= crc32_d;
      bad_q       <= bad_d;
      out_q       <= out_d;
      patience_q  <= patience_d;
      began_q     <= start;
      track_q     <= track_d;
      sector_q    <= sector_d;
      left_q      <= left_d;
      named_q     <= named_d;
      follow_q    <= follow_d;
      status_q    <= status_d;
    end
  end

  assign status_o        = status_q;
  assign event_sector_o  = sector_done;
  assign event_error_o   = failed;
  assign event_chained_o = chained;
  assign follow_o        = follow_q;
  // An operation ends with done, error, or both (an abort whose last sector failed).
  assign event_done_o    = (sector_done && last_sector && !chained) || (abort && !writing) ||
                           (failed && (aborting_q || abort)) ||
                           (start && job_i.first.count == '0);

  // Outputs to the channel.
  logic read_gate, write_gate;
  assign read_gate  = state_d inside {StHunt, StHeader, StReadData, StReadCheck};
  assign write_gate = state_d inside {StWriteData, StWriteCheck};
  assign channel_o  = '{read_gate: read_gate, write_gate: write_gate, nrz: out_d,
                        sector_listen: busy, index_listen: busy};

  // Outputs to the buffer.
  // Every transition from data or check bytes to StIdle except that of sector_done. It does not use
  // state_d, which depends on can_accept.
  logic stopped;
  always_comb begin
    stopped = 1'b0;
    unique case (state_q)
      StReadData:   stopped = lost_track || abort || (byte_strobe && !wr_ready);
      StReadCheck:  stopped = lost_track || abort || (byte_strobe && check_end && check_bad);
      StWriteData:  stopped = lost_track;
      StWriteCheck: stopped = lost_track ||
                              (byte_strobe && check_end && (bad_q || write_fault));
      default: ;
    endcase
  end

  logic commit, drop;
  assign commit = sector_done && op_q == OpRead;
  assign drop   = op_q != OpVerify && stopped;
  assign disk_o = '{
    bytes: '{
      wr_valid: state_q == StReadData && op_q == OpRead && byte_strobe,
      wr_data:  nrz,
      rd_ready: (load && !bad_d && !load_last) || (sector_done && op_q == OpWrite)
    },
    commit: commit,
    drop:   drop
  };

  // The sequencer acts only on a command, the cycle after it, a pulse, a strobe, or the loss of the
  // track.
  assign clk_req_o = command_valid_i || began_q || index_pulse || lost_track ||
                     (busy && (sector_pulse || byte_strobe)) || follow_q || seek_ended;

`ifndef SYNTHESIS
  // The channel never reads and writes at once.
  a_one_gate : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(read_gate && write_gate));
  // Only a write operation opens the write gate, on the track, settled for writing.
  a_write_gate_on_track : assert property (@(posedge clk_i) disable iff (!rst_ni)
      write_gate |-> op_q == OpWrite && on_track && write_ready);
  // The write gate opens only after a good header of the wanted sector.
  a_write_gate_behind_header : assert property (@(posedge clk_i) disable iff (!rst_ni)
      $rose(write_gate) |-> header_good && wanted);
  // Only a strobe changes the byte to be written.
  a_nrz_stands : assert property (@(posedge clk_i) disable iff (!rst_ni)
      writing && write_gate && !byte_strobe |-> channel_o.nrz == out_q);
  // The low bits are the whole count in header and check bytes.
  a_count_in_header : assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == StHeader |-> count_q < 16'(HeaderBytes));
  a_count_in_check : assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q inside {StReadCheck, StWriteCheck} |-> count_q < 16'(CheckBytes));
  // An operation ends with an event, and only then.
  a_end_is_told : assert property (@(posedge clk_i) disable iff (!rst_ni)
      busy && state_d == StIdle |-> event_done_o || event_error_o);
  a_error_ends : assert property (@(posedge clk_i) disable iff (!rst_ni)
      event_error_o |-> state_d == StIdle);
  // The next run begins after a completed sector, and only if it was named.
  a_chained_behind_sector : assert property (@(posedge clk_i) disable iff (!rst_ni)
      event_chained_o |-> event_sector_o && named && state_d != StIdle);
  // No gate is open, and no further track is requested, while the heads move.
  a_no_gate_in_seek : assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == StSeek && !seek_ended |-> !read_gate && !write_gate);
  a_seek_is_one_cycle : assert property (@(posedge clk_i) disable iff (!rst_ni) follow_o |=> !follow_o);
  // The conditions that replace state_d agree with it.
  a_load : assert property (@(posedge clk_i) disable iff (!rst_ni)
      load == (state_d == StWriteData && (state_q != StWriteData || byte_strobe)));
  a_stopped : assert property (@(posedge clk_i) disable iff (!rst_ni)
      op_q != OpVerify |->
      stopped == ((reading || writing) && state_d == StIdle && !sector_done));
  a_state_of_operation : assert property (@(posedge clk_i) disable iff (!rst_ni)
      busy |-> op_q inside {OpRead, OpWrite, OpVerify} && writing <= (op_q == OpWrite) &&
               reading <= (op_q != OpWrite));
  // A sector begun in the buffer is committed or dropped.
  a_one_verdict : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(commit && drop));
  // Assumption at the input: strobes come only while a gate is, or just was, open.
  m_strobe_with_gate : assume property (@(posedge clk_i) disable iff (!rst_ni)
      byte_strobe |-> $past(read_gate || write_gate));

  // A test reaches each state and each error (tests/rtl/test_covers.py).
  c_st_idle : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StIdle);
  c_st_pulse : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StPulse);
  c_st_hunt : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StHunt);
  c_st_header : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StHeader);
  c_st_read_data : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StReadData);
  c_st_read_check : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StReadCheck);
  c_st_write_data : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StWriteData);
  c_st_write_check : cover property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == StWriteCheck);
  c_st_seek : cover property (@(posedge clk_i) disable iff (!rst_ni) state_q == StSeek);
  c_no_sync : cover property (@(posedge clk_i) disable iff (!rst_ni) error.no_sync);
  c_other_track : cover property (@(posedge clk_i) disable iff (!rst_ni) error.other_track);
  c_write_fault : cover property (@(posedge clk_i) disable iff (!rst_ni) error.write_fault);
  c_off_track : cover property (@(posedge clk_i) disable iff (!rst_ni) error.off_track);
  c_header : cover property (@(posedge clk_i) disable iff (!rst_ni) error.header);
  c_underrun : cover property (@(posedge clk_i) disable iff (!rst_ni) error.underrun);
  c_overrun : cover property (@(posedge clk_i) disable iff (!rst_ni) error.overrun);
  c_check : cover property (@(posedge clk_i) disable iff (!rst_ni) error.check);
  c_not_found : cover property (@(posedge clk_i) disable iff (!rst_ni) error.not_found);
  c_abort_in_sector : cover property (@(posedge clk_i) disable iff (!rst_ni) abort && writing);
  c_chained : cover property (@(posedge clk_i) disable iff (!rst_ni) chained);
`endif

endmodule
