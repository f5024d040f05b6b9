// SPDX-License-Identifier: Apache-2.0
// Compressed traces: gzip, bzip2, xz, Zstandard, and a single file inside a tar archive.
#pragma once

#include <memory>
#include <string>

#include "host/traces/input_buffer.hpp"

namespace headstack::traces {

/// Returns `in` itself if its first bytes show no compression or archive, otherwise a buffer of its
/// content. Reading that buffer throws TraceError for damaged data, and for an archive with a
/// second file.
std::unique_ptr<InputBuffer> decompressed(std::unique_ptr<InputBuffer> in, const std::string& file);

}  // namespace headstack::traces
