// SPDX-License-Identifier: Apache-2.0
/// @file The limits of mode page 02h that hosts have sent (SCSI-2 8.3.3.2; DImm: SPC-4 7.5.10). A
/// command's tenancies of the bus are compared with them.
///
/// The page is one for all hosts. Its limits are certain after a MODE SELECT with it that ended
/// GOOD, without another beside it. They stay so until a reset of any kind, or the next such
/// command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/initiator/command.hpp"
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

struct TenancyLimits {
  Picoseconds disconnect = 0;  // 0: no limit, here and below
  Picoseconds connect = 0;
  std::uint32_t burst_bytes = 0;
  bool dimm = false;
  std::uint8_t dtdc = 0;
};

/// The limits of a complete page 02h.
TenancyLimits tenancy_limits_of(const Bytes& page);

/// The error in the tenancies of a read or write of blocks; "": none. The command ended GOOD, all
/// of it under these limits, and its host let it disconnect.
std::string find_tenancy_error(const TenancyLimits& limits,
                               const initiator::Completion& completion);

/// The page that is in force.
class TenancyPageState {
 public:
  void sent() {
    was_alone_ = out_ == 0;
    ++out_;
    const std::optional<TenancyLimits> before = certain_;
    forget();
    if (was_alone_) before_ = before;
  }
  /// The MODE SELECT was refused, so the earlier limits stay.
  void refused() {
    --out_;
    if (out_ == 0 && was_alone_) certain_ = before_;
    ++version_;
  }
  void ended(const Bytes& page, bool good) {
    --out_;
    if (good && out_ == 0 && was_alone_) certain_ = tenancy_limits_of(page);
    ++version_;
  }
  /// The drive was reset, or may have been.
  void forget() {
    certain_.reset();
    before_.reset();
    ++version_;
  }
  /// The limits in force; empty if they are not certain.
  const std::optional<TenancyLimits>& certain() const { return certain_; }
  /// Counts possible changes.
  std::uint32_t version() const { return version_; }

 private:
  std::optional<TenancyLimits> certain_;
  std::optional<TenancyLimits> before_;  // the MODE SELECT that is outstanding
  std::uint32_t version_ = 0;
  std::uint32_t out_ = 0;  // outstanding MODE SELECTs of the page
  bool was_alone_ = true;
};

}  // namespace headstack::fuzz
