#include "host/run/program_points.hpp"

namespace headstack::run {
namespace {

// RISC-V privileged architecture: the encodings of MRET, WFI, and of CSRCI and CSRSI for
// mstatus.MIE.
constexpr std::uint32_t kInterruptsOffInstruction = 0x3004'7073;
constexpr std::uint32_t kInterruptsOnInstruction = 0x3004'6073;
constexpr std::uint32_t kMret = 0x3020'0073;
constexpr std::uint32_t kWfi = 0x1050'0073;
// SLTI with x0 on both sides: a hint (unprivileged ISA), firmware/kernel/waypoint.h.
constexpr std::uint32_t kWaypointInstruction = 0x0000'2013;
constexpr std::uint32_t kWaypointMask = 0x000F'FFFF;
constexpr unsigned kWaypointShift = 20;

/// Calls `visit` with each address that an instruction could begin at, and the word there.
template <class Visit>
void for_each_word(const soc::ElfImage& image, Visit&& visit) {
  for (const soc::ElfImage::Segment& segment : image.segments()) {
    for (std::size_t i = 0; i + 4 <= segment.bytes.size(); i += 2) {
      const std::uint32_t word = segment.bytes[i] | segment.bytes[i + 1] << 8 |
                                 segment.bytes[i + 2] << 16 |
                                 static_cast<std::uint32_t>(segment.bytes[i + 3]) << 24;
      visit(segment.address + static_cast<std::uint32_t>(i), word);
    }
  }
}

}  // namespace

std::map<std::uint32_t, tlm::Access> program_points(const soc::ElfImage& image) {
  std::map<std::uint32_t, tlm::Access> points;
  for_each_word(image, [&points](std::uint32_t address, std::uint32_t word) {
    if (word == kMret) points.emplace(address, tlm::kReturn);
    if (word == kWfi) points.emplace(address, tlm::kSleep);
    if (word == kInterruptsOffInstruction) points.emplace(address, tlm::kInterruptsOff);
    if (word == kInterruptsOnInstruction) points.emplace(address, tlm::kInterruptsOn);
    if ((word & kWaypointMask) == kWaypointInstruction) {
      points.emplace(address, tlm::kWaypoint + (word >> kWaypointShift));
    }
  });
  return points;
}

}  // namespace headstack::run
