// SPDX-License-Identifier: Apache-2.0
// The adversary's model of blocks: small histories made by hand, with the verdict that its rules
// (block_model.hpp, R1 to R6) give.
#include <gtest/gtest.h>

#include "tests/fuzz/drive/block_model.hpp"

namespace headstack::fuzz {
namespace {

using initiator::TagType;

constexpr std::uint32_t kBlock = 10;

class BlockHistory : public testing::Test {
 protected:
  OperationId begin(bool is_write, Picoseconds at, TagType type = TagType::kSimple,
                    std::uint8_t host = 0, bool restricted = true) {
    BlockOperation operation;
    operation.is_write = is_write;
    operation.host = host;
    operation.attribute = type;
    operation.lba = kBlock;
    operation.blocks = 4;
    const OperationId id = model_.add(operation);
    model_.arrive(id, at, restricted);
    return id;
  }
  OperationId write(Picoseconds at, TagType type = TagType::kSimple, std::uint8_t host = 0,
                    bool restricted = true) {
    return begin(true, at, type, host, restricted);
  }
  OperationId read(Picoseconds at, TagType type = TagType::kSimple, std::uint8_t host = 0,
                   bool restricted = true) {
    return begin(false, at, type, host, restricted);
  }
  void good(OperationId id, Picoseconds at) { model_.end(id, at, Effect::kCertain, 4); }
  void aborted(OperationId id, Picoseconds at, std::uint32_t blocks = 4) {
    model_.end(id, at, Effect::kPossible, blocks);
  }
  /// Whether a read that ended by then sees this version of a block.
  bool sees(OperationId id, Picoseconds end, Version version, std::uint32_t block = kBlock) {
    model_.end(id, end, Effect::kCertain, 4);
    return model_.see(id, block, version).empty();
  }

