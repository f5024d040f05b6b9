// SPDX-License-Identifier: Apache-2.0
// File-backed media: persistence, refusals, locks, the read-only overlay. Expected values follow
// from the layout in sim/media/file_header.hpp and the modes in sim/media/backing_file.hpp.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>

#include "tests/unit/test_media_support.hpp"

namespace headstack::media {
namespace {

constexpr MediaGeometry kGeometry{150, 512, 4, 0x1234};

MediaStore open(const ScratchPath& path, FileMode mode) {
  return MediaStore::open_file(path.str(), kGeometry, mode);
}

constexpr long kMap = 4096;
constexpr long kEntry = 16;  // bytes of the map for each 64 sectors

/// Overwrites an entry of the map, with a correct check.
void overwrite_entry(const std::string& path, std::uint64_t chunk, std::uint64_t mask) {
  const MapEntry entry = encode_map_entry(chunk, mask);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(kMap + kEntry * static_cast<long>(chunk));
  file.write(reinterpret_cast<const char*>(entry.data()), entry.size());
}

void overwrite_byte(const std::string& path, long offset, std::uint8_t value) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(offset);
  file.put(static_cast<char>(value));
}

void expect_in(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
  }
}

TEST(MediaFile, Reopened_HasEverySectorThatWasWritten) {
  const ScratchPath path;
  const std::vector<SectorIndex> written = {0, 1, 63, 64, 128, 149};
  std::uint64_t hash = 0;
  {
    MediaStore store = open(path, FileMode::kCreate);
    for (const SectorIndex i : written) write_sector(store, i, tagged_sector(kGeometry, i));
    hash = store.content_hash();
  }
  for (const FileMode mode : {FileMode::kReadWrite, FileMode::kCreateOrOpen, FileMode::kReadOnly}) {
    MediaStore store = open(path, mode);
    EXPECT_EQ(store.written_count(), written.size());
    EXPECT_EQ(store.content_hash(), hash);
    for (const SectorIndex i : written) {
      EXPECT_EQ(read_sector(store, i, ReadStatus::kOk), tagged_sector(kGeometry, i));
    }
  }
}

TEST(MediaFile, NeverWritten_ReadsAsFormatted) {
  const ScratchPath path;
  MediaStore store = open(path, FileMode::kCreate);
  const MediaStore in_memory(kGeometry);
  write_sector(store, 64, tagged_sector(kGeometry, 1));
  for (const SectorIndex i : {0, 63, 65, 149}) {
    EXPECT_EQ(read_sector(store, i, ReadStatus::kOk), peek_sector(in_memory, i));
  }
}

