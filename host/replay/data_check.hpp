// --verify-data: is what the drive brings what the hosts have written, and do commands end in the
// order that their tags ask for?
//
// Each attempt at a write has data of its own (block_data.hpp). What a read may bring follows from
// what the drive has received, in which order, and how it ended (block_history.hpp); a read that
// hangs on writes still out is judged when they have ended. Without checking, only data are made.
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
  /// One way of a request to the drive and back.
  struct Attempt {
    std::uint64_t number = 0;           // of the request
    BlockHistory::Version version = 0;  // of a write
    std::optional<BlockHistory::Read> read;
    std::optional<OrderCheck::Ticket> arrived;
    std::uint64_t flushes = 0;  // of a flush: MediaLedger::flush_sent()
  };

  DataCheck(const ReplayOptions& options, std::uint32_t block_bytes);

  /// A request goes to the host adapter, for the first time or again.
  Attempt begin(const RunRequest& request, bool again);
  /// What it writes; nothing for other requests.
  std::vector<std::uint8_t> data_of(const RunRequest& request, const Attempt& attempt) const;
  /// The drive has received it.
  void received(const RunRequest& request, Attempt& attempt);
  /// It is over. A sentence when something is wrong, with this command or with one that hung on it,
  /// else "".
  std::string ended(const RunRequest& request, Attempt& attempt, const Ending& ending,
                    const initiator::Completion& completion);

  std::uint64_t verified_blocks() const { return verified_blocks_; }

  /// With checking. What the media must hold if the power goes.
  MediaLedger& media() { return media_; }
  const BlockData& blocks() const { return blocks_; }
  /// "the data of command 17".
  std::string writer_of(BlockHistory::Version version) const;

 private:
  /// A read whose data hang on writes that are out.
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
  std::string judge_open();
  std::string describe(const Open& open) const;
  bool is_early(const RunRequest& request, const Ending& ending) const;

  bool checks_;
  bool reports_early_;  // writes, by any of the cache's settings
  std::uint32_t block_bytes_;
  BlockData blocks_;
  BlockHistory history_;
  MediaLedger media_;
  OrderCheck order_;
  std::list<Open> open_;
  std::uint64_t verified_blocks_ = 0;
  BlockHistory::Version last_again_ = 0;  // of writes that are sent again: from the top down
  std::unordered_map<BlockHistory::Version, std::uint64_t> again_;  // the requests they are of
};

}  // namespace headstack::replay
