// SPDX-License-Identifier: Apache-2.0
// A restart after a power loss: a drive with the media of an earlier session.
//
// The firmware starts as at any power-on, with the spindle at rest. A host then reads the drive,
// block by block.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "host/session/session.hpp"

namespace headstack::session {

class SecondLife {
 public:
  /// Opens a session with `options`, one host, and these media. After a session on `rtl`, of which
  /// a process has only one, the platform is `vp`, with the same bits. Returns when the drive is
  /// ready, or reports that its media need a format (kFormatCorrupted). Throws as Session does.
  /// With `cut_at_byte` the power fails before that byte is written, counted as by
  /// Session::lose_power_at_byte(). The cut may come before the drive is ready.
  SecondLife(const drive::DriveDescription& description, const Options& options,
             const media::MediaSnapshot& media,
             std::optional<std::uint64_t> cut_at_byte = std::nullopt);

  /// Sense data MEDIUM FORMAT CORRUPTED (SCSI-2 table 71).
  static constexpr const char* kFormatCorrupted = "3/31/00";

  Session& session() { return session_; }

  /// Receives one block: its data, or null and the sense ("3/11/00").
  using TakeBlock =
      std::function<void(std::uint64_t lba, const std::uint8_t* data, const std::string& sense)>;
  /// Reads blocks [lba, end). Where a command fails, it reads block by block. Throws SessionError
  /// when the drive does not answer.
  void read(std::uint64_t lba, std::uint64_t end, const TakeBlock& take);

 private:
  void become_ready();
  void read_some(std::uint32_t lba, std::uint32_t blocks, const TakeBlock& take);

  Session session_;
};

}  // namespace headstack::session