TEST(MediaFile, Layout_IsAsDocumented) {
  const ScratchPath path;
  const Sector sector = tagged_sector(kGeometry, 1);
  {
    MediaStore store = open(path, FileMode::kCreate);
    write_sector(store, 70, sector);
  }
  const Bytes bytes = file_bytes(path.str());
  // The file has a header page, a map page (3 entries of 16 bytes), and 3 chunks of 64 slots of 516
  // bytes.
  ASSERT_EQ(bytes.size(), 4096U + 4096U + 3U * 64U * 516U);
  const Bytes first_fields = {'H', 'S', 'T', 'K', 'M',  'E',  'D', 'I', 2, 0, 0, 0, 0, 0x10,
                              0,   0,   150, 0,   0,    0,    0,   0,   0, 0, 0, 2, 0, 0,
                              4,   0,   0,   0,   0x34, 0x12, 0,   0,   0, 0, 0, 0};
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 40), first_fields);
  // Sector 70 is number 6 of chunk 1. The check is a CRC-32 (IEEE 802.3) over the chunk's number
  // and the bits.
  const Bytes checked = {1, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0};
  const std::uint32_t crc = crc32_ieee(checked.data(), checked.size());
  Bytes entry(checked.begin() + 8, checked.end());
  for (const std::uint32_t word : {crc, ~crc}) {
    for (int shift = 0; shift < 32; shift += 8) {
      entry.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  EXPECT_EQ(Bytes(bytes.begin() + 4096 + 16, bytes.begin() + 4096 + 32), entry);
  const auto slot = bytes.begin() + 8192 + 70 * 516;
  EXPECT_EQ(Bytes(slot, slot + 512), sector.data);
  EXPECT_EQ(Bytes(slot + 512, slot + 516), sector.check);
}

TEST(MediaFile, LargeDrive_TakesLittleDiskSpace) {
  const ScratchPath path;
  constexpr MediaGeometry kLarge{2'000'000, 512, 4};  // 1 GB
  MediaStore store = MediaStore::open_file(path.str(), kLarge, FileMode::kCreate);
  write_sector(store, 1'999'999, tagged_sector(kLarge, 1));
  store.sync();
  struct stat status {};
  ASSERT_EQ(::stat(path.str().c_str(), &status), 0);
  EXPECT_GT(status.st_size, 1'000'000'000);
  EXPECT_LT(status.st_blocks * 512, 1'000'000);  // one chunk of 33 KB, header, 500 KB of map
}

TEST(MediaFile, OtherGeometry_IsRefusedNamingFileFieldAndRemedy) {
  const ScratchPath path;
  { const MediaStore store = open(path, FileMode::kCreate); }
  const Bytes before = file_bytes(path.str());
  const CheckCode other_code = [](const std::uint8_t*, std::size_t, std::uint8_t* check) {
    check[0] = check[1] = check[2] = check[3] = 9;
  };
  const struct {
    MediaGeometry geometry;
    CheckCode code;
    std::vector<std::string> parts;
  } cases[] = {
      {{151, 512, 4, 0x1234}, {}, {"sector_count", "150", "151"}},
      {{150, 520, 4, 0x1234}, {}, {"sector_bytes", "512", "520"}},
      {{150, 512, 0, 0x1234}, {}, {"check_bytes", "4", "0"}},
      {{150, 512, 4, 0x1235}, {}, {"layout signature", "4660", "4661"}},
      {{150, 512, 4, 0x1234}, other_code, {"check code"}},
  };
  for (const auto& a_case : cases) {
    for (const FileMode mode :
         {FileMode::kReadWrite, FileMode::kCreateOrOpen, FileMode::kReadOnly}) {
      const std::string error = open_error(path.str(), a_case.geometry, mode, a_case.code);
      expect_in(error, a_case.parts);
      expect_in(error, {path.str(), "use the drive description it was made with"});
    }
  }
  EXPECT_EQ(file_bytes(path.str()), before);
}

TEST(MediaFile, DamagedFile_IsRefused) {
  const struct {
    long offset;
    std::uint8_t value;
    std::string part;
  } cases[] = {
      {0, 'X', "no HSTKMEDI at its start"},
      {9, 1, "damaged header"},      // version 258 with the CRC-32 of version 2
      {49, 0xFF, "damaged header"},  // the CRC-32 itself; its right byte is not 0xFF here
      {52, 1, "damaged header"},
      {4095, 1, "damaged header"},
      {4096, 1, "damaged map of written sectors (the entry of sectors 0 to 63)"},
      {4096 + 47, 0, "damaged map of written sectors (the entry of sectors 128 to 191)"},
      {4096 + 48, 1, "damaged map of written sectors (bytes after it are not zero)"},
  };
  for (const auto& a_case : cases) {
    const ScratchPath path;
    { const MediaStore store = open(path, FileMode::kCreate); }
    overwrite_byte(path.str(), a_case.offset, a_case.value);
    expect_in(open_error(path.str(), kGeometry, FileMode::kReadWrite),
              {path.str(), a_case.part, "delete the file to start from formatted media"});
  }
}

// Each byte of each number in the table of sim/media/file_header.hpp is changed, with a correct
// CRC-32.
TEST(MediaFile, HeaderWithAnyByteOfANumberChanged_IsRefusedNamingTheNumber) {
  const SectorFormat format(kGeometry, {});
  const struct {
    const char* name;
    std::size_t offset, end;
  } kNumbers[] = {{"version", 8, 12},       {"header size", 12, 16}, {"sector_count", 16, 24},
                  {"sector_bytes", 24, 28}, {"check_bytes", 28, 32}, {"layout signature", 32, 40},
                  {"check code", 40, 48}};
  for (const auto& number : kNumbers) {
    for (std::size_t at = number.offset; at < number.end; ++at) {
      FileHeader header = encode_file_header(format);
      header[at] ^= 1;
      store_little_endian(&header[48], crc32_ieee(header.data(), 48), 4);
      expect_in(find_file_header_error(header, format),
                {std::string("its ") + number.name + " is"});
    }
  }
}

TEST(MediaFile, ByteBehindTheHeadersCrc_IsZeroOrDamage) {
  const SectorFormat format(kGeometry, {});
  EXPECT_EQ(find_file_header_error(encode_file_header(format), format), "");
  for (std::size_t at = 52; at < kFileHeaderBytes; ++at) {
    FileHeader header = encode_file_header(format);
    header[at] = 1;
    expect_in(find_file_header_error(header, format), {"damaged header"});
  }
}

// Version 1 has a different layout: its map has 8 bytes for each 64 sectors, and no check.
TEST(MediaFile, FileOfVersion1_IsRefusedWithItsRemedy) {
  const SectorFormat format(kGeometry, {});
  FileHeader header = encode_file_header(format);
  header[8] = 1;
  store_little_endian(&header[48], crc32_ieee(header.data(), 48), 4);
  expect_in(find_file_header_error(header, format),
            {"its version is 1, not 2", "use the headstack that made it", "delete the file"});
}

/// A file with written sectors in each chunk, and its bytes up to the slots.
struct WrittenFile {
  WrittenFile() {
    MediaStore store = open(path, FileMode::kCreate);
    for (const SectorIndex i : {0, 63, 64, 149})
      write_sector(store, i, tagged_sector(kGeometry, i));
  }
  static constexpr std::size_t kSlots = 8192;
  ScratchPath path;
};

// Each byte of the header's page and the map's page is changed in one bit, in all bits, and to
// zero. All bytes are checked, so each change is an error. The attempt to open changes nothing.
TEST(MediaFile, AnyDamagedByteOfHeaderOrMap_IsRefusedInEveryMode) {
  const WrittenFile file;
  const Bytes whole = file_bytes(file.path.str());
  for (std::size_t at = 0; at < WrittenFile::kSlots; ++at) {
    for (const int damaged : {whole[at] ^ 0x01, whole[at] ^ 0x80, whole[at] ^ 0xFF, 0}) {
      const auto value = static_cast<std::uint8_t>(damaged);
      if (value == whole[at]) continue;
      overwrite_byte(file.path.str(), static_cast<long>(at), value);
      for (const FileMode mode :
           {FileMode::kReadWrite, FileMode::kCreateOrOpen, FileMode::kReadOnly}) {
        ASSERT_NE(open_error(file.path.str(), kGeometry, mode), "") << "byte " << at;
      }
    }
    overwrite_byte(file.path.str(), static_cast<long>(at), whole[at]);
  }
  EXPECT_EQ(file_bytes(file.path.str()), whole);
  EXPECT_EQ(open(file.path, FileMode::kReadWrite).written_count(), 4U);
}

// A copy that loses pages has zeros there. A copy that confuses pages has those of another place.
TEST(MediaFile, EntryThatIsBlankOrAnothers_IsRefused) {
  const MapEntry first = encode_map_entry(0, 1);
  for (int kind = 0; kind < 4; ++kind) {
    const WrittenFile file;
    MapEntry entry{};
    if (kind == 1) entry.fill(0xFF);
    if (kind == 2) entry = first;
    if (kind == 3) entry = encode_map_entry(2, std::uint64_t{1} << 22);  // sector 150: too high
    const long at = kMap + kEntry * (kind == 3 ? 2 : 1);
    for (std::size_t i = 0; i < entry.size(); ++i) {
      overwrite_byte(file.path.str(), at + static_cast<long>(i), entry[i]);
    }
    expect_in(open_error(file.path.str(), kGeometry, FileMode::kCreateOrOpen),
              {"damaged map of written sectors", "backup"});
  }
}

// A file that is cut off at any length is damaged, and not a new one.
TEST(MediaFile, AnyTruncation_IsRefusedAndKept) {
  const WrittenFile file;
  const Bytes whole = file_bytes(file.path.str());
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{51}, std::size_t{4095}, std::size_t{4096},
        std::size_t{4097}, std::size_t{8191}, std::size_t{8192}, std::size_t{8193},
        whole.size() / 2, whole.size() - 1}) {
    const ScratchPath path;
    std::ofstream(path.str(), std::ios::binary)
        .write(reinterpret_cast<const char*>(whole.data()), static_cast<std::streamsize>(length));
    for (const FileMode mode :
         {FileMode::kReadWrite, FileMode::kCreateOrOpen, FileMode::kReadOnly, FileMode::kCreate}) {
      EXPECT_NE(open_error(path.str(), kGeometry, mode), "") << length;
    }
    EXPECT_EQ(file_bytes(path.str()).size(), length) << "it is left as it was";
  }
}

