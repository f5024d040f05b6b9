// SPDX-License-Identifier: Apache-2.0
// SystemC wants sc_main; GoogleTest runs inside it. One process per test.
#include <gtest/gtest.h>

#include <systemc>

#ifdef __SANITIZE_ADDRESS__
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

namespace {

/// Declares the main stack as the current one. SystemC 2.3.4 does not announce the switch from a
/// coroutine that has ended, so the leak checker would scan that coroutine's stack. Its pages are
/// unmapped by then. Under some layouts of the address space, that is a fault in every third
/// process.
void announce_main_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* bottom = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &bottom, &size) == 0) {
    __sanitizer_start_switch_fiber(nullptr, bottom, size);
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace
#endif

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
#ifdef __SANITIZE_ADDRESS__
  announce_main_stack();
#endif
  return status;
}
