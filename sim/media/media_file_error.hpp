// SPDX-License-Identifier: Apache-2.0
/// @file
/// The error of a media file.
#pragma once

#include <stdexcept>

namespace headstack::media {

/// Names the file, what is wrong with it and the remedy. Thrown when a file is opened, and by the
/// write that its disk has no room for.
class MediaFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace headstack::media
