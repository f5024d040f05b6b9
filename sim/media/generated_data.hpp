// SPDX-License-Identifier: Apache-2.0
/// @file
/// Data that a generator made, and the generator's state recovered from the data.
///
/// A run over a whole drive writes more than fits into memory. But hosts that check their data
/// generate it: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), 8 bytes a step, least significant
/// first. Its step is a bijection. So the first 8 bytes of such data give the state before them,
/// and all others can be compared with its sequence. Data that equal a sequence can be stored as
/// its state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace headstack::media {

/// Generates the bytes that follow this state.
void generate_data(std::uint64_t state, std::uint8_t* data, std::size_t bytes);

/// The state that generates exactly these bytes. Nothing when there is none, or for fewer than 8
/// bytes, which many states generate.
[[nodiscard]] std::optional<std::uint64_t> find_generator_state(const std::uint8_t* data,
                                                                std::size_t bytes);

}  // namespace headstack::media