// Bit n % 64 of entry n / 64 is for sector n. The sectors are the drive's last one and the one
// after it.
TEST(MediaFile, Bit_OfTheLastSectorIsGood_OfTheNextOneDamage) {
  for (const std::uint64_t sectors : {65, 127, 128}) {
    const MediaGeometry geometry{sectors, 512, 4};
    const ScratchPath path;
    { const MediaStore store = MediaStore::open_file(path.str(), geometry, FileMode::kCreate); }
    const auto mark = [&path](std::uint64_t n) {
      overwrite_entry(path.str(), n / 64, std::uint64_t{1} << n % 64);
    };
    mark(sectors - 1);
    {
      const MediaStore store = MediaStore::open_file(path.str(), geometry, FileMode::kReadWrite);
      EXPECT_EQ(store.written_count(), 1U);
    }
    if (sectors == 128) continue;  // the map has two entries, and both are full
    mark(sectors);
    expect_in(open_error(path.str(), geometry, FileMode::kReadWrite),
              {"damaged map", "past the last one"});
  }
}

// sim/media/chunk_source.hpp: "`check` may be null when it is not wanted".
TEST(MediaFile, Read_NeedsNoCheckBuffer) {
  const ScratchPath path;
  MediaStore store = open(path, FileMode::kCreate);
  const Sector sector = tagged_sector(kGeometry, 3);
  write_sector(store, 3, sector);
  Bytes data(512);
  EXPECT_EQ(store.read(3, data.data(), nullptr), ReadStatus::kOk);
  EXPECT_EQ(data, sector.data);
}

