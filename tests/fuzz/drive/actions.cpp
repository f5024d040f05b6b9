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
  action.list.resize(8);  // the header: no block descriptor
  action.list.insert(action.list.end(), page.begin(), page.end());
  action.cdb = {0x55, 0x10, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(action.list.size()), 0};
  return action;
}

Bytes duration_page(Choices* choices, bool writes, bool has_many) {
  Bytes page(232);
  page[0] = 0x4A;
  page[1] = static_cast<std::uint8_t>(writes ? 0x08 : 0x07);
  page[3] = 0xE4;
  static constexpr std::uint16_t kLimits[] = {0, 0, 20, 150, 600, 2500, 9000, 30000};
  static constexpr std::uint8_t kPolicies[] = {0xF, 0xF, 0xD, 0xE, 0x0, 0x1, 0x2, 0xF};
  const auto policy = [&](unsigned which, std::uint32_t legal) {
    const std::uint8_t wanted = kPolicies[which % 8];
    const bool may = (legal >> wanted & 1U) != 0 && !(writes && wanted == 0xD);
    return static_cast<std::uint8_t>(may ? wanted : 0xF);
  };
  for (std::size_t i = 0; i < 7; ++i) {
    std::uint8_t* bytes = page.data() + 8 + 32 * i;
    const std::uint32_t limits = choices->word();
    const std::uint32_t policies = choices->word();
    bytes[0] = static_cast<std::uint8_t>((limits & 0x8000U) != 0 ? 0x6 : 0x8);
    // A limit of up to half a second, in units of 10 ms.
    const bool is_long = has_many && (limits & 0x6000U) != 0;
    static constexpr std::uint16_t kLong[] = {0, 0, 1, 2, 5, 10, 20, 50};
    if (is_long) bytes[0] = 0xA;
    const auto limit = [&](std::size_t at, std::uint32_t which) {
      const std::uint32_t value =
          is_long ? kLong[which % 8]
                  : kLimits[which % 8] + (kLimits[which % 8] != 0 ? policies % 97 : 0);
      bytes[at] = static_cast<std::uint8_t>(value >> 8U);
      bytes[at + 1] = static_cast<std::uint8_t>(value & 0xFFU);
    };
    limit(2, limits);
    limit(4, limits >> 3U);
    limit(10, limits >> 6U);
    bytes[6] =
        static_cast<std::uint8_t>(policy(policies, 0xA001) << 4U | policy(policies >> 3U, 0xE001));
    bytes[14] = policy(policies >> 6U, i == 6 ? 0xA005 : 0xA007);
  }
  return page;
}

Bytes long_message(Choices* choices) {
  static constexpr std::uint8_t kCodes[] = {0x7F, 0x7F, 0x81, 0x00, 0x02, 0x04};
  const std::uint8_t length = choices->byte();  // 0 is 256
  Bytes message = {0x01, length, kCodes[choices->below(6)]};
  message.resize(2U + (length == 0 ? 256U : length));
  std::uint32_t draw = choices->word();
  for (std::size_t i = 3; i < message.size(); ++i) {
    draw = draw * 1'664'525U + 1'013'904'223U;  // Numerical Recipes
    message[i] = static_cast<std::uint8_t>(draw >> 24U);
  }
  Bytes next;
  switch (choices->below(4)) {
    case 0: next = {0x01, 3, 1, choices->byte(), choices->byte()}; break;
    case 1: next = {0x01, 2, 3, static_cast<std::uint8_t>(choices->below(2))}; break;
    default: break;
  }
  message.insert(message.end(), next.begin(), next.end());
  return message;
}

Bytes odd_message(Choices* choices) {
  switch (choices->below(12)) {
    case 0: return {0x08};                                          // NO OPERATION
    case 1: return {0x01, 3, 1, choices->byte(), choices->byte()};  // SDTR by hand
    case 2: return {0x01, 2, 3, static_cast<std::uint8_t>(choices->below(3))};
    case 3: return {0x20, choices->byte()};  // a second tag
    case 4: return {0xC0};                   // a second IDENTIFY
    case 5: return {static_cast<std::uint8_t>(0x80 | choices->below(8))};
    case 6: return {0x01, 5, 0x81, 0, 0, choices->byte(), choices->byte()};  // a deadline
    case 7: return {0x05};                                     // INITIATOR DETECTED ERROR
    case 8: return {0x07};                                     // MESSAGE REJECT
    case 9: return {0x09};                                     // MESSAGE PARITY ERROR
    case 10: return {0x01, choices->byte(), choices->byte()};  // cut short
    default: return {static_cast<std::uint8_t>(choices->byte() & 0x7F)};
  }
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
