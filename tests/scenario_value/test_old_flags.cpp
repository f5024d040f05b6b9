// SPDX-License-Identifier: Apache-2.0
// The flags that `headstack run` had before scenarios: each is an error that names what replaces
// it.
#include <gtest/gtest.h>

#include <set>

#include "host/scenario/fields.hpp"
#include "host/scenario/old_flags.hpp"

namespace headstack::scenario {
namespace {

/// All that there were; three more became keys while there were both.
const std::set<std::string> kFormerFlags = {"--drive",
                                            "--trace",
                                            "--policy",
                                            "--queue-depth",
                                            "--cache",
                                            "--platform",
                                            "--firmware",
                                            "--deadlines",
                                            "--limit",
                                            "--seed",
                                            "--initiators",
                                            "--verify-data",
                                            "--wave",
                                            "--out",
                                            "--force",
                                            "--open",
                                            "--closed",
                                            "--think",
                                            "--trace-format",
                                            "--device",
                                            "--skip-bad",
                                            "--sort-window",
                                            "--speedup",
                                            "--think-time",
                                            "--think-scale",
                                            "--map-addresses",
                                            "--trace-end",
                                            "--warm-up",
                                            "--warm-up-time",
                                            "--media",
                                            "--controller",
                                            "--no-gating",
                                            "--ideal-electronics",
                                            "--access-price",
                                            "--reference",
                                            "--bus",
                                            "--cdb",
                                            "--retry",
                                            "--untagged-every",
                                            "--head-of-queue-every",
                                            "--ordered-every",
                                            "--no-disconnect-every",
                                            "--fua-every",
                                            "--dpo-every",
                                            "--verify-every",
                                            "--flush-every",
                                            "--save-every",
                                            "--reassign-every",
                                            "--format-every",
                                            "--abort-every",
                                            "--clear-queue-every",
                                            "--reset-every",
                                            "--policy-every",
                                            "--cache-every",
                                            "--map-every",
                                            "--predictor-margin",
                                            "--write-threshold",
                                            "--stream",
                                            "--cdl-policy",
                                            "--qerr",
                                            "--reordering",
                                            "--remap",
                                            "--map",
                                            "--remap-share",
                                            "--remap-idle",
                                            "--remap-settled",
                                            "--learn",
                                            "--power-cut",
                                            "--power-again",
                                            "--power-loss",
                                            "--wave-window",
                                            "--wave-on",
                                            "--wave-after",
                                            "--timeline",
                                            "--event-log",
                                            "--event-ledger",
                                            "--access-log",
                                            "--profile",
                                            "--post-mortem",
                                            "--snapshot-every",
                                            "--snapshots",
                                            "--watchdog",
                                            "--fail-on",
                                            "--torture",
                                            "--torture-every",
                                            "--torture-bytes",
                                            "--torture-cuts",
                                            "--torture-seed",
                                            "--torture-whole",
                                            "--torture-once",
                                            "--torture-jobs",
                                            "--gdb",
                                            "--run-until",
                                            "--strict",
                                            "--all-devices",
                                            "--remap-counts",
                                            "--batch",
                                            "--events",
                                            "--allow-empty",
                                            "--expect-requests"};

TEST(OldFlags, Table_HasEachFlagOnce) {
  std::set<std::string> known;
  for (const OldFlag& flag : old_flags()) {
    EXPECT_TRUE(known.insert(flag.name).second) << flag.name << " is there twice";
  }
  EXPECT_EQ(known, kFormerFlags);
}

TEST(OldFlags, Sentence_NamesTheKey) {
  EXPECT_EQ(old_flag_sentence("--queue-depth"),
            "--queue-depth: is a key now; write hosts.depth=VALUE");
  EXPECT_EQ(old_flag_sentence("--verify-data"),
            "--verify-data: is a key now; write hosts.verify=true");
  EXPECT_EQ(old_flag_sentence("--open"), "--open: is a key now; write load.loop=open");
  EXPECT_EQ(old_flag_sentence("--no-gating"),
            "--no-gating: is a key now; write platform.gating=false");
  EXPECT_EQ(old_flag_sentence("--reset-every"),
            "--reset-every: is a key now; write hosts.every.bus_reset=VALUE or "
            "hosts.every.device_reset=VALUE");
  EXPECT_EQ(old_flag_sentence("--torture-seed"),
            "--torture-seed: is for `headstack torture`; write --cut-seed there");
  EXPECT_EQ(old_flag_sentence("--timeline"),
            "--timeline: is a key now; write observe.timeline=true; the file is "
            "OUT/timeline.perfetto");
  EXPECT_EQ(old_flag_sentence("--gdb"), "--gdb: is for `headstack debug`; use that command");
  EXPECT_EQ(old_flag_sentence("--strict"), "--strict: is the default; leave it out");
  EXPECT_EQ(old_flag_sentence("--out"), "");
  EXPECT_EQ(old_flag_sentence("--nothing"), "");
  for (const OldFlag& flag : old_flags()) {
    EXPECT_EQ(old_flag_sentence(flag.name).empty(), flag.fate == Fate::kStays) << flag.name;
  }
}

}  // namespace
}  // namespace headstack::scenario