TEST(MediaFile, LastSectorsBit_IsNotTakenForDamage) {
  const ScratchPath path;
  { const MediaStore store = open(path, FileMode::kCreate); }
  overwrite_entry(path.str(), 2, std::uint64_t{1} << 21);  // sector 149, the last one
  EXPECT_TRUE(open(path, FileMode::kReadWrite).is_written(149));
}

TEST(MediaFile, WrongSize_IsRefused) {
  for (const int change : {-1, +1}) {
    const ScratchPath path;
    { const MediaStore store = open(path, FileMode::kCreate); }
    const auto size = static_cast<off_t>(file_bytes(path.str()).size());
    ASSERT_EQ(::truncate(path.str().c_str(), size + change), 0);
    expect_in(open_error(path.str(), kGeometry, FileMode::kReadWrite),
              {path.str(), std::to_string(size), std::to_string(size + change), "backup"});
  }
}

TEST(MediaFile, MissingFile_IsRefusedUnlessItMayBeMade) {
  for (const FileMode mode : {FileMode::kReadWrite, FileMode::kReadOnly}) {
    const ScratchPath path;
    expect_in(open_error(path.str(), kGeometry, mode), {path.str(), "No such file", "create"});
  }
  for (const FileMode mode : {FileMode::kCreate, FileMode::kCreateOrOpen}) {
    const ScratchPath path;
    EXPECT_EQ(open(path, mode).written_count(), 0U);
  }
}

TEST(MediaFile, MissingFolder_IsRefused) {
  const std::string path = ::testing::TempDir() + "no_such_folder/x.media";
  expect_in(open_error(path, kGeometry, FileMode::kCreate), {path, "No such file", "folder"});
}

TEST(MediaFile, Folder_IsRefused) {
  expect_in(open_error(::testing::TempDir(), kGeometry, FileMode::kReadOnly),
            {"is not a regular file"});
}

TEST(MediaFile, Create_RefusesAFileThatExists) {
  const ScratchPath path;
  { const MediaStore store = open(path, FileMode::kCreate); }
  expect_in(open_error(path.str(), kGeometry, FileMode::kCreate), {path.str(), "exists", "delete"});
}

// A process that is killed while it makes a file leaves it under another name. That does not
// disturb a later process, even one with the same process number.
TEST(MediaFile, UnfinishedFile_IsNotTakenForTheFile) {
  const ScratchPath path;
  const std::string unfinished = path.str() + "." + std::to_string(::getpid()) + ".new";
  std::ofstream(unfinished) << "of a process that was killed";
  EXPECT_EQ(open(path, FileMode::kCreateOrOpen).written_count(), 0U);
  EXPECT_FALSE(std::ifstream(unfinished).is_open());
  EXPECT_EQ(open(path, FileMode::kReadWrite).written_count(), 0U);
}

