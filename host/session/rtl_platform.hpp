// The platform `rtl`, for programs that link the electronics: a PlatformMaker.
#pragma once

#include <memory>

#include "host/session/platform.hpp"

namespace headstack::session {

/// Cycle by cycle; once per process, below sc_main(). `description` and `observer` must outlive it.
/// Throws what the parts throw for what they cannot work with.
std::unique_ptr<Platform> make_rtl_platform(const Options& options,
                                            const drive::DriveDescription& description,
                                            observe::RunObserver& observer);

}  // namespace headstack::session
