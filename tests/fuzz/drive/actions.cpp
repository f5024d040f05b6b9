// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/actions.hpp"

#include <algorithm>

namespace headstack::fuzz {

void put(Bytes* bytes, std::size_t at, std::size_t count, std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i) {
    (*bytes)[at + i] = static_cast<std::uint8_t>(value >> (8 * (count - 1 - i)));
  }
}

Bytes ranged_cdb(std::uint8_t opcode, std::uint32_t lba, std::uint32_t blocks) {
  Bytes cdb(10);
  cdb[0] = opcode;
  put(&cdb, 2, 4, lba);
  put(&cdb, 7, 2, blocks);
  return cdb;
}

Action select_page(const Bytes& page) {
  Action action;
  action.list.resize(8);  // The header: no block descriptor.
  action.list.insert(action.list.end(), page.begin(), page.end());
  action.cdb = {0x55, 0x10, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(action.list.size()), 0};
  return action;
}

Action await(std::uint8_t host, std::uint32_t count) {
  Action action;
  action.kind = ActionKind::kAwait;
  action.host = host;
  action.count = count;
  return action;
}

bool has_flaw(const Storyline& storyline, std::uint32_t lba) {
  return std::any_of(storyline.flaws.begin(), storyline.flaws.end(),
                     [lba](const FlawSetup& flaw) { return flaw.lba == lba; });
}

}  // namespace headstack::fuzz
