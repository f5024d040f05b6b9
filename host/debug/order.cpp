// SPDX-License-Identifier: Apache-2.0
#include "host/debug/order.hpp"

#include <cstdint>
#include <vector>
#include <nlohmann/json.hpp>

namespace headstack::debug {

using Json = nlohmann::json;

// File names are stored as bytes: a name may contain any, but JSON is UTF-8.
using Bytes = std::vector<std::uint8_t>;

std::string to_text(const Order& order) {
  Json points = Json::array();
  for (const Point& point : order.session.points.all()) {
    points.push_back({static_cast<int>(point.kind), point.address, point.bytes});
  }
  return Json{{"task", static_cast<int>(order.task)},
              {"edge", order.edge},
              {"words", Bytes(order.words.begin(), order.words.end())},
              {"acknowledging", order.session.acknowledging},
              {"extended", order.session.extended},
              {"points", points},
              {"furthest", order.furthest},
              {"fork_history", order.fork_history},
              {"changes", order.changes},
              {"snapshots", order.snapshots}}
      .dump();
}

Order order_of(const std::string& text) {
  const Json json = Json::parse(text);
  Order order;
  order.task = static_cast<Order::Task>(json["task"].get<int>());
  order.edge = json["edge"];
  const Bytes words = json["words"];
  order.words.assign(words.begin(), words.end());
  order.session.acknowledging = json["acknowledging"];
  order.session.extended = json["extended"];
  for (const Json& point : json["points"]) {
    order.session.points.add({static_cast<PointKind>(point[0].get<int>()), point[1], point[2]});
  }
  order.furthest = json["furthest"];
  order.fork_history = json["fork_history"];
  order.changes = json["changes"].get<std::vector<std::uint64_t>>();
  order.snapshots = json["snapshots"].get<std::vector<std::uint64_t>>();
  return order;
}

}  // namespace headstack::debug
