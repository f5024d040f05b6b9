// What a session is opened with, beside the drive's description.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/initiator/agreement.hpp"
#include "sim/media/media_store.hpp"

namespace headstack::session {

enum class PlatformKind : std::uint8_t {
  kRtl,     // the electronics, cycle by cycle
  kVp,      // the same program on fast models, in the same cycles
  kNative,  // the firmware compiled for this machine, on the fast models; rough times
};

/// "rtl", "vp", "native". Throws SessionError for any other word.
PlatformKind parse_platform(const std::string& word);

/// How closely the drive's core is looked at. Looking costs time, and changes nothing that happens.
enum class Look : std::uint8_t {
  kNothing,
  kCycles,        // each cycle, behind it: registers, memory, the queue
  kInstructions,  // each instruction as it begins, too
};

struct Options {
  PlatformKind platform = PlatformKind::kVp;
  /// ELF file of the drive's firmware, which kRtl and kVp execute.
  std::string firmware;
  /// Hosts on the bus: 1 to 15, to 7 where the drive's bus is narrow. Host h has the h-th id of
  /// observe/host_tag.hpp.
  std::uint32_t hosts = 1;
  /// What each of them negotiates for; a drive that does less answers with less.
  initiator::Agreement agreement = initiator::kFast10Wide;
  /// What lies on the media; nothing: as formatted. The session writes into a copy of it.
  std::optional<media::MediaSnapshot> media;
  /// A media file instead, which is made if it is not there; "": none. Its content outlives the
  /// session, and the process.
  std::string media_file;
  bool at_rest = false;                       // the spindle, when the power comes
  Look look = Look::kNothing;                 // kNative has nothing to look at
  bool gating = true;                         // kRtl: false runs every clock, always
  bool ideal_electronics = false;             // kNative: instructions and bus take no time
  std::optional<std::uint32_t> access_price;  // kNative: cycles; default: NativeCore::kAccessPrice
  /// kNative: a scheduler of host/reference that chooses in place of the policy; "": none.
  std::string reference;
};

}  // namespace headstack::session
