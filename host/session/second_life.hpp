// SPDX-License-Identifier: Apache-2.0
// Power returns: a drive on the media that another one has left behind.
//
// The firmware starts as at any power-on, with the spindle at rest. What it does then is looked at
// through a host, block by block.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/session/session.hpp"

namespace headstack::session {

class SecondLife {
 public:
  /// As `options`, with one host and on these media. On `rtl`, of which a process has one, `vp`
  /// goes on: it gives the same bits. Comes back when the drive is ready; throws as Session does.
  SecondLife(const drive::DriveDescription& description, const Options& options,
             const media::MediaSnapshot& media);

  Session& session() { return session_; }

  /// What a host hears of one block: its data, or null and the sense ("3/11/00").
  using TakeBlock =
      std::function<void(std::uint64_t lba, const std::uint8_t* data, const std::string& sense)>;
  /// Reads blocks [lba, end), block by block where a command fails. Throws SessionError when the
  /// drive does not answer.
  void read(std::uint64_t lba, std::uint64_t end, const TakeBlock& take);

 private:
  void read_some(std::uint32_t lba, std::uint32_t blocks, const TakeBlock& take);

  Session session_;
};

}  // namespace headstack::session
