// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/bare_core.hpp"

#include <Vbare_core.h>
#include <Vbare_core___024root.h>

namespace headstack::bench {

struct BareCore::Model {
  VerilatedContext context;
  Vbare_core core{&context, ""};
};

BareCore::BareCore(const soc::ElfImage& image) : model_(std::make_unique<Model>()) {
  Vbare_core& core = model_->core;
  for (const int reset_n : {1, 0, 1}) {
    core.rst_ni = static_cast<CData>(reset_n);
    core.eval();
  }
  auto& ram = core.rootp->bare_core__DOT__u_ram__DOT__mem_q;
  for (const soc::ElfImage::Segment& segment : image.segments()) {
    const std::vector<std::uint8_t> bytes = segment.memory();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t at = segment.address + i;
      const unsigned shift = 8 * (at % 4);
      ram[at / 4] = (ram[at / 4] & ~(0xFFU << shift)) | (IData{bytes[i]} << shift);
    }
  }
}

BareCore::~BareCore() = default;

// Only rising edges are evaluated, as in sim/soc/soc_fast.cpp.
void BareCore::step() {
  Vbare_core& core = model_->core;
  core.rootp->__Vtrigrprev__TOP__clk_i = 0;
  core.clk_i = 1;
  core.eval();
}

}  // namespace headstack::bench
