// SPDX-License-Identifier: Apache-2.0
// Delays of the SCSI bus, in nanoseconds as in the standard, and in clocks of the SoC.
//
// Source: SCSI-2 (X3.131-1994), SCSI bus timing; for the names with Fast, the option for fast
// synchronous transfer. Clauses 6.1.1 to 6.1.10 say how the phases use them.
//
// All conversions round up: a device may wait longer than a minimum, but not shorter. No maximum
// needs a counter: the block answers within a few clocks, or within a bus settle delay. So it meets
// bus clear (800 ns), bus set (1.8 us), data release and the selection abort time (200 us).
package scsi_timing_pkg;

  localparam int unsigned ClockPeriodNs = 25;

  function automatic int unsigned clocks(int unsigned time_ns);
    return (time_ns + ClockPeriodNs - 1) / ClockPeriodNs;
  endfunction

  // Least time from asserting BSY to checking the DATA BUS for higher ids.
  localparam int unsigned ArbitrationDelayNs  = 2400;
  // Least time from detecting bus free to asserting BSY for arbitration.
  localparam int unsigned BusFreeDelayNs      = 800;
  // Longest time in which others release the bus after SEL, RST or bus free.
  localparam int unsigned BusClearDelayNs     = 800;
  // Least time in which signals settle after a change of BSY, SEL, I/O, C/D or MSG.
  localparam int unsigned BusSettleDelayNs    = 400;
  // Longest time in which the initiator releases the DATA BUS after I/O turned true.
  localparam int unsigned DataReleaseDelayNs  = 400;
  // Longest time from the selection to the answer with BSY.
  localparam int unsigned SelectionAbortNs    = 200_000;

  // Skew of drivers and of the cable, and hold, for transfers slower than fast.
  localparam int unsigned DeskewDelayNs       = 45;
  localparam int unsigned CableSkewDelayNs    = 10;
  localparam int unsigned HoldTimeNs          = 45;
  // Least times of REQ true and REQ false in synchronous transfer.
  localparam int unsigned AssertionPeriodNs   = 90;
  localparam int unsigned NegationPeriodNs    = 90;

  // Times for fast synchronous transfer: periods below 200 ns.
  localparam int unsigned FastBelowNs         = 200;
  localparam int unsigned FastDeskewDelayNs   = 20;
  localparam int unsigned FastCableSkewNs     = 5;
  localparam int unsigned FastHoldTimeNs      = 10;
  localparam int unsigned FastAssertionNs     = 30;
  localparam int unsigned FastNegationNs      = 30;

  // Delays in clocks, as the phases use them.
  localparam int unsigned BusSettleClocks     = clocks(BusSettleDelayNs);
  localparam int unsigned FreeToArbitrateClocks = clocks(BusSettleDelayNs + BusFreeDelayNs);
  localparam int unsigned ArbitrationClocks   = clocks(ArbitrationDelayNs);
  localparam int unsigned ArbitrationWonClocks = clocks(BusClearDelayNs + BusSettleDelayNs);
  localparam int unsigned TwoDeskewClocks     = clocks(2 * DeskewDelayNs);
  localparam int unsigned GiveUpClocks        = clocks(SelectionAbortNs + 2 * DeskewDelayNs);
  localparam int unsigned TurnInClocks        = clocks(DataReleaseDelayNs + BusSettleDelayNs);
  // Least times of valid data before REQ, and of REQ true before the data may change.
  localparam int unsigned SetupClocks         = clocks(DeskewDelayNs + CableSkewDelayNs);
  localparam int unsigned FastSetupClocks     = clocks(FastDeskewDelayNs + FastCableSkewNs);
  localparam int unsigned HoldClocks     = clocks(DeskewDelayNs + CableSkewDelayNs + HoldTimeNs);
  localparam int unsigned FastHoldClocks =
      clocks(FastDeskewDelayNs + FastCableSkewNs + FastHoldTimeNs);
  // A synchronous REQ stays true for its assertion period, and as long as its data must hold. The
  // data may therefore change when REQ turns false.
  localparam int unsigned ReqClocks =
      HoldClocks > clocks(AssertionPeriodNs) ? HoldClocks : clocks(AssertionPeriodNs);
  localparam int unsigned FastReqClocks =
      FastHoldClocks > clocks(FastAssertionNs) ? FastHoldClocks : clocks(FastAssertionNs);
  // The shortest periods that leave REQ false long enough.
  localparam int unsigned FastPeriodClocks = clocks(FastBelowNs);
  localparam int unsigned MinPeriodClocks  = FastReqClocks + clocks(FastNegationNs);

  // Edges from the one that samples a pin until the state machines get its level. One register is
  // at the SoC's entry, the other in the block.
  localparam int unsigned SyncClocks = 2;

endpackage
