// SPDX-License-Identifier: Apache-2.0
// HP SRT 1.3, the traces of HP-UX systems (cello and others, 1992 on). A text up to a form feed
// describes the host and its disks. Records of big-endian 32-bit words follow:
//
//     size, version << 16 | type, seconds, microseconds, start, stop, bytes, block, device,
//     driver type, cylinder, flags, info, and in version 4 queue length
//
// Seconds and microseconds are the arrival after the trace's date; start and stop follow it, in
// microseconds. Bits 15:8 of the device are the disk, and bit 0 of the flags is a read. The block
// counts sectors from the disk's beginning, with the disk's sector size in the header.
#include <fmt/format.h>

#include <map>

#include "host/traces/binary_input.hpp"
#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::string_view kMagic = "$$TR_IOREC-1.3";
constexpr char kFormFeed = '\f';
constexpr std::uint64_t kDefaultSectorBytes = 512;
constexpr std::size_t kHeadBytes = 8;
constexpr std::size_t kWordBytes = 4;
constexpr std::size_t kShortestRecord = 12 * kWordBytes;  // ends with the flags
constexpr std::uint64_t kLongestRecord = 4096;            // far longer than in any version
constexpr std::uint64_t kShortIo = 1;
constexpr std::uint64_t kSuspect = 4;
constexpr std::uint64_t kReadFlag = 1;

enum Word { kSeconds = 2, kMicroseconds, kStart, kStop, kBytes, kBlock, kDevice, kFlags = 11 };

class HpSrtReader : public BinaryReader {
 public:
  HpSrtReader(InputBuffer& in, const std::string& file) : BinaryReader(in, file) {
    header_.source = "HP SRT trace";
    header_.has_service = true;
    read_header(file);
  }

  RawItem next(RawRequest& raw) override {
    while (true) {
      const std::string_view head = begin_record(kHeadBytes);
      if (head.empty()) return RawItem::kEnd;
      const std::uint64_t size = load(head, 0, kWordBytes, Endian::kBig);
      const std::uint64_t type = load(head, 6, 2, Endian::kBig);
      if (size < kHeadBytes || size > kLongestRecord) {
        fail_for_good("size", fmt::format("{} bytes", size), "it is damaged: fetch it again");
      }
      const std::string_view record = take_record(size);
      if (type != kShortIo && type != kSuspect) {
        skip(fmt::format("record of type {}", type));
      } else if (take(record, raw)) {
        return RawItem::kRequest;
      }
    }
  }

 private:
  bool take(std::string_view record, RawRequest& raw) {
    if (record.size() < kShortestRecord) {
      fail("size", fmt::format("{} bytes", record.size()), "an I/O's record has 48 or more");
    }
    const auto word = [&](std::size_t index) {
      return load(record, index * kWordBytes, kWordBytes, Endian::kBig);
    };
    if (word(kStop) < word(kStart)) {
      fail("stop", fmt::format("{} before the start, {}", word(kStop), word(kStart)),
           "leave the record out");
    }
    raw = RawRequest{};
    raw.time = Int128{word(kSeconds)} * kPicosecondsPerSecond +
               Int128{word(kMicroseconds)} * kPicosecondsPerMicrosecond;
    raw.request.operation = (word(kFlags) & kReadFlag) != 0 ? Operation::kRead : Operation::kWrite;
    raw.request.service =
        static_cast<Picoseconds>(word(kStop) - word(kStart)) * kPicosecondsPerMicrosecond;
    const unsigned disk = word(kDevice) >> 8 & 0xFF;
    if (device_.empty() || disk != disk_) device_ = std::to_string(disk_ = disk);
    raw.device = device_;
    const auto sector = sector_bytes_.find(disk);
    const std::uint64_t bytes =
        sector != sector_bytes_.end() ? sector->second : kDefaultSectorBytes;
    return set_bytes(raw, word(kBlock) * bytes, word(kBytes));
  }

  /// Finds the sector size of each disk. The disks are one brace deep, as `N -> { ... }`.
  void read_header(const std::string& file) {
    const std::string_view seen = in_.peek(InputBuffer::kMostPeekBytes);
    const std::size_t end = seen.find(kFormFeed);
    if (seen.substr(0, kMagic.size()) != kMagic || end == std::string_view::npos) {
      throw TraceError(fmt::format(
          "{}:1: header: not one of HP SRT 1.3, up to a form feed; this program reads version 1.3",
          file));
    }
    int depth = 0;
    unsigned disk = 0;
    std::string_view word;
    for (std::string_view rest = seen.substr(0, end); next_word(rest, word);) {
      std::string_view value;
      if (word == "{") ++depth;
      if (word == "}") --depth;
      if (depth == 1 && is_number(word) && word.size() < 4)
        disk = static_cast<unsigned>(number(word));
      if (word == "sectorsize" && next_word(rest, value) && value == "=" &&
          next_word(rest, value)) {
        if (!is_number(value) || value.size() > 5 || number(value) == 0) {
          throw TraceError(
              fmt::format("{}: sectorsize: '{}' is not a number of bytes; correct the header", file,
                          printable(value, 20)));
        }
        sector_bytes_[disk] = number(value);
      }
    }
    in_.take(end + 1);
  }

  static std::uint64_t number(std::string_view digits) {
    std::uint64_t value = 0;
    for (const char digit : digits) value = value * 10 + static_cast<unsigned>(digit - '0');
    return value;
  }

  /// Takes the next word, brace or = from `text`. Returns false at the end. Quoted text is one
  /// word.
  static bool next_word(std::string_view& text, std::string_view& word) {
    const std::size_t start = text.find_first_not_of(" \t\r\n,;()");
    if (start == std::string_view::npos) return false;
    text.remove_prefix(start);
    std::size_t length = 1;
    if (text[0] == '"') {
      length = text.find('"', 1) == std::string_view::npos ? text.size() : text.find('"', 1) + 1;
    } else if (text[0] != '{' && text[0] != '}' && text[0] != '=') {
      length = std::min(text.find_first_of(" \t\r\n,;(){}=\""), text.size());
    }
    word = text.substr(0, length);
    text.remove_prefix(length);
    return true;
  }

  std::map<unsigned, std::uint64_t> sector_bytes_;
  unsigned disk_ = 0;
  std::string device_;
};

bool detect(const TraceSample& sample) { return sample.bytes().substr(0, kMagic.size()) == kMagic; }

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<HpSrtReader>(in, file);
}

}  // namespace

const TraceFormat kHpSrtFormat = {"hp-srt",
                                  "HP SRT 1.3, binary (cello and other HP-UX hosts)",
                                  "disk number",
                                  "from start to stop: without the queue",
                                  TimeBase::kAsWritten,
                                  1024,
                                  detect,
                                  open,
                                  false};

}  // namespace headstack::traces
