// The drive's task set as it lies in firmware RAM, as a table for people. Where its members are
// comes from the firmware's own headers (firmware_layout.c).
#pragma once

#include <cstdint>
#include <string>

#include "sim/geometry/geometry.hpp"
#include "sim/soc/core_access.hpp"
#include "sim/soc/elf_image.hpp"

namespace headstack::debug {

class QueueView {
 public:
  /// All must outlive the view. A program without the firmware's symbols, or another drive's, has
  /// no queue to show.
  QueueView(const soc::ElfImage& firmware, const soc::CoreAccess& core,
            const geometry::Geometry& geometry);

  /// One line a task, the oldest first, at most so many; or why there is none. `edge` is now.
  std::string to_text(std::uint64_t edge) const;

 private:
  const soc::CoreAccess& core_;
  const geometry::Geometry& geometry_;
  std::uint32_t drive_ = 0;  // address of the firmware's struct drive
  std::string missing_;      // why it is not known, or ""
};

}  // namespace headstack::debug
