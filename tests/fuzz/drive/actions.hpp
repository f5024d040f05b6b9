// SPDX-License-Identifier: Apache-2.0
/// @file
/// Parts of storylines that all themes have.
#pragma once

#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// The transfer agreements of hosts.
inline constexpr initiator::Agreement kAgreements[] = {
    initiator::kFast10Wide, initiator::kAsynchronous, initiator::kFast10Narrow};

/// A big-endian field of a CDB, a page or a list.
void put(Bytes* bytes, std::size_t at, std::size_t count, std::uint64_t value);

/// READ(10), WRITE(10), VERIFY(10) or SYNCHRONIZE CACHE(10).
Bytes ranged_cdb(std::uint8_t opcode, std::uint32_t lba, std::uint32_t blocks);

/// MODE SELECT(10) of one page.
Action select_page(const Bytes& page);

/// The host waits until it has at most `count` outstanding commands.
Action await(std::uint8_t host, std::uint32_t count);

/// Whether the storyline has a flaw in that block.
bool has_flaw(const Storyline& storyline, std::uint32_t lba);

}  // namespace headstack::fuzz
