// SPDX-License-Identifier: Apache-2.0
// Snapshots by fork(), with a run that counts and writes: snapshot_ring.hpp.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "host/debug/order.hpp"
#include "host/debug/output_files.hpp"
#include "host/debug/snapshot_ring.hpp"
#include "host/output/output_file.hpp"

namespace headstack::debug {
namespace {

namespace fs = std::filesystem;

// The remaining gap relative to the age: 20 / 30, 20 / 20, 20 / 10 and so on.
TEST(LeastMissed, OfEquallySpaced_TheOldestGoes) {
  EXPECT_EQ(least_missed({0, 10, 20, 30, 40}, {}), 1U);
}

// The quotient of the second is 30 / 20, of the third 11 / 10, of the fourth 10 / 9.
TEST(LeastMissed, TheSmallestGapForItsAgeGoes) {
  EXPECT_EQ(least_missed({0, 20, 30, 31, 40}, {}), 2U);
}

TEST(LeastMissed, FirstLastAndKept_Stay) {
  EXPECT_EQ(least_missed({0, 10, 20, 30}, {10}), 2U);
  EXPECT_FALSE(least_missed({0, 10, 20}, {10}));
  EXPECT_FALSE(least_missed({0, 10}, {}));
}

// With as few as 8, the distance of each to the next is at most about its age.
TEST(LeastMissed, KeepsThemCloserTheYoungerTheyAre) {
  std::vector<std::uint64_t> positions;
  for (std::uint64_t now = 0; now < 1000; ++now) {
    positions.push_back(now);
    if (positions.size() > 8) {
      positions.erase(positions.begin() +
                      static_cast<std::ptrdiff_t>(*least_missed(positions, {now})));
    }
  }
  EXPECT_EQ(positions.front(), 0U);
  EXPECT_EQ(positions.back(), 999U);
  EXPECT_LE(999 - positions[positions.size() - 2], 4U);
  for (std::size_t i = 2; i < positions.size(); ++i) {
    EXPECT_LE(positions[i] - positions[i - 1], positions[i - 1] - positions[i - 2])
        << "index " << i;
  }
}

TEST(Order, GoesThroughText) {
  Order order;
  order.task = Order::Task::kFindStop;
  order.edge = 1'234'567'890'123;
  order.words = "watch:bc7c;";
  order.session.acknowledging = false;
  order.session.extended = true;
  order.session.points.add({PointKind::kAccess, 0xFFFF'FFF0, 4});
  order.furthest = 5;
  order.fork_history = true;
  order.changes = {3, 4};
  order.snapshots = {0, 7};
  const Order read = order_of(to_text(order));
  EXPECT_EQ(to_text(read), to_text(order));
  EXPECT_EQ(read.session.points.all(), order.session.points.all());
  EXPECT_EQ(read.snapshots, order.snapshots);
}

// Words may be the name of a file, which may have any bytes.
TEST(Order, WithWordsThatAreNotUtf8_GoesThroughText) {
  Order order;
  order.words = "out\xFF/post-mortem.fst";
  EXPECT_EQ(order_of(to_text(order)).words, order.words);
}

class Snapshots : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static constexpr int kThrew = 99;
  /// The exit status of a run with this body; kThrew if it throws.
  static int run(const std::function<int(SnapshotRing&)>& body, std::size_t capacity = 8) {
    return SnapshotRing::host(capacity, [&body](SnapshotRing& ring) -> int {
      // The test's own process is the broker. No other process may continue the tests.
      try {
        std::_Exit(body(ring));
      } catch (const std::exception& error) {
        std::fprintf(stderr, "the run threw: %s\n", error.what());
        std::_Exit(kThrew);
      }
    });
  }

  std::string file() const { return (folder_ / "numbers").string(); }
  std::string written() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::string numbers(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += std::to_string(i) + '\n';
    return text;
  }

 private:
  fs::path folder_ =
      fs::temp_directory_path() / ("headstack_snapshots_" + std::to_string(::getpid()));
};

// The first process's output after the snapshot is in the file once, whether it had reached the
// disk or not.
TEST_F(Snapshots, WokenRun_WritesTheSameBytes) {
  const int status = run(
      [this](SnapshotRing& ring) {
        output::OutputFile out(file());
        std::string order;
        for (int i = 0; i < 1000; ++i) {
          if (i % 40 == 0) {
            if (auto wake = ring.take(static_cast<std::uint64_t>(i), {})) order = wake->order;
          }
          out << i << '\n';
          if (i % 100 == 0) out.commit();
          if (i == 950 && order.empty()) ring.wake(400, "once", {});
          if (i == 970 && order == "once") ring.wake(40, "twice", {});
        }
        out.close();
        return order == "twice" ? 7 : 1;
      },
      1000);
  EXPECT_EQ(status, 7);
  EXPECT_EQ(written(), numbers(1000));
}

/// A run that counts into a file. A wall clock decides when bytes reach the disk, which is not a
/// function of the position.
class CountingRun {
 public:
  CountingRun(SnapshotRing& ring, const std::string& file) : ring_(ring), out_(file) {
    ring.on_commit([this] { out_.commit(); });
  }

  /// Takes a snapshot where `position_` is. @return the order of a process that was woken here.
  std::string take() {
    auto wake = ring_.take(position_, {});
    return wake ? wake->order : "";
  }
  void count() { out_ << position_++ << '\n'; }
  void commit() { out_.commit(); }
  void close() { out_.close(); }
  std::uint64_t position() const { return position_; }

 private:
  SnapshotRing& ring_;
  output::OutputFile out_;
  std::uint64_t position_ = 0;
};

// Snapshot 40 follows a commit. From 0 the run is repeated without one. 40 then finds a file that
// is too short, unless the repeated bytes are committed.
TEST_F(Snapshots, CommitThatIsNotRepeated_LeavesNoHole) {
  const int status = run([this](SnapshotRing& ring) {
    CountingRun counting(ring, file());
    std::string order;
    while (counting.position() < 100) {
      if (counting.position() % 40 == 0) {
        if (const std::string came = counting.take(); !came.empty()) {
          order = came;
          ring.know({0, 40});
        }
      }
      counting.count();
      if (counting.position() == 30 && order.empty()) counting.commit();
      if (counting.position() == 70 && order.empty()) ring.wake(0, "back", {});
      if (counting.position() == 50 && order == "back") ring.wake(40, "forth", {});
    }
    counting.close();
    return order == "forth" ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(written(), numbers(100));
}

// For any order of snapshots, commits, and moves back and forth, each number is in the file once,
// in order.
TEST_F(Snapshots, AnyOrderOfCommitsAndWaysBack_LeavesTheSameBytes) {
  constexpr int kEnded = 100;
  int ways_back = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const int status = run(
        [this, seed](SnapshotRing& ring) {
          CountingRun counting(ring, file());
          // The order depends on the number of moves back and on the existing snapshots. Every
          // process draws anew from there on.
          unsigned backs = 0;
          std::mt19937 random(seed);
          while (counting.position() < 300) {
            if (random() % 16 == 0) {
              const std::string order = counting.take();
              if (!order.empty()) {
                const Order came = order_of(order);
                backs = static_cast<unsigned>(came.edge);
                ring.know(came.snapshots);
                random.seed(seed + 1'000 * backs);
              }
            }
            counting.count();
            if (random() % 16 == 0) counting.commit();
            if (backs < 12 && random() % 64 == 0) {
              Order next;
              next.edge = backs + 1;
              next.snapshots = ring.positions();
              const auto snapshot = ring.before(random() % counting.position() + 1);
              if (snapshot) ring.wake(*snapshot, to_text(next), {});
            }
          }
          counting.close();
          return kEnded + static_cast<int>(backs);
        },
        6);
    ASSERT_NE(status, kThrew) << "seed " << seed;
    ASSERT_GE(status, kEnded) << "seed " << seed;
    ASSERT_EQ(written(), numbers(300)) << "seed " << seed;
    ways_back += status - kEnded;
  }
  EXPECT_GE(ways_back, 100) << "in 40 runs, with about 5 wishes to go back in each";
}

// Missing bytes are an error that names the file, and never become zeros.
TEST_F(Snapshots, FileThatIsTooShort_IsAnError) {
  const int status = run([this](SnapshotRing& ring) {
    CountingRun counting(ring, file());
    counting.count();
    try {
      if (counting.take().empty()) {
        fs::resize_file(file(), 1);
        ring.wake(1, "too short", {});
      }
    } catch (const std::exception& error) {
      const std::string what = error.what();
      const bool named = what.find(file()) != std::string::npos;
      return named && what.find("1 bytes are there, but the snapshot needs 2") != std::string::npos
                 ? 3
                 : 4;
    }
    return 0;
  });
  EXPECT_EQ(status, 3);
  EXPECT_EQ(written(), "0") << "it is left as it was";
}

// A temporary file has no name by which it could be opened, and its writer chooses the places.
TEST_F(Snapshots, FileWithoutAName_IsLeftAlone) {
  const int status = run([](SnapshotRing& ring) {
    std::FILE* const temporary = std::tmpfile();
    if (temporary == nullptr || ::pwrite(::fileno(temporary), "ab", 2, 0) != 2) return 1;
    if (!ring.take(0, {})) ring.wake(0, "back", {});
    char bytes[2] = {};
    if (::pread(::fileno(temporary), bytes, 2, 0) != 2) return 2;
    return bytes[0] == 'a' && bytes[1] == 'b' ? 0 : 3;
  });
  EXPECT_EQ(status, 0);
}

// A shell, or CTest, may have left a file open for the programs that it starts.
TEST_F(Snapshots, FileOfTheCaller_IsLeftAlone) {
  const int status = run([this](SnapshotRing& ring) {
    const int callers = ::open(file().c_str(), O_WRONLY | O_CREAT, 0666);
    if (callers < 0) return 1;
    auto wake = ring.take(0, {});
    if (!wake) {
      if (::write(callers, "log", 3) != 3) return 2;
      ring.wake(0, "back", {});
    }
    return 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(written(), "log");
}

TEST_F(Snapshots, Snapshot_CanBeWokenAgainAndAgain) {
  const int status = run([](SnapshotRing& ring) {
    const auto wake = ring.take(0, {});
    const std::string order = wake ? wake->order : "";
    if (order.size() < 5) ring.wake(0, order + "x", {});
    return static_cast<int>(order.size());
  });
  EXPECT_EQ(status, 5);
}

TEST_F(Snapshots, FilesOfAnOrder_Arrive) {
  const int status = run([](SnapshotRing& ring) {
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    auto wake = ring.take(0, {ends[0], ends[1]});
    if (!wake) ring.wake(0, "", {ends[0], ends[1]});
    char byte = 0;
    if (wake->files.size() != 2 || ::write(wake->files[1].get(), "z", 1) != 1) return 2;
    return ::read(wake->files[0].get(), &byte, 1) == 1 && byte == 'z' ? 0 : 3;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(Snapshots, ExitStatus_IsTheRunsOwn) {
  EXPECT_EQ(run([](SnapshotRing&) { return 3; }), 3);
  EXPECT_EQ(run([](SnapshotRing& ring) {
              ring.take(0, {});
              return ::raise(SIGKILL);
            }),
            128 + SIGKILL);
  EXPECT_EQ(run([](SnapshotRing& ring) {
              if (!ring.take(0, {})) ring.wake(0, "", {});
              return ::raise(SIGABRT);
            }),
            128 + SIGABRT)
      << "of a process that was woken";
}

TEST_F(Snapshots, Capacity_IsKept_AndTheFirstStays) {
  EXPECT_EQ(run(
                [](SnapshotRing& ring) {
                  for (std::uint64_t i = 0; i < 20; ++i) {
                    if (ring.take(i, {})) return 0;  // woken from the first
                  }
                  if (ring.positions().size() != 4 || ring.positions().front() != 0) return 1;
                  if (ring.before(0) || ring.before(1) != 0U) return 2;
                  ring.forget_behind(0);
                  if (ring.positions().size() != 1) return 3;
                  ring.wake(0, "", {});
                },
                4),
            0);
}

// All processes have the writing end of a pipe, which ends when the last of them has ended.
TEST_F(Snapshots, BrokerKilled_LeavesNobodyBehind) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t broker = ::fork();
  if (broker == 0) {
    ::close(ends[0]);
    run([&ends](SnapshotRing& ring) {
      for (std::uint64_t i = 0; i < 3; ++i) ring.take(i, {});
      if (::write(ends[1], "!", 1) != 1) return 1;
      // The run itself looks at the broker's socket.
      while (receive_message(ring.broker_socket())) {
      }
      return 0;
    });
    std::_Exit(0);
  }
  ::close(ends[1]);
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  ::kill(broker, SIGKILL);
  ::waitpid(broker, nullptr, 0);
  EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "CTest's timeout tells if somebody is left";
}

}  // namespace
}  // namespace headstack::debug
