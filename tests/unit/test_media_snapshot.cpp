// SPDX-License-Identifier: Apache-2.0
// Snapshots and branches: isolation both ways, over memory and over files. The reference is a plain
// std::map of whole sectors that is copied at every snapshot.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <random>

#include "tests/unit/test_media_support.hpp"

namespace headstack::media {
namespace {

constexpr MediaGeometry kGeometry{500, 32, 4};
using Reference = std::map<SectorIndex, Sector>;

enum class Kind { memory, file, read_only_file };

/// A store of each kind, all starting with the same 100 sectors.
class MediaSnapshotTest : public ::testing::TestWithParam<Kind> {
 protected:
  MediaSnapshotTest() {
    if (GetParam() == Kind::memory) {
      store_.emplace(kGeometry);
    } else {
      store_.emplace(MediaStore::open_file(path_.str(), kGeometry, FileMode::kCreate));
    }
    for (SectorIndex i = 0; i < 500; i += 5) write(*store_, reference_, i, i);
    if (GetParam() == Kind::read_only_file) {
      store_.reset();
      store_.emplace(MediaStore::open_file(path_.str(), kGeometry, FileMode::kReadOnly));
    }
  }

  static void write(MediaStore& store, Reference& reference, SectorIndex index, std::uint64_t tag) {
    const Sector sector = tagged_sector(kGeometry, tag);
    write_sector(store, index, sector);
    reference[index] = sector;
  }

  static void expect_equal(const MediaStore& store, const Reference& reference) {
    EXPECT_EQ(store.written_count(), reference.size());
    auto expected = reference.begin();
    store.visit_written(
        [&](SectorIndex index, const std::uint8_t* data, const std::uint8_t* check) {
          ASSERT_NE(expected, reference.end());
          EXPECT_EQ(index, expected->first);
          EXPECT_EQ((Sector{Bytes(data, data + 32), Bytes(check, check + 4)}), expected->second);
          ++expected;
        });
    EXPECT_EQ(expected, reference.end());
  }

