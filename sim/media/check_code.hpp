// SPDX-License-Identifier: Apache-2.0
/// @file
/// Check codes: the bytes after a sector's data that let the drive detect damaged data.
///
/// The store never checks anything by itself: the formatter hardware does, byte by byte. The store
/// uses a code for two purposes only. It makes the content of a never-written (formatted) sector.
/// It makes sure that the damage it injects really mismatches.
///
/// Determinism: a check code must be a pure function of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace headstack::media {

/// Computes the check bytes of `data[0..data_bytes)` into `check` (the geometry's `check_bytes`).
using CheckCode =
    std::function<void(const std::uint8_t* data, std::size_t data_bytes, std::uint8_t* check)>;

/// CRC-32 of IEEE 802.3 (clause 3.2.9): polynomial 0x04C11DB7, bits taken least significant first,
/// register preset to all ones, result complemented.
///
/// @param running  `before` is the result over the preceding bytes, so that a long run can be
///                 passed in pieces.
[[nodiscard]] std::uint32_t crc32_ieee(const std::uint8_t* data, std::size_t data_bytes,
                                       std::uint32_t running = 0);

/// The default code of a store: `crc32_ieee` stored big-endian for 4 check bytes, nothing for 0.
///
/// Other sizes have no default: a repeated or cut CRC would protect less than its size promises.
/// The function is then empty, and the caller must provide a code.
[[nodiscard]] CheckCode default_check_code(std::uint32_t check_bytes);

}  // namespace headstack::media
