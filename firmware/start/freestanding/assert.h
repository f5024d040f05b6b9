// SPDX-License-Identifier: Apache-2.0
/* What the generated register headers want of <assert.h>, which a freestanding compiler does not
   bring: C11 7.2 defines static_assert there. For run-time checks there is
   firmware/kernel/assert.h. */
#ifndef HEADSTACK_FIRMWARE_START_FREESTANDING_ASSERT_H
#define HEADSTACK_FIRMWARE_START_FREESTANDING_ASSERT_H

#define static_assert _Static_assert

#endif