TEST(MediaFile, FileTooLargeForTheDisk_IsRefusedAndNothingIsLeftBehind) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);  // otherwise the limit ends the process
  const rlimit small{8192, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const ScratchPath path;
  const std::string error = open_error(path.str(), kGeometry, FileMode::kCreate);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  // 107264 bytes are a header page, a map page, and 192 slots of 516 bytes.
  expect_in(error, {path.str(), "107264", "File too large", "another folder"});
  EXPECT_FALSE(std::ifstream(path.str()).is_open());
  EXPECT_FALSE(std::ifstream(path.str() + "." + std::to_string(::getpid()) + ".new").is_open());
}

std::shared_ptr<BackingFile> make_file(const ScratchPath& path) {
  const auto format = std::make_shared<const SectorFormat>(kGeometry, CheckCode{});
  return BackingFile::open(path.str(), format, FileMode::kCreate);
}

// sim/media/backing_file.hpp: "space is reserved before a chunk is first touched".
TEST(MediaFile, ReservedChunk_HasItsDiskSpace_BeforeAnythingIsWritten) {
  const ScratchPath path;
  const std::shared_ptr<BackingFile> file = make_file(path);
  const auto disk_bytes = [&path] {
    struct stat status {};
    EXPECT_EQ(::stat(path.str().c_str(), &status), 0);
    return status.st_blocks * 512;
  };
  const auto before = disk_bytes();
  file->reserve(1);
  EXPECT_GE(disk_bytes(), before + 64 * 516);
  EXPECT_TRUE(file->chunk_numbers().empty());
}

// sim/media/chunk_source.hpp: "the chunks with at least one written sector".
TEST(MediaFile, ChunkOfWhichNothingIsLeft_IsNotAmongTheWritten) {
  const ScratchPath path;
  const std::shared_ptr<BackingFile> file = make_file(path);
  const Sector sector = tagged_sector(kGeometry, 1);
  for (const SectorIndex index : {70, 130}) {
    file->reserve(index / 64);
    file->write_sector(index, sector.data.data(), sector.check.data());
  }
  EXPECT_EQ(file->chunk_numbers(), (std::vector<ChunkNumber>{1, 2}));
  file->replace_chunk(1, {});
  EXPECT_EQ(file->chunk_numbers(), std::vector<ChunkNumber>{2});
  EXPECT_EQ(file->written_count(), 1U);
}

/// Runs the action in a process for which `folder` is a disk in memory of this size. Returns its
/// exit status, or 77 without the right to mount one.
template <class Action>
int on_small_disk(const std::string& folder, const std::string& bytes, const Action& action) {
  constexpr int kNoRight = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool mounted =
        ::unshare(CLONE_NEWNS) == 0 &&
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::mount("none", folder.c_str(), "tmpfs", 0, ("size=" + bytes).c_str()) == 0;
    ::_exit(mounted ? action() : kNoRight);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) ADD_FAILURE() << "ended by signal " << WTERMSIG(status);
  return WEXITSTATUS(status);
}

// A tmpfs takes space for pages that are only read, and ends the process by a signal if none is
// left.
TEST(MediaFile, DiskThatIsFullAtOnce_IsAnErrorAndNoSignal) {
  const ScratchPath folder;
  ASSERT_EQ(::mkdir(folder.str().c_str(), 0700), 0);
  constexpr MediaGeometry kLarge{2'000'000, 512, 4};  // a map of 500,000 bytes
  const std::string path = folder.str() + "/media";
  const int status = on_small_disk(folder.str(), "64k", [&] {
    const std::string error = open_error(path, kLarge, FileMode::kCreateOrOpen);
    const bool told = error.find(path) != std::string::npos &&
                      error.find("No space left on device") != std::string::npos &&
                      error.find("free disk space") != std::string::npos;
    return told && file_bytes(path).empty() ? 0 : 1;
  });
  ::rmdir(folder.str().c_str());
  if (status == 77) GTEST_SKIP() << "no right to mount a file system";
  EXPECT_EQ(status, 0);
}

TEST(MediaFile, SecondWriter_IsRefusedWhileTheFirstLives) {
  const ScratchPath path;
  {
    const MediaStore first = open(path, FileMode::kCreate);
    for (const FileMode mode :
         {FileMode::kReadWrite, FileMode::kCreateOrOpen, FileMode::kReadOnly}) {
      expect_in(open_error(path.str(), kGeometry, mode), {path.str(), "in use", "close"});
    }
  }
  EXPECT_EQ(open(path, FileMode::kReadWrite).written_count(), 0U);
}

