#include "host/run/trace_command.hpp"

namespace headstack::run {
namespace {

using initiator::Command;
using initiator::Direction;
using replay::Operation;

constexpr std::uint16_t kLargestShortTag = 0xFF;

std::vector<std::uint8_t> cdb10(std::uint8_t operation, std::uint64_t lba, std::uint32_t blocks) {
  return {operation,
          0,
          static_cast<std::uint8_t>(lba >> 24),
          static_cast<std::uint8_t>(lba >> 16),
          static_cast<std::uint8_t>(lba >> 8),
          static_cast<std::uint8_t>(lba),
          0,
          static_cast<std::uint8_t>(blocks >> 8),
          static_cast<std::uint8_t>(blocks),
          0};
}

}  // namespace

Command trace_command(const replay::TraceRequest& request, const std::vector<std::uint8_t>& data,
                      std::uint8_t target_id, std::uint16_t tag, std::uint32_t block_bytes) {
  Command command;
  command.target = target_id;
  command.tag_type = initiator::TagType::kSimple;
  command.tag = tag;
  command.extended_tag = tag > kLargestShortTag;
  switch (request.operation) {
    case Operation::kRead:
      command.cdb = cdb10(kRead10, request.lba, request.blocks);
      command.direction = Direction::kIn;
      command.length = request.blocks * block_bytes;
      break;
    case Operation::kWrite:
      command.cdb = cdb10(kWrite10, request.lba, request.blocks);
      command.direction = Direction::kOut;
      command.data = data;
      break;
    case Operation::kVerify: command.cdb = cdb10(0x2F, request.lba, request.blocks); break;
    case Operation::kFlush: command.cdb = cdb10(kSynchronizeCache10, 0, 0); break;
  }
  return command;
}

}  // namespace headstack::run
