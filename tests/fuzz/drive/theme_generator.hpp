// SPDX-License-Identifier: Apache-2.0
/// @file
/// Parts of the generators that make storylines of one theme: the choices, and a storyline that
/// grows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tests/firmware/controller_page.hpp"
#include "tests/fuzz/drive/actions.hpp"
#include "tests/fuzz/drive/cdb.hpp"
#include "tests/fuzz/drive/choices.hpp"
#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/generate.hpp"

namespace headstack::fuzz {

template <class Kind>
struct KindRow {
  Kind kind;
  std::uint8_t weight;
};

/// The kinds of action of a storyline, each as frequent as its row says. The table must outlive
/// this object.
template <class Kind, std::size_t kRows>
class Kinds {
 public:
  /// `always` is how many of the first rows every storyline has; one or more.
  Kinds(const KindRow<Kind> (&rows)[kRows], std::size_t always) : rows_(rows), always_(always) {}

  /// Bit i of `mask` says whether the storyline has row i.
  void draw(std::uint32_t mask) {
    for (std::size_t i = 0; i < kRows; ++i) {
      const bool has = i < always_ || (mask >> i & 1U) != 0;
      weight_.at(i) = has ? rows_[i].weight : 0;
      total_weight_ += weight_.at(i);
    }
  }

  Kind choose(Choices& choices) const {
    std::uint32_t at = choices.word() % total_weight_;
    for (std::size_t i = 0; i < kRows; ++i) {
      if (at < weight_.at(i)) return rows_[i].kind;
      at -= weight_.at(i);
    }
    return rows_[0].kind;
  }

 private:
  const KindRow<Kind> (&rows_)[kRows];
  std::size_t always_;
  std::array<std::uint32_t, kRows> weight_{};
  std::uint32_t total_weight_ = 0;
};

class ThemeGenerator {
 protected:
  /// Longest gaps in microseconds, by scale: short ones, middle ones, long ones.
  using GapScales = std::uint32_t[3][8];

  ThemeGenerator(const std::uint8_t* bytes, std::size_t count)
      : bytes_(bytes),
        count_(count),
        further_(bytes, std::min(count, kSetupBytes)),
        choose_(bytes, std::min(count, kSetupBytes)) {}
  virtual ~ThemeGenerator() = default;

  /// Adds an action of this host, with the theme's additions for each action.
  virtual void push(std::uint8_t host, Action action) = 0;
  /// Adds actions made from the next choices.
  virtual void add_action() = 0;

  /// `is_raw` is asked for each host.
  template <class IsRaw>
  void add_hosts(std::uint32_t hosts, const IsRaw& is_raw) {
    story_.hosts.clear();
    for (std::uint32_t i = 0; i < hosts; ++i) {
      HostSetup host;
      if (is_raw()) host.kind = HostKind::kRaw;
      host.id = static_cast<std::uint8_t>(7 - i);
      host.agreement = kAgreements[choose_.below(3)];
      story_.hosts.push_back(host);
    }
  }

  /// Adds the actions of the bytes after the setup.
  void add_actions() {
    for (std::size_t at = kSetupBytes; at < count_; at += kActionBytes) {
      choose_ = Choices(bytes_ + at, std::min(kActionBytes, count_ - at));
      add_action();
    }
  }

  std::uint8_t choose_host() {
    return static_cast<std::uint8_t>(
        choose_.below(static_cast<std::uint32_t>(story_.hosts.size())));
  }
  Picoseconds choose_gap(const GapScales& scales) {
    const Picoseconds most = scales[gap_scale_][choose_.below(8)] * kPicosecondsPerMicrosecond;
    const Picoseconds gap = most / 65'536 * static_cast<Picoseconds>(choose_.word());
    return gap - gap % 1'000;
  }

  void push_await(std::uint8_t host, std::uint32_t count) {
    story_.actions.push_back(await(host, count));
  }
  /// Lets the host wait until `depth` outstanding commands, of all hosts together, have room for
  /// one.
  void push_await_room(std::uint8_t host, std::uint32_t depth) {
    push_await(host, depth / static_cast<std::uint32_t>(story_.hosts.size()) - 1);
  }
  /// Pushes commands of every host until the attentions of a reset, or of others' modes, are gone.
  void push_ready() {
    for (std::uint8_t host = 0; host < story_.hosts.size(); ++host) {
      for (int i = 0; i < 2; ++i) {
        Action action;
        action.cdb = {0, 0, 0, 0, 0, 0};
        push(host, std::move(action));
        push_await(host, 0);
      }
    }
  }
  void start(std::uint8_t host) {
    Action action;
    action.cdb = {0x1B, 0, 0, 0, 1, 0};
    push(host, std::move(action));
  }

  /// Page 21h with any of its bits and short times.
  Bytes any_controller_page() {
    Bytes page = test::controller_page();
    page[MODE_CONTROLLER_AT_AHEAD] = choose_.byte();
    page[MODE_CONTROLLER_AT_WRITES] = choose_.chance(64) ? choose_.byte() : 0;
    page[MODE_CONTROLLER_AT_MORE] = choose_.chance(96) ? MODE_CONTROLLER_READS_FREE : 0;
    if (choose_.chance(64)) put(&page, MODE_CONTROLLER_AT_ACCESS, 2, choose_.below(256) << 5U);
    for (int i = 0; i < 3; ++i) {
      if (choose_.chance(80)) put(&page, 2 + 2 * choose_.below(8), 2, choose_.below(256) << 4U);
      if (choose_.chance(80)) put(&page, 20 + 2 * choose_.below(7), 2, choose_.below(256) << 4U);
    }
    return page;
  }

  /// Page 20h with any policy.
  Bytes any_policy_page() {
    Bytes page(24);
    page[0] = 0x20;
    page[1] = 22;
    page[2] = static_cast<std::uint8_t>(choose_.below(kPolicyCount));
    put(&page, 4, 2, choose_.below(100));
    return page;
  }

  /// Reads the final content of the drive, from `first_` to `end`.
  void read_back(std::uint32_t end, std::uint32_t at_once) {
    for (std::uint8_t host = 0; host < story_.hosts.size(); ++host) push_await(host, 0);
    for (std::uint32_t lba = first_; lba < end; lba += at_once) {
      Action action;
      action.cdb = ranged_cdb(0x28, lba, std::min(at_once, end - lba));
      push(0, std::move(action));
      push_await(0, 0);
    }
  }

  const std::uint8_t* bytes_;
  std::size_t count_;
  FurtherChoices further_;
  Choices choose_;
  Capacity capacity_;
  std::uint32_t first_ = 0;      // first of the blocks that most commands are about
  std::uint32_t gap_scale_ = 0;  // index of GapScales
  Storyline story_;
};

}  // namespace headstack::fuzz
