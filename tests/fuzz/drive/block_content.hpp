/// @file
/// What the adversary writes: every 16 bytes of a block tell which block, which write, and where in
/// the block they belong. So whatever a read brings names what it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace headstack::fuzz {

/// Which write: 1, 2, ... of a case; 0 is what the drive came with. Below 2^24.
using Version = std::uint32_t;

/// @param bytes  A multiple of 16, at most 4096.
void fill_block(std::uint8_t* data, std::uint32_t bytes, std::uint32_t lba, Version version);

/// The version, when all of the block is of one write to this block.
std::optional<Version> version_of_block(const std::uint8_t* data, std::uint32_t bytes,
                                        std::uint32_t lba);

/// What is there instead: "block 12's version 3", "version 3 up to byte 256, then version 0".
std::string describe_block(const std::uint8_t* data, std::uint32_t bytes, std::uint32_t lba);

}  // namespace headstack::fuzz
