// SPDX-License-Identifier: Apache-2.0
// The register port that every block has, as hdl/README.md gives it.
package reg_pkg;

  // A page of 4 KiB for each block.
  parameter int unsigned RegAddrWidth = 12;

  // An access: valid for one cycle, and always accepted.
  typedef struct packed {
    logic                    valid;
    logic                    we;
    logic [RegAddrWidth-1:0] addr;
    logic [31:0]             wdata;
    logic [3:0]              be;
  } reg_req_t;

  // The answer to an access, in the same cycle. Without an access it has no meaning.
  typedef struct packed {
    logic [31:0] rdata;
    logic        err;
  } reg_rsp_t;

endpackage
