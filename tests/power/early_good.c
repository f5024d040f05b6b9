// SPDX-License-Identifier: Apache-2.0
// A broken build, for tests: the drive says GOOD to writes before the media have them, whatever the
// host has set WCE to.
#include "firmware/unit/mode_page.h"

static void lie_about_caching(const struct mode_pages* modes, struct mode_caching* caching) {
  mode_pages_caching(modes, caching);
  caching->writes = true;
}

#define mode_pages_caching lie_about_caching
#include "firmware/transfer/modes.c"
