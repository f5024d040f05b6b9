// SPDX-License-Identifier: Apache-2.0
/// @file
/// Only Ibex and its RAM, with the same Verilator and flags: the reference of bench_soc.cpp.
#pragma once

#include <memory>

#include "sim/soc/elf_image.hpp"

namespace headstack::bench {

class BareCore {
 public:
  explicit BareCore(const soc::ElfImage& image);
  ~BareCore();
  void step();

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace headstack::bench
