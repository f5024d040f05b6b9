/// @file
/// Data that a generator made, and the way back from the data to its state.
///
/// A run over a whole drive writes more than fits into memory, but hosts that check their data
/// generate it: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), 8 bytes a step, least significant
/// first. Its step is a bijection, so the first 8 bytes of such data name the state before them,
/// and all others can be compared. What equals a sequence can be kept as its state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace headstack::media {

/// The bytes that follow this state.
void generate_data(std::uint64_t state, std::uint8_t* data, std::size_t bytes);

/// The state that generates exactly these bytes; nothing when there is none, or when they are fewer
/// than 8, which would name many.
[[nodiscard]] std::optional<std::uint64_t> find_generator_state(const std::uint8_t* data,
                                                                std::size_t bytes);

}  // namespace headstack::media
