// SPDX-License-Identifier: Apache-2.0
#include "sim/core/translation_file.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace headstack::core {

const translation::Translation* find_translation(const std::string& program) {
  // A name with a folder is not looked for elsewhere.
  const std::string file = std::filesystem::absolute(program).string() + ".so";
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return static_cast<const translation::Translation*>(dlsym(library, translation::kSymbol));
}

}  // namespace headstack::core
