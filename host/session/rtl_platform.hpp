// SPDX-License-Identifier: Apache-2.0
// The platform `rtl`, as a PlatformMaker for programs that link the electronics.
#pragma once

#include <memory>

#include "host/session/platform.hpp"

namespace headstack::session {

/// Makes the platform, once per process, below sc_main(). `description` and `observer` must outlive
/// it. Throws the exceptions of its parts.
std::unique_ptr<Platform> make_rtl_platform(const Options& options,
                                            const drive::DriveDescription& description,
                                            observe::RunObserver& observer);

}  // namespace headstack::session
