// SPDX-License-Identifier: Apache-2.0
// A library that leaves a trace as soon as it is loaded: a file with the name that the environment
// gives.
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void leave_trace(void) {
  const char* const name = getenv("HEADSTACK_PLANTED");
  FILE* const file = name != NULL ? fopen(name, "w") : NULL;
  if (file != NULL) fclose(file);
}
