// SPDX-License-Identifier: Apache-2.0
/// @file
/// Parts of storylines that all themes have.
#pragma once

#include "tests/fuzz/drive/choices.hpp"
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// The transfer agreements of hosts.
inline constexpr initiator::Agreement kAgreements[] = {
    initiator::kFast10Wide, initiator::kAsynchronous, initiator::kFast10Narrow};

/// Number of policies on the scheduler's mode page: queue/policies.def.
inline constexpr std::uint32_t kPolicyCount = 0
#define POLICY(number, name, selections) +1
#include "firmware/queue/policies.def"
#undef POLICY
    ;

/// A big-endian field of a CDB, a page or a list.
void put(Bytes* bytes, std::size_t at, std::size_t count, std::uint64_t value);

/// READ(10), WRITE(10), VERIFY(10) or SYNCHRONIZE CACHE(10).
Bytes ranged_cdb(std::uint8_t opcode, std::uint32_t lba, std::uint32_t blocks);

/// MODE SELECT(10) of one page.
Action select_page(const Bytes& page);

/// Page T2B or T2A (SPC-5) of any limits. `has_many`: so many commands wait that some limits are up
/// to half a second long.
Bytes duration_page(Choices* choices, bool writes, bool has_many);

/// An extended message that the drive must reject, whole and of any length (SCSI-2 6.6.4). SDTR or
/// WDTR may follow it.
Bytes long_message(Choices* choices);

/// A message that no command needs: a legal one at any place, one that is cut short, or one that
/// the drive must reject.
Bytes odd_message(Choices* choices);

/// The host waits until it has at most `count` outstanding commands.
Action await(std::uint8_t host, std::uint32_t count);

/// Whether the storyline has a flaw in that block.
bool has_flaw(const Storyline& storyline, std::uint32_t lba);

}  // namespace headstack::fuzz
