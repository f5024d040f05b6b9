// SPDX-License-Identifier: Apache-2.0
/// @file
/// The content that the adversary writes: every 16 bytes name their block, their write, and their
/// place in the block. So the data of a read identifies itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace headstack::fuzz {

/// Number of a write in a case: 1, 2, ...; 0 is the drive's initial content. Below 2^24.
using Version = std::uint32_t;

/// @param bytes  A multiple of 16, at most 4096.
void fill_block(std::uint8_t* data, std::uint32_t bytes, std::uint32_t lba, Version version);

/// The version, if the whole block is of one write to this block.
std::optional<Version> version_of_block(const std::uint8_t* data, std::uint32_t bytes,
                                        std::uint32_t lba);

/// A description of other content: "block 12's version 3", "version 3 up to byte 256, then version
/// 0".
std::string describe_block(const std::uint8_t* data, std::uint32_t bytes, std::uint32_t lba);

}  // namespace headstack::fuzz
