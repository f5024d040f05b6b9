// SPDX-License-Identifier: Apache-2.0
// hosts.verify: checks that the drive returns what the hosts have written, and that commands end in
// the order that their tags demand.
//
// Each attempt at a write has data of its own (block_data.hpp). What a read may return depends on
// the commands that the drive received, their order and their endings (block_history.hpp). A read
// that depends on outstanding writes is judged when these have ended. Without checking, this module
// only makes data.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/replay/block_data.hpp"
#include "host/replay/block_history.hpp"
#include "host/replay/ending.hpp"
#include "host/replay/media_ledger.hpp"
#include "host/replay/order_check.hpp"
#include "host/replay/replay_options.hpp"
#include "host/replay/request_source.hpp"

namespace headstack::replay {

class DataCheck {
 public:
  /// One attempt at a request, from submission to completion.
  struct Attempt {
    std::uint64_t number = 0;           // number of the request
    BlockHistory::Version version = 0;  // version of the blocks that a write makes
    std::optional<BlockHistory::Read> read;
    std::optional<OrderCheck::Ticket> arrived;
    std::uint64_t flushes = 0;  // result of MediaLedger::flush_sent(), if it is a flush
  };

  DataCheck(const ReplayOptions& options, std::uint32_t block_bytes);

  /// Called when a request goes to the host adapter, for the first time or again.
  Attempt begin(const RunRequest& request, bool again);
  /// The data that the request writes; empty for other requests.
  std::vector<std::uint8_t> data_of(const RunRequest& request, const Attempt& attempt) const;
  /// Called when the drive has received the request.
  void received(const RunRequest& request, Attempt& attempt);
  /// Called when the attempt is over. @return a sentence if this command is wrong, or another
  /// command that depended on it; otherwise "".
  std::string ended(const RunRequest& request, Attempt& attempt, const Ending& ending,
                    const initiator::Completion& completion);

  /// Notes that a host sends FORMAT UNIT while no other command is outstanding. Until formatted(),
  /// blocks may hold their old content, be zeros, or be unreadable.
  void format_sent() { format_is_out_ = true; }
  void formatted();
  /// Notes that a write which ended with GOOD is lost (MediaLedger::deferred_error()).
  void deferred_error();
  bool format_is_out() const { return format_is_out_; }

  std::uint64_t verified_blocks() const { return verified_blocks_; }

  /// The content that the media must hold after a power loss. It is valid only with checking.
  MediaLedger& media() { return media_; }
  const BlockData& blocks() const { return blocks_; }
  /// Name of the writer of a version, as in "the data of command 17".
  std::string writer_of(BlockHistory::Version version) const;

 private:
  /// A read that depends on outstanding writes.
  struct Open {
    std::uint64_t number = 0;
    BlockHistory::Read read;
    std::vector<BlockHistory::Version> brought;
  };

  std::string check_order(const RunRequest& request, const Attempt& attempt, const Ending& ending,
                          const initiator::Completion& completion);
  std::string check_read(const RunRequest& request, Attempt& attempt,
                         const initiator::Completion& completion);
  std::string judge(Open open);
  std::string judge_doubtful(const Open& open);
  bool is_doubtful(std::uint64_t lba) const;
  std::string judge_open();
  std::string describe(const Open& open) const;
  bool is_early(const RunRequest& request, const Ending& ending) const;

  bool checks_;
  bool restricted_;
  bool format_is_out_ = false;
  bool reports_early_;  // at least one cache setting reports writes early
  std::uint32_t block_bytes_;
  BlockData blocks_;
  BlockHistory history_;
  MediaLedger media_;
  OrderCheck order_;
  std::list<Open> open_;
  std::vector<MediaLedger::Range> doubtful_;  // blocks of writes that may be lost in spite of GOOD
  std::uint64_t verified_blocks_ = 0;
  BlockHistory::Version last_again_ = 0;  // versions of repeated writes count downward from here
  std::unordered_map<BlockHistory::Version, std::uint64_t> again_;  // request of each repeated
                                                                    // write, by its version
};

}  // namespace headstack::replay
