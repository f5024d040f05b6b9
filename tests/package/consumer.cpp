// SPDX-License-Identifier: Apache-2.0
// Opens a drive on both fast platforms, writes blocks, reads them back, and looks at its state in
// between.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "firmware/events.h"
#include "host/session/session.hpp"
#include "sim/drive/load.hpp"

namespace session = headstack::session;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "consumer: %s\n", what);
  std::exit(1);
}

void try_platform(const char* name) {
  session::Options options;
  options.platform = session::parse_platform(name);
  const bool native = options.platform == session::PlatformKind::kNative;
  if (!native) {
    options.firmware = FIRMWARE;
    options.look = session::Look::kCycles;
  }
  session::Session drive(headstack::drive::load(DRIVE).description, options);
  drive.make_ready();

  const std::uint32_t block_bytes = drive.description().design.sector_bytes;
  std::vector<std::uint8_t> data(4 * block_bytes);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(3 * i + 1);
  drive.write_blocks(5000, data);
  require(drive.read_blocks(5000, 4) == data, "blocks come back as they were written");
  require(drive.read_blocks(5002, 1) != std::vector<std::uint8_t>(block_bytes), "a block has data");
  if (!native) require(drive.queue().empty(), "nothing is left in the queue");
  require(drive.figures().bus_violations == 0, "nobody breaks the bus's rules");
  std::printf("%s: %.3f ms simulated\n", name, headstack::to_ms(drive.now()));
}

}  // namespace

int main() {
  try_platform("vp");
  try_platform("native");
  return 0;
}
