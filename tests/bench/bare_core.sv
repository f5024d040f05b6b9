// SPDX-License-Identifier: Apache-2.0
// Only the core and a RAM: the reference for the SoC's speed. Stores above the RAM end the run.
module bare_core #(
  parameter int unsigned RamAddrWidth = 19
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        exit_o,
  output logic        core_sleep_o
);

  logic        instr_req, data_req, data_we, data_in_ram;
  logic        instr_valid_q, data_valid_q;
  logic [31:0] instr_addr, instr_rdata, data_addr, data_wdata, data_rdata;
  logic [3:0]  data_be;

  cpu u_cpu (
    .clk_i,
    .rst_ni,
    .instr_req_o   (instr_req),
    .instr_addr_o  (instr_addr),
    .instr_gnt_i   (instr_req),
    .instr_rvalid_i(instr_valid_q),
    .instr_rdata_i (instr_rdata),
    .instr_err_i   (1'b0),
    .data_req_o    (data_req),
    .data_we_o     (data_we),
    .data_be_o     (data_be),
    .data_addr_o   (data_addr),
    .data_wdata_o  (data_wdata),
    .data_gnt_i    (data_req),
    .data_rvalid_i (data_valid_q),
    .data_rdata_i  (data_rdata),
    .data_err_i    (1'b0),
    .irq_external_i(1'b0),
    .core_sleep_o
  );

  tightly_coupled_ram #(.Bytes(1 << RamAddrWidth)) u_ram (
    .clk_i,
    .instr_addr_i (instr_addr[RamAddrWidth-1:2]),
    .instr_rdata_o(instr_rdata),
    .data_req_i   (data_req & data_in_ram),
    .data_we_i    (data_we),
    .data_be_i    (data_be),
    .data_addr_i  (data_addr[RamAddrWidth-1:2]),
    .data_wdata_i (data_wdata),
    .data_rdata_o (data_rdata)
  );

  assign data_in_ram = data_addr[31:RamAddrWidth] == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      instr_valid_q <= 1'b0;
      data_valid_q  <= 1'b0;
      exit_o        <= 1'b0;
    end else begin
      instr_valid_q <= instr_req;
      data_valid_q  <= data_req;
      exit_o        <= exit_o | (data_req & data_we & !data_in_ram);
    end
  end

endmodule