  const ScratchPath path_;
  std::optional<MediaStore> store_;
  Reference reference_;
};

TEST_P(MediaSnapshotTest, Branch_StartsEqual) {
  const MediaStore branch(store_->snapshot());
  expect_equal(branch, reference_);
  EXPECT_EQ(branch.content_hash(), store_->content_hash());
}

TEST_P(MediaSnapshotTest, ThousandWritesOnEachSide_DoNotReachTheOther) {
  constexpr std::uint64_t kSeed = 20240501;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  const MediaSnapshot snapshot = store_->snapshot();
  MediaStore branch(snapshot);
  const Reference at_snapshot = reference_;
  Reference branch_reference = reference_;
  std::mt19937_64 generator(kSeed);
  for (std::uint64_t tag = 1000; tag < 2000; ++tag) {
    write(*store_, reference_, generator() % 500, tag);
    write(branch, branch_reference, generator() % 500, tag + 1000);
  }
  expect_equal(*store_, reference_);
  expect_equal(branch, branch_reference);
  expect_equal(MediaStore(snapshot), at_snapshot);
  EXPECT_EQ(snapshot.written_count(), at_snapshot.size());
}

TEST_P(MediaSnapshotTest, Restore_BringsBackOldSectorsAndForgetsNewOnes) {
  const MediaSnapshot snapshot = store_->snapshot();
  const Reference at_snapshot = reference_;
  write(*store_, reference_, 0, 9001);    // written before
  write(*store_, reference_, 499, 9002);  // never written
  write(*store_, reference_, 101, 9003);
  store_->restore(snapshot);
  expect_equal(*store_, at_snapshot);
  EXPECT_FALSE(store_->is_written(499));
}

TEST_P(MediaSnapshotTest, Restore_WorksForwardAsWellAsBack) {
  const MediaSnapshot earlier = store_->snapshot();
  const Reference at_earlier = reference_;
  write(*store_, reference_, 250, 9001);
  write(*store_, reference_, 251, 9001);
  const MediaSnapshot later = store_->snapshot();
  for (int round = 0; round < 3; ++round) {
    store_->restore(earlier);
    expect_equal(*store_, at_earlier);
    store_->restore(later);
    expect_equal(*store_, reference_);
  }
}

TEST_P(MediaSnapshotTest, Restore_FromAnotherStore_TakesItsContent) {
  MediaStore other(kGeometry);
  Reference other_reference;
  write(other, other_reference, 7, 1);
  write(other, other_reference, 300, 2);
  const MediaSnapshot before = store_->snapshot();
  store_->restore(other.snapshot());
  expect_equal(*store_, other_reference);
  expect_equal(MediaStore(before), reference_);
  other.restore(before);
  expect_equal(other, reference_);
}

TEST_P(MediaSnapshotTest, SnapshotsAlongTheWay_EachKeepTheirMoment) {
  std::vector<std::unique_ptr<MediaSnapshot>> snapshots;
  std::vector<Reference> references;
  std::mt19937_64 generator(7);
  for (int moment = 0; moment < 20; ++moment) {
    snapshots.push_back(std::make_unique<MediaSnapshot>(store_->snapshot()));
    references.push_back(reference_);
    for (int i = 0; i < 5; ++i) write(*store_, reference_, generator() % 500, generator());
    // Dropping one in the middle must take nothing from the others.
    if (moment % 3 == 2) snapshots[static_cast<std::size_t>(moment) - 1].reset();
  }
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    if (snapshots[i] != nullptr) expect_equal(MediaStore(*snapshots[i]), references[i]);
  }
}

TEST_P(MediaSnapshotTest, BranchOfABranch_IsIndependentOfBoth) {
  MediaStore branch(store_->snapshot());
  Reference branch_reference = reference_;
  write(branch, branch_reference, 1, 1);
  MediaStore twig(branch.snapshot());
  Reference twig_reference = branch_reference;
  write(twig, twig_reference, 1, 2);
  write(branch, branch_reference, 2, 3);
  write(*store_, reference_, 1, 4);
  expect_equal(*store_, reference_);
  expect_equal(branch, branch_reference);
  expect_equal(twig, twig_reference);
}

TEST_P(MediaSnapshotTest, Branch_OutlivesItsStore) {
  const MediaStore branch(store_->snapshot());
  store_.reset();
  expect_equal(branch, reference_);
}

TEST_P(MediaSnapshotTest, Snapshot_TakesNoMemoryUntilSomethingChanges) {
  const std::size_t before = store_->resident_bytes();
  const MediaSnapshot snapshot = store_->snapshot();
  MediaStore branch(snapshot);
  EXPECT_EQ(branch.resident_bytes(), before);
  write(*store_, reference_, 0, 1);
  write(branch, reference_, 64, 1);
  // Each of the two writes adds at most one chunk, of 64 slots of 36 bytes, and never a copy of
  // everything.
  EXPECT_LE(branch.resident_bytes(), before + 2 * (64 * 36 + 64));
}

class MediaFileSnapshotTest : public MediaSnapshotTest {};

TEST_P(MediaFileSnapshotTest, WritesToABranch_NeverReachTheFile) {
  const Bytes before = file_bytes(path_.str());
  const MediaSnapshot snapshot = store_->snapshot();
  MediaStore branch(snapshot);
  for (SectorIndex i = 0; i < 500; ++i) write_sector(branch, i, tagged_sector(kGeometry, 5000 + i));
  branch.restore(snapshot);
  branch.sync();
  EXPECT_EQ(file_bytes(path_.str()), before);
}

std::string kind_name(const ::testing::TestParamInfo<Kind>& tested) {
  switch (tested.param) {
    case Kind::memory: return "Memory";
    case Kind::file: return "File";
    case Kind::read_only_file: return "ReadOnlyFile";
  }
  return "Unknown";
}

INSTANTIATE_TEST_SUITE_P(Each, MediaSnapshotTest,
                         ::testing::Values(Kind::memory, Kind::file, Kind::read_only_file),
                         kind_name);
INSTANTIATE_TEST_SUITE_P(Each, MediaFileSnapshotTest,
                         ::testing::Values(Kind::file, Kind::read_only_file), kind_name);

TEST(MediaSnapshotFile, Restore_IsInTheFileAfterReopening) {
  const ScratchPath path;
  std::uint64_t hash = 0;
  {
    MediaStore store = MediaStore::open_file(path.str(), kGeometry, FileMode::kCreate);
    write_sector(store, 10, tagged_sector(kGeometry, 1));
    const MediaSnapshot snapshot = store.snapshot();
    hash = store.content_hash();
    write_sector(store, 10, tagged_sector(kGeometry, 2));
    write_sector(store, 400, tagged_sector(kGeometry, 3));
    store.restore(snapshot);
  }
  const MediaStore store = MediaStore::open_file(path.str(), kGeometry, FileMode::kReadOnly);
  EXPECT_EQ(store.content_hash(), hash);
  EXPECT_FALSE(store.is_written(400));
}

TEST(MediaSnapshotFile, Restore_LeavesNoTraceOfWhatItTookBack) {
  // Slots of never-written sectors are zero: sim/media/file_header.hpp.
  const ScratchPath path;
  MediaStore store = MediaStore::open_file(path.str(), kGeometry, FileMode::kCreate);
  write_sector(store, 10, tagged_sector(kGeometry, 1));
  const Bytes before = file_bytes(path.str());
  const MediaSnapshot snapshot = store.snapshot();
  write_sector(store, 11, tagged_sector(kGeometry, 2));   // in a chunk that has been written
  write_sector(store, 400, tagged_sector(kGeometry, 3));  // in a new chunk
  store.restore(snapshot);
  EXPECT_EQ(file_bytes(path.str()), before);
}

// Slots of never-written sectors are zero (sim/media/file_header.hpp), wherever their chunk is
// from.
TEST(MediaSnapshotFile, RestoreFromMemory_MakesTheFileThatTheWritesWouldHaveMade) {
  const ScratchPath written;
  const ScratchPath restored;
  MediaStore memory(kGeometry);
  MediaStore store = MediaStore::open_file(written.str(), kGeometry, FileMode::kCreate);
  for (const SectorIndex i : {10, 400}) {
    write_sector(memory, i, tagged_sector(kGeometry, i));
    write_sector(store, i, tagged_sector(kGeometry, i));
  }
  MediaStore other = MediaStore::open_file(restored.str(), kGeometry, FileMode::kCreate);
  other.restore(memory.snapshot());
  EXPECT_EQ(file_bytes(restored.str()), file_bytes(written.str()));
}

TEST(MediaSnapshotDeathTest, RestoreIntoAnotherGeometry_IsABug) {
  MediaStore store(kGeometry);
  MediaStore other(MediaGeometry{501, 32, 4});
  EXPECT_DEATH(store.restore(other.snapshot()), "its own geometry");
}

}  // namespace
}  // namespace headstack::media
