// SPDX-License-Identifier: Apache-2.0
// Bus phases, ids and parity, shared by the parts of the target.
package scsi_target_pkg;

  // {MSG, C/D, I/O}: I/O true means towards the initiator.
  typedef logic [2:0] phase_t;

  localparam phase_t PhaseCommand    = 3'b010;
  localparam phase_t PhaseMessageOut = 3'b110;
  localparam phase_t PhaseMessageIn  = 3'b111;

  // Length of a CDB by the group of its operation code (SPC-2 7.1), as in the firmware.
  function automatic logic [8:0] cdb_bytes(logic [2:0] group);
    unique case (group)
      3'd1, 3'd2: return 9'd10;
      3'd4:       return 9'd16;
      3'd5:       return 9'd12;
      default:    return 9'd6;
    endcase
  endfunction

  // Depth of the FIFO in bytes.
  localparam int unsigned FifoDepth = 16;

  // Odd parity (SCSI-2, DATA BUS): the number of ones in a byte with its parity bit is odd.
  function automatic logic [1:0] parity_of(logic [15:0] db);
    return {~^db[15:8], ~^db[7:0]};
  endfunction

  // DATA IN or DATA OUT: the phases that obey the transfer agreement.
  function automatic logic is_data_phase(phase_t phase);
    return (phase == 3'b000) || (phase == 3'b001);
  endfunction

  function automatic logic [15:0] id_bit(logic [3:0] id);
    return 16'd1 << id;
  endfunction

  // The ids of higher priority than this one: 7 is highest, down to 0; then come 15 down to 8.
  function automatic logic [15:0] ids_above(logic [3:0] id);
    logic [15:0] above;
    for (int unsigned i = 0; i < 16; i++) begin
      above[i] = {~i[3], i[2:0]} > {~id[3], id[2:0]};
    end
    return above;
  endfunction

  // Whether at most two bits are set. Bits are counted in groups of four.
  function automatic logic at_most_two(logic [15:0] ids);
    logic [3:0] one, two, three;  // at least one, two or three bits of a group are set
    logic       more;
    for (int unsigned i = 0; i < 4; i++) begin
      one[i]   = |ids[4*i+:4];
      two[i]   = ((ids[4*i] | ids[4*i+1]) & (ids[4*i+2] | ids[4*i+3])) | (ids[4*i] & ids[4*i+1]) |
                 (ids[4*i+2] & ids[4*i+3]);
      three[i] = (ids[4*i] & ids[4*i+1] & (ids[4*i+2] | ids[4*i+3])) |
                 (ids[4*i+2] & ids[4*i+3] & (ids[4*i] | ids[4*i+1]));
    end
    more = (three != '0) | (one[0] & one[1] & (one[2] | one[3])) |
           (one[2] & one[3] & (one[0] | one[1]));
    for (int unsigned i = 0; i < 4; i++) more |= two[i] & ((one & ~(4'd1 << i)) != '0);
    return !more;
  endfunction

  // The number of the one bit that is set.
  function automatic logic [3:0] id_of(logic [15:0] ids);
    logic [3:0] id;
    id = '0;
    for (int unsigned i = 0; i < 16; i++) begin
      if (ids[i]) id |= i[3:0];
    end
    return id;
  endfunction

endpackage
