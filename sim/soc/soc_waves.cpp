// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/soc_waves.hpp"

#include "sim/assert.hpp"

namespace headstack::soc {

void SocWaves::open(const std::string& path, Picoseconds at) {
  soc_.open_waves(path, &beside_);
  open_ = true;
  written_ = 0;
  if (high_ && falls_at_ <= at) lower_clock();
  moment_ = at;
}

void SocWaves::close() {
  if (!open_) return;
  write();
  soc_.close_waves();
  open_ = false;
}

void SocWaves::abandon() {
  soc_.abandon_waves();
  open_ = false;
}

void SocWaves::moment(Picoseconds at) {
  if (!open_ || at == moment_) return;
  HEADSTACK_ASSERT(at > moment_, "waves are written in the order of time");
  write();
  if (high_ && falls_at_ <= at) {
    lower_clock();
    moment_ = falls_at_;
    if (falls_at_ < at) write();
  }
  moment_ = at;
}

void SocWaves::lower_clock() {
  soc_.lower_clock();
  high_ = false;
}

void SocWaves::write() {
  soc_.write_waves(moment_);
  if (++written_ % kFlushMoments == 0) soc_.flush_waves();
}

}  // namespace headstack::soc