  BlockModel model_;
};

TEST_F(BlockHistory, WhatWasNeverWritten_IsWhatTheDriveCameWith) {
  EXPECT_TRUE(sees(read(1), 2, 0));
  EXPECT_FALSE(sees(read(3), 4, 7)) << "nobody wrote that";
}

// Rule R1.
TEST_F(BlockHistory, ReadSentBehindAGoodWrite_SeesIt) {
  const OperationId first = write(1);
  good(first, 2);
  EXPECT_TRUE(sees(read(2), 5, first));
  EXPECT_FALSE(sees(read(2), 5, 0));
}

TEST_F(BlockHistory, ReadUnderWayBesideAWriteOfAnotherHost_SeesEither) {
  const OperationId other = write(1, TagType::kSimple, 1);
  const OperationId before = read(2);
  const OperationId behind = read(3);
  good(other, 10);
  EXPECT_TRUE(sees(before, 11, 0));
  EXPECT_TRUE(sees(behind, 12, other));
}

// What a read saw stays: a read that begins after it cannot see what was before.
TEST_F(BlockHistory, NewThenOld_IsWrong) {
  const OperationId other = write(1, TagType::kSimple, 1);
  EXPECT_TRUE(sees(read(2), 3, other)) << "still under way, and seen";
  EXPECT_FALSE(sees(read(3), 4, 0));
  EXPECT_TRUE(sees(read(3), 4, other));
}

// R3: HEAD OF QUEUE passes what is under way, not what was reported.
TEST_F(BlockHistory, HeadOfQueueRead_PassesAWriteUnderWay_NotAGoodOne) {
  const OperationId waiting = write(1);
  EXPECT_TRUE(sees(read(2, TagType::kHeadOfQueue), 3, 0));
  good(waiting, 4);
  EXPECT_FALSE(sees(read(4, TagType::kHeadOfQueue), 6, 0));
}

TEST_F(BlockHistory, WhatArrivesBehindHeadOfQueue_ComesBehindIt) {
  const OperationId head = write(1, TagType::kHeadOfQueue, 1);
  const OperationId later = read(2);
  good(head, 3);
  EXPECT_FALSE(sees(later, 5, 0));
}

// Rule R2.
TEST_F(BlockHistory, OrderedTask_PartsOlderFromYounger) {
  const OperationId older = write(1, TagType::kSimple, 1, false);
  const OperationId ordered = read(2, TagType::kOrdered, 0, false);
  const OperationId younger = write(3, TagType::kSimple, 1, false);
  good(older, 10);
  good(younger, 11);
  EXPECT_FALSE(sees(ordered, 12, 0));
  EXPECT_FALSE(sees(ordered, 12, younger));
  EXPECT_TRUE(sees(ordered, 12, older));
}

// R4, and its neighbour: the same with unrestricted reordering.
TEST_F(BlockHistory, SimpleTasksOfOneHost_ComeInOrder_WhenReorderingIsRestricted) {
  const OperationId older = write(1);
  const OperationId younger = write(2);
  const OperationId last = read(3);
  good(younger, 4);
  good(older, 5);
  EXPECT_FALSE(sees(last, 6, older));
  EXPECT_TRUE(sees(last, 6, younger));
}

TEST_F(BlockHistory, SimpleTasksOfOneHost_ComeInAnyOrder_WhenItIsNot) {
  const OperationId older = write(1, TagType::kSimple, 0, false);
  const OperationId younger = write(2, TagType::kSimple, 0, false);
  good(younger, 4);
  good(older, 5);
  EXPECT_TRUE(sees(read(6), 7, older)) << "and this settles it:";
  EXPECT_FALSE(sees(read(8), 9, younger));
}

TEST_F(BlockHistory, ReadThatComesBeforeAWrite_DoesNotSeeIt) {
  const OperationId first = read(1);
  const OperationId second = write(2);
  good(second, 3);
  EXPECT_FALSE(sees(first, 4, second));
  EXPECT_TRUE(sees(first, 4, 0));
}

// Rule R5.
TEST_F(BlockHistory, AbortedWrite_IsThereOrNot_ButNotBoth) {
  const OperationId lost = write(1);
  aborted(lost, 2);
  EXPECT_TRUE(sees(read(3), 4, 0)) << "it was not done";
  EXPECT_FALSE(sees(read(5), 6, lost)) << "and is not done later";
  EXPECT_TRUE(sees(read(5), 6, lost, kBlock + 1)) << "each block by itself";
  EXPECT_FALSE(sees(read(7), 8, 0, kBlock + 1));
}

TEST_F(BlockHistory, BlocksWhoseDataDidNotMove_WereNotWritten) {
  const OperationId lost = write(1);
  aborted(lost, 2, 2);
  EXPECT_TRUE(sees(read(3), 4, lost, kBlock + 1));
  EXPECT_FALSE(sees(read(3), 4, lost, kBlock + 2));
}

// Rule R6.
TEST_F(BlockHistory, RefusedWrite_WasNotDone) {
  const OperationId refused = write(1);
  model_.end(refused, 2, Effect::kNone, 0);
  EXPECT_FALSE(sees(read(3), 4, refused));
}

// The media may be behind what was reported since, and ahead of it, but not behind what was before.
TEST_F(BlockHistory, Media_HoldWhatWasGoodBefore) {
  const OperationId first = write(1);
  good(first, 2);
  const OperationId cached = write(3);
  good(cached, 4);
  EXPECT_EQ(model_.find_media_error(kBlock, first, 3), "");
  EXPECT_NE(model_.find_media_error(kBlock, 0, 3), "");
  EXPECT_EQ(model_.find_media_error(kBlock, cached, 3), "");
  EXPECT_NE(model_.find_media_error(kBlock, first, 4), "");
  EXPECT_NE(model_.find_media_error(kBlock + 9, first, 0), "") << "never written there";
}

TEST_F(BlockHistory, RepairedBlock_HoldsAnything_UntilTheNextGoodWrite) {
  const OperationId first = write(1);
  good(first, 2);
  model_.forget(kBlock, 1, 3);
  EXPECT_TRUE(sees(read(4), 5, 0));
  EXPECT_FALSE(sees(read(4), 5, 0, kBlock + 1)) << "its neighbour is as it was";
  const OperationId next = write(6);
  good(next, 7);
  EXPECT_FALSE(sees(read(8), 9, first));
}

}  // namespace
}  // namespace headstack::fuzz
