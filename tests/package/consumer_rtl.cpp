// SPDX-License-Identifier: Apache-2.0
// The same on the electronics: SystemC has main().
#include <cstdio>
#include <systemc>

#include "host/session/rtl_platform.hpp"
#include "sim/drive/load.hpp"

namespace session = headstack::session;

int sc_main(int /*argc*/, char** /*argv*/) {
  session::Options options;
  options.platform = session::PlatformKind::kRtl;
  options.firmware = FIRMWARE;
  session::Session drive(headstack::drive::load(DRIVE).description, options, {},
                         session::make_rtl_platform);
  drive.make_ready();
  const std::vector<std::uint8_t> data(drive.description().design.sector_bytes, 0xA5);
  drive.write_blocks(5000, data);
  if (drive.read_blocks(5000, 1) != data) return 1;
  std::printf("rtl: %.3f ms simulated\n", headstack::to_ms(drive.now()));
  return 0;
}
