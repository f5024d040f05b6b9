// SPDX-License-Identifier: Apache-2.0
// Seeded random operations, compared with a reference model that is as simple as possible. It is a
// std::map of sectors and a std::map of flaws, copied as a whole at every snapshot. A failure
// prints its seed.

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>

#include "tests/unit/test_media_support.hpp"

namespace headstack::media {
namespace {

constexpr MediaGeometry kGeometry{700, 24, 4};
constexpr int kOperationCount = 20'000;
constexpr std::size_t kSnapshotsKept = 6;

struct ReferenceFlaw {
  Flaw flaw;
  std::uint32_t failed = 0;
};

/// The definitions of media_store.hpp and flaw_spec.hpp in their plainest form.
struct Reference {
  std::map<SectorIndex, Sector> sectors;
  std::map<SectorIndex, ReferenceFlaw> flaws;

  void write(SectorIndex index, const Sector& sector) {
    const auto flaw = flaws.find(index);
    if (flaw != flaws.end() && flaw->second.flaw.kind == FlawKind::kMisplacedWrite) {
      index = *flaw->second.flaw.lands_on;
      flaws.erase(flaw);
    }
    sectors[index] = sector;
    if (flaws.count(index) != 0) flaws.at(index).failed = 0;
  }

  ReadStatus read(SectorIndex index) {
    const auto found = flaws.find(index);
    if (found == flaws.end()) return ReadStatus::kOk;
    ReferenceFlaw& flaw = found->second;
    if (flaw.flaw.kind == FlawKind::kUnreadable) return ReadStatus::kDamaged;
    if (flaw.flaw.kind == FlawKind::kMisplacedWrite) return ReadStatus::kOk;
    flaw.failed = flaw.failed == flaw.flaw.retries ? 0 : flaw.failed + 1;
    return flaw.failed == 0 ? ReadStatus::kOk : ReadStatus::kDamaged;
  }

  void inject(const FlawSpec& spec) {
    for (const Flaw& flaw : plan_flaws(spec, kGeometry.sector_count)) flaws[flaw.index] = {flaw};
  }
};

struct Moment {
  MediaSnapshot snapshot;
  Reference reference;
};

class MediaRandomTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void run(MediaStore store) {
    MediaStore* current = &store;
    std::unique_ptr<MediaStore> branch;  // used once the operations have branched
    for (int i = 0; i < kOperationCount && !HasFailure(); ++i) {
      SCOPED_TRACE("seed " + std::to_string(GetParam()) + ", operation " + std::to_string(i));
      const std::uint64_t dice = below(1000);
      if (dice < 480) {
        write(*current);
      } else if (dice < 960) {
        read(*current);
      } else if (dice < 975) {
        keep(*current);
      } else if (dice < 987) {
        restore(*current);
      } else if (dice < 992) {
        inject(*current);
      } else if (dice < 996) {
        // The operations go on in a branch of a past moment.
        if (moments_.empty()) continue;
        const Moment& moment = moments_[below(moments_.size())];
        branch = std::make_unique<MediaStore>(moment.snapshot);
        if (current == &store) reference_at_home_ = reference_;
        current = branch.get();
        reference_ = moment.reference;
      } else if (current != &store) {
        current = &store;
        reference_ = reference_at_home_;
        compare(*current);
      }
      if (i % 500 == 0) compare(*current);
    }
    compare(*current);
    for (const Moment& moment : moments_) {
      reference_ = moment.reference;
      compare(MediaStore(moment.snapshot));
    }
  }

  std::uint64_t below(std::uint64_t bound) { return generator_() % bound; }

  void write(MediaStore& store) {
    const SectorIndex index = below(kGeometry.sector_count);
    const Sector sector = tagged_sector(kGeometry, generator_());
    write_sector(store, index, sector);
    reference_.write(index, sector);
  }

  void read(MediaStore& store) {
    const SectorIndex index = below(kGeometry.sector_count);
    const ReadStatus expected = reference_.read(index);
    const Sector got = read_sector(store, index, expected);
    if (expected == ReadStatus::kDamaged) {
      EXPECT_NE(got.check, crc_bytes(got.data));
    } else {
      EXPECT_EQ(got, stored(index));
    }
  }

  Sector stored(SectorIndex index) const {
    const auto found = reference_.sectors.find(index);
    if (found != reference_.sectors.end()) return found->second;
    return {Bytes(24, 0), crc_bytes(Bytes(24, 0))};
  }

  void keep(MediaStore& store) {
    moments_.push_back({store.snapshot(), reference_});
    if (moments_.size() > kSnapshotsKept) {
      moments_.erase(moments_.begin() + static_cast<std::ptrdiff_t>(below(kSnapshotsKept)));
    }
  }

  void restore(MediaStore& store) {
    if (moments_.empty()) return;
    const Moment& moment = moments_[below(moments_.size())];
    store.restore(moment.snapshot);
    reference_ = moment.reference;
  }

  void inject(MediaStore& store) {
    FlawSpec spec;
    spec.seed = generator_();
    spec.unreadable_count = below(5);
    spec.correctable_count = below(20);
    spec.misplaced_write_count = below(20);
    if (below(4) == 0) {
      store.clear_flaws();
      reference_.flaws.clear();
    }
    store.inject(spec);
    reference_.inject(spec);
  }

  void compare(const MediaStore& store) const {
    EXPECT_EQ(store.written_count(), reference_.sectors.size());
    auto expected = reference_.sectors.begin();
    store.visit_written(
        [&](SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) {
          ASSERT_NE(expected, reference_.sectors.end());
          EXPECT_EQ(index, expected->first);
          EXPECT_EQ((Sector{Bytes(data, data + 24), Bytes(check, check + 4)}), expected->second);
          ++expected;
        });
    std::vector<Flaw> flaws;
    for (const auto& entry : reference_.flaws) flaws.push_back(entry.second.flaw);
    EXPECT_EQ(store.flaws(), flaws);
  }

  std::mt19937_64 generator_{GetParam()};
  Reference reference_;
  Reference reference_at_home_;
  std::deque<Moment> moments_;
};

TEST_P(MediaRandomTest, InMemory_BehavesAsTheReference) { run(MediaStore(kGeometry)); }

TEST_P(MediaRandomTest, InAFile_BehavesAsTheReference) {
  const ScratchPath path;
  run(MediaStore::open_file(path.str(), kGeometry, FileMode::kCreate));
}

TEST_P(MediaRandomTest, OverAReadOnlyFile_BehavesAsTheReferenceAndLeavesTheFileAlone) {
  const ScratchPath path;
  {
    MediaStore store = MediaStore::open_file(path.str(), kGeometry, FileMode::kCreate);
    for (int i = 0; i < 300; ++i) write(store);
  }
  const Bytes before = file_bytes(path.str());
  run(MediaStore::open_file(path.str(), kGeometry, FileMode::kReadOnly));
  EXPECT_EQ(file_bytes(path.str()), before);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MediaRandomTest, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace headstack::media
