// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/shrink.hpp"

#include <algorithm>

#include "tests/fuzz/drive/cdb.hpp"

namespace headstack::fuzz {
namespace {

constexpr Picoseconds kNanosecond = 1'000;

/// One step that makes an action simpler; false when it is simple already.
using Simplify = bool (*)(Action*);

template <class Member>
bool set_to(Member* member, const Member& value) {
  if (*member == value) return false;
  *member = value;
  return true;
}

template <class List>
bool drop_all(List* list) {
  if (list->empty()) return false;
  list->clear();
  return true;
}

template <class List>
bool drop_last(List* list) {
  if (list->size() < 2) return false;
  list->pop_back();
  return true;
}

template <class List>
bool drop_first(List* list) {
  if (list->size() < 2) return false;
  list->erase(list->begin());
  return true;
}

/// Rounds to two digits, then to one, then halves.
Picoseconds rounded(Picoseconds gap, std::int64_t digits) {
  std::int64_t unit = kNanosecond;
  while (gap / unit >= digits) unit *= 10;
  return gap / unit * unit;
}

std::uint64_t length_of(const Action& action) {
  return action.cdb.empty() ? 0 : request_of(action.cdb, {0xFFFFFFFF, 512}).blocks;
}

bool shorten(Action* action, std::uint32_t blocks) {
  if (action->kind != ActionKind::kCommand) return false;
  const Request request = request_of(action->cdb, {0xFFFFFFFF, 512});
  const bool moves = request.operation == Operation::kRead ||
                     request.operation == Operation::kWrite ||
                     request.operation == Operation::kVerify;
  if (!moves || length_of(*action) <= blocks || blocks == 0) return false;
  switch (cdb_bytes(action->cdb[0])) {
    case 6: action->cdb[4] = static_cast<std::uint8_t>(blocks); return blocks < 256;
    case 10:
      action->cdb[7] = static_cast<std::uint8_t>(blocks >> 8U);
      action->cdb[8] = static_cast<std::uint8_t>(blocks);
      return true;
    case 12:
      action->cdb[8] = static_cast<std::uint8_t>(blocks >> 8U);
      action->cdb[9] = static_cast<std::uint8_t>(blocks);
      return true;
    default:
      action->cdb[12] = static_cast<std::uint8_t>(blocks >> 8U);
      action->cdb[13] = static_cast<std::uint8_t>(blocks);
      return true;
  }
}

constexpr Simplify kSimplifications[] = {
    [](Action* action) { return drop_all(&action->parity_faults); },
    [](Action* action) { return drop_all(&action->messages); },
    [](Action* action) { return drop_all(&action->interjections); },
    [](Action* action) { return drop_first(&action->messages); },
    [](Action* action) { return drop_last(&action->messages); },
    [](Action* action) { return drop_first(&action->interjections); },
    [](Action* action) { return drop_last(&action->interjections); },
    [](Action* action) {
      return set_to(&action->own_opening, false) && (action->opening.clear(), true);
    },
    [](Action* action) { return drop_all(&action->refusal); },
    [](Action* action) { return set_to(&action->refuses_disconnect, false); },
    [](Action* action) { return set_to(&action->with_attention, true); },
    [](Action* action) { return set_to(&action->may_disconnect, true); },
    [](Action* action) { return set_to(&action->auto_sense, true); },
    [](Action* action) { return set_to(&action->long_tag, false); },
    [](Action* action) { return set_to(&action->lun, std::uint8_t{0}); },
    [](Action* action) { return set_to(&action->gap, Picoseconds{0}); },
    [](Action* action) { return set_to(&action->gap, rounded(action->gap, 10)); },
    [](Action* action) { return set_to(&action->gap, rounded(action->gap, 100)); },
    [](Action* action) { return shorten(action, 1); },
    [](Action* action) {
      return shorten(action, static_cast<std::uint32_t>(length_of(*action) / 2));
    },
    [](Action* action) {
      const bool tagged = action->tag_type == initiator::TagType::kHeadOfQueue ||
                          action->tag_type == initiator::TagType::kOrdered;
      return tagged && set_to(&action->tag_type, initiator::TagType::kSimple);
    },
};

class Shrinker {
 public:
  Shrinker(Storyline storyline, const StillShows& still_shows, std::size_t tries)
      : best_(std::move(storyline)), still_shows_(still_shows), left_(tries) {}

