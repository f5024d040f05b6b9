// SPDX-License-Identifier: Apache-2.0
// The options of a session, besides the drive's description.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/initiator/agreement.hpp"
#include "sim/initiator/reaction_times.hpp"
#include "sim/media/media_store.hpp"

namespace headstack::session {

enum class PlatformKind : std::uint8_t {
  kRtl,     // the electronics in RTL, cycle by cycle
  kVp,      // fast models of the electronics, with the same cycles
  kNative,  // the firmware compiled for this machine, with approximate times
};

/// "rtl", "vp", "native". Throws SessionError for any other word.
PlatformKind parse_platform(const std::string& word);

/// The level of inspection of the drive's core. Inspection costs time, and does not change the run.
enum class Look : std::uint8_t {
  kNothing,
  kCycles,        // registers, memory and queue after each cycle
  kInstructions,  // also each instruction before it takes effect
};

struct Options {
  PlatformKind platform = PlatformKind::kVp;
  /// ELF file of the drive's firmware, which kRtl and kVp execute.
  std::string firmware;
  /// The folder, for kVp, with the firmware's translation to native code, which makes it several
  /// times as fast. Other users must not be able to write there. "" means `firmware/translations`
  /// of the build or package to which the running program belongs, if there is one.
  std::string translations;
  /// Hosts on the bus: 1 to 15, or to 7 if the drive's bus is narrow. Host h has the h-th id of
  /// observe/host_tag.hpp.
  std::uint32_t hosts = 1;
  /// The agreement that each host negotiates for. A drive with fewer capabilities answers with
  /// less.
  initiator::Agreement agreement = initiator::kFast10Wide;
  /// The delays of each host's adapter.
  initiator::ReactionTimes host_times;
  /// Content of the media; nothing: as after formatting. The session writes into a copy of it.
  std::optional<media::MediaSnapshot> media;
  /// Media file in place of `media`, created if it does not exist; "": none. Its content outlives
  /// the session and the process.
  std::string media_file;
  bool at_rest = false;                       // the spindle is at rest at power-on
  Look look = Look::kNothing;                 // kNative has no core to inspect
  bool gating = true;                         // kRtl: if false, every clock runs at every edge
  bool ideal_electronics = false;             // kNative: instructions and bus take no time
  std::optional<std::uint32_t> access_price;  // kNative: in cycles; default:
                                              // NativeCore::kAccessPrice
  /// A scheduler of host/reference that replaces the policy, for kNative; "": none.
  std::string reference;
};

}  // namespace headstack::session
