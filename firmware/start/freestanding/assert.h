// SPDX-License-Identifier: Apache-2.0
/* The part of <assert.h> that the generated register headers need: C11 7.2 defines static_assert
   there, and a freestanding compiler has no such header. For run-time checks there is
   firmware/kernel/assert.h. */
#ifndef HEADSTACK_FIRMWARE_START_FREESTANDING_ASSERT_H
#define HEADSTACK_FIRMWARE_START_FREESTANDING_ASSERT_H

#define static_assert _Static_assert

#endif