  Storyline run() {
    do {
      better_ = false;
      cut_tail();
      for (std::size_t size = best_.actions.size() / 2; size > 0; size /= 2) drop_actions(size);
      simplify_setup();
      simplify_actions();
    } while (better_ && left_ > 0);
    return std::move(best_);
  }

 private:
  bool accept(Storyline candidate) {
    if (left_ == 0) return false;
    --left_;
    if (!still_shows_(candidate)) return false;
    best_ = std::move(candidate);
    better_ = true;
    return true;
  }

  /// Actions after the finding often have no effect on it.
  void cut_tail() {
    for (std::size_t keep = 0; keep < best_.actions.size() && left_ > 0;) {
      Storyline candidate = best_;
      candidate.actions.resize((keep + best_.actions.size()) / 2);
      if (accept(candidate)) continue;
      keep = candidate.actions.size() + 1;
    }
  }

  /// Drops actions but keeps their time, unless the finding does not need it.
  void drop_actions(std::size_t size) {
    for (std::size_t at = 0; at < best_.actions.size() && left_ > 0;) {
      Storyline candidate = best_;
      const std::size_t end = std::min(at + size, candidate.actions.size());
      const auto first = candidate.actions.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last = candidate.actions.begin() + static_cast<std::ptrdiff_t>(end);
      Picoseconds gap = 0;
      for (auto it = first; it != last; ++it) gap += it->gap;
      candidate.actions.erase(first, last);
      if (accept(candidate)) continue;
      if (at < candidate.actions.size() && gap != 0) {
        candidate.actions[at].gap += gap;
        if (accept(candidate)) continue;
      }
      at += size;
    }
  }

  void simplify_setup() {
    try_setup([](Storyline* story) { return set_to(&story->at_speed, true); });
    try_setup([](Storyline* story) { return drop_all(&story->flaws); });
    for (std::size_t i = 0; i < best_.flaws.size(); ++i) {
      try_setup([i](Storyline* story) {
        if (i >= story->flaws.size()) return false;
        story->flaws.erase(story->flaws.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
    }
    for (std::size_t i = best_.hosts.size(); i-- > 0;) {
      try_setup([i](Storyline* story) { return drop_host(story, i); });
    }
    for (std::size_t i = 0; i < best_.hosts.size(); ++i) {
      try_setup([i](Storyline* story) { return make_adapter(story, i); });
      try_setup([i](Storyline* story) {
        return set_to(&story->hosts[i].agreement, initiator::kAsynchronous);
      });
    }
    try_setup([](Storyline* story) { return set_to(&story->drive, std::string("small")); });
  }

  /// Drops a host without actions.
  static bool drop_host(Storyline* story, std::size_t index) {
    if (story->hosts.size() < 2) return false;
    for (Action& action : story->actions) {
      if (action.host == index) return false;
      if (action.host > index) --action.host;
    }
    story->hosts.erase(story->hosts.begin() + static_cast<std::ptrdiff_t>(index));
    return true;
  }

  static bool make_adapter(Storyline* story, std::size_t index) {
    const bool is_raw =
        std::any_of(story->actions.begin(), story->actions.end(), [index](const Action& action) {
          return action.host == index &&
                 (!action.with_attention || action.own_opening || action.refuses_disconnect ||
                  !action.interjections.empty() || action.kind == ActionKind::kDeaf);
        });
    return !is_raw && set_to(&story->hosts[index].kind, HostKind::kAdapter);
  }

  template <class Change>
  void try_setup(Change change) {
    Storyline candidate = best_;
    if (change(&candidate)) accept(std::move(candidate));
  }

  void simplify_actions() {
    for (std::size_t at = 0; at < best_.actions.size(); ++at) {
      for (const Simplify simplify : kSimplifications) {
        Storyline candidate = best_;
        if (left_ > 0 && simplify(&candidate.actions[at])) accept(std::move(candidate));
      }
    }
  }

  Storyline best_;
  const StillShows& still_shows_;
  std::size_t left_;
  bool better_ = false;
};

}  // namespace

Storyline shrink(Storyline storyline, const StillShows& still_shows, std::size_t tries) {
  return Shrinker(std::move(storyline), still_shows, tries).run();
}

}  // namespace headstack::fuzz