TEST(MediaFile, Readers_ShareAndExcludeWriters) {
  const ScratchPath path;
  { const MediaStore store = open(path, FileMode::kCreate); }
  const MediaStore first = open(path, FileMode::kReadOnly);
  const MediaStore second = open(path, FileMode::kReadOnly);
  expect_in(open_error(path.str(), kGeometry, FileMode::kReadWrite), {path.str(), "in use"});
}

TEST(MediaFile, Snapshot_KeepsTheFileInUse) {
  const ScratchPath path;
  std::optional<MediaSnapshot> snapshot;
  {
    MediaStore store = open(path, FileMode::kCreate);
    write_sector(store, 3, tagged_sector(kGeometry, 3));
    snapshot = store.snapshot();
  }
  expect_in(open_error(path.str(), kGeometry, FileMode::kReadWrite), {"in use"});
  EXPECT_EQ(peek_sector(MediaStore(*snapshot), 3), tagged_sector(kGeometry, 3));
  snapshot.reset();
  EXPECT_EQ(open(path, FileMode::kReadWrite).written_count(), 1U);
}

TEST(MediaFile, ReadOnly_TakesWritesButTheFileKeepsEveryByte) {
  const ScratchPath path;
  {
    MediaStore store = open(path, FileMode::kCreate);
    for (SectorIndex i = 0; i < 100; ++i) write_sector(store, i, tagged_sector(kGeometry, i));
  }
  const Bytes before = file_bytes(path.str());
  {
    MediaStore store = open(path, FileMode::kReadOnly);
    for (const SectorIndex i : {0, 63, 149}) {
      write_sector(store, i, tagged_sector(kGeometry, 1000 + i));
      EXPECT_EQ(read_sector(store, i, ReadStatus::kOk), tagged_sector(kGeometry, 1000 + i));
    }
    EXPECT_EQ(peek_sector(store, 62), tagged_sector(kGeometry, 62));  // copied with its chunk
    EXPECT_EQ(store.written_count(), 101U);
    store.sync();
  }
  EXPECT_EQ(file_bytes(path.str()), before);
}

TEST(MediaFile, ReadOnly_WorksOnAFileWithoutWritePermission) {
  const ScratchPath path;
  { const MediaStore store = open(path, FileMode::kCreate); }
  ASSERT_EQ(::chmod(path.str().c_str(), 0444), 0);
  MediaStore store = open(path, FileMode::kReadOnly);
  write_sector(store, 0, tagged_sector(kGeometry, 0));
  EXPECT_TRUE(store.is_written(0));
}

TEST(MediaFile, AbortedProcess_LosesNothing) {
  const ScratchPath path;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    MediaStore store = open(path, FileMode::kCreate);
    write_sector(store, 149, tagged_sector(kGeometry, 5));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(peek_sector(open(path, FileMode::kReadWrite), 149), tagged_sector(kGeometry, 5));
}

// A process is killed at any point of its writes. The file can be opened again, and has each sector
// that it marks as written. Only a sector that was being overwritten may be torn.
TEST(MediaFile, KilledProcess_LeavesAFileThatOpens_WhereverItStood) {
  constexpr MediaGeometry kLong{20'000, 512, 4};
  for (useconds_t round = 0; round < 12; ++round) {
    const ScratchPath path;
    { const MediaStore made = MediaStore::open_file(path.str(), kLong, FileMode::kCreate); }
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      MediaStore store = MediaStore::open_file(path.str(), kLong, FileMode::kReadWrite);
      for (SectorIndex i = 0; i < kLong.sector_count; ++i) {
        write_sector(store, i, tagged_sector(kLong, i));
      }
      ::pause();
    }
    ::usleep(500 + 1'487 * round);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    MediaStore store = MediaStore::open_file(path.str(), kLong, FileMode::kReadWrite);
    const std::uint64_t written = store.written_count();
    for (SectorIndex i = 0; i < kLong.sector_count; ++i) {
      ASSERT_EQ(store.is_written(i), i < written) << "in their order";
      if (i >= written) continue;
      ASSERT_EQ(peek_sector(store, i), tagged_sector(kLong, i)) << i;
    }
  }
}

TEST(MediaFileDeathTest, WriteFromAForkedChild_IsABug) {
  const ScratchPath path;
  MediaStore store = open(path, FileMode::kCreate);
  // A death test runs its statement in a forked child.
  EXPECT_DEATH(write_sector(store, 0, tagged_sector(kGeometry, 0)), "forked child must not write");
}

}  // namespace
}  // namespace headstack::media
