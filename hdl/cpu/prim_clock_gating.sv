// SPDX-License-Identifier: Apache-2.0
// Ibex's clock gate, as a wire. The core's clock stops outside while the core sleeps, so a second
// gate inside would save nothing. It would also need a latch, which a simulation of only rising
// edges cannot evaluate.
// Consequence: the core's registers hold still while it sleeps. The exception is mcycle, which
// counts the edges that the core gets. The start-up code therefore inhibits mcycle, and the
// firmware takes the time from the timer.
module prim_clock_gating (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);

  logic unused_enable;
  assign unused_enable = en_i ^ test_en_i;

  assign clk_o = clk_i;

endmodule
