// SPDX-License-Identifier: Apache-2.0
#include "host/traces/deadlines.hpp"

namespace headstack::traces {
namespace {

bool is_of(DeadlineTarget target, Operation operation) {
  const bool reads = operation == Operation::kRead || operation == Operation::kVerify;
  switch (target) {
    case DeadlineTarget::kRead: return reads;
    case DeadlineTarget::kWrite: return operation == Operation::kWrite;
    case DeadlineTarget::kAll: return true;
  }
  return false;
}

}  // namespace

void DeadlineMaker::give(TraceRequest& request) {
  const Picoseconds slack = random_.between(options_.least_slack, options_.most_slack);
  if (is_of(options_.target, request.operation)) request.deadline = options_.base + slack;
}

}  // namespace headstack::traces
