// SPDX-License-Identifier: Apache-2.0
// The output of `headstack drive`: as text, and as JSON with the same numbers.
#pragma once

#include <string>
#include <nlohmann/json.hpp>

#include "sim/description/description.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/access.hpp"

namespace headstack::cli {

using Json = nlohmann::ordered_json;

/// The data of `drive info`. Units are in the keys; angles are fractions of a revolution.
Json info_json(const drive::DriveDescription& description, const mechanics::AccessModel& model);
std::string info_text(const drive::DriveDescription& description,
                      const mechanics::AccessModel& model);

/// info_json(), and data for pictures: the whole seek curve, and tracks laid out by angle.
Json plot_json(const drive::DriveDescription& description, const mechanics::AccessModel& model);

/// A place on the media, and its content.
Json place_json(const mechanics::AccessModel& model, const geometry::Chs& at);
std::string place_text(const mechanics::AccessModel& model, const geometry::Chs& at);

struct AccessRequest {
  mechanics::AccessStart start;
  geometry::Lba lba = 0;
  std::uint32_t blocks = 1;
  bool is_write = false;
};

Json access_json(const mechanics::AccessModel& model, const AccessRequest& request);
std::string access_text(const drive::DriveDescription& description,
                        const mechanics::AccessModel& model, const AccessRequest& request);

/// A number with commas: 17918387 is "17,918,387".
std::string grouped(std::uint64_t number);

}  // namespace headstack::cli
