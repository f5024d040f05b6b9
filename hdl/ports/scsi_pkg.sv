// SPDX-License-Identifier: Apache-2.0
// The wires of the SCSI parallel bus, one bit each; 1 is asserted.
package scsi_pkg;

  typedef struct packed {
    logic [15:0] db;
    logic [1:0]  dp;  // odd parity of db[7:0] and db[15:8]
    logic        bsy;
    logic        sel;
    logic        cd;
    logic        io;
    logic        msg;
    logic        req;
    logic        ack;
    logic        atn;
    logic        rst;
  } pins_t;

endpackage
