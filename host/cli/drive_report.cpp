// SPDX-License-Identifier: Apache-2.0
#include "host/cli/drive_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/drive/schema.hpp"
#include "sim/mechanics/profile_fit.hpp"

namespace headstack::cli {
namespace {

using mechanics::AccessModel;
using Out = std::back_insert_iterator<std::string>;

double turn(Turn32 angle) { return to_revolutions(angle); }

/// Rates of one zone. The time of a byte on the channel follows from the raw bytes of its sectors.
struct ZoneRates {
  double data_mb_per_s;
  double byte_time_ns;
  double sequential_mb_per_s;
};

/// The rate of reading a whole zone in order. Every track takes a revolution and its skew, as in
/// the layout.
double sequential_rate(const AccessModel& model, const drive::Design& design, std::size_t zone) {
  const geometry::ZoneGrid& grid = model.geometry().zones()[zone];
  const std::uint64_t wanted = std::uint64_t{grid.sectors_per_track} * design.heads * 4;
  const auto blocks = static_cast<std::uint32_t>(std::min(wanted, grid.block_count));
  if (blocks == 0) return 0;
  const geometry::Placement first = model.geometry().locate(grid.first_lba);
  const mechanics::AccessStart at_first{0, first.cylinder, first.head};
  // The time is measured from the first sector's arrival, as in the middle of a long read.
  const Picoseconds arrival = model.rotation().time_to_angle(0, first.angle);
  const mechanics::AccessStart start{arrival, at_first.cylinder, at_first.head};
  const Picoseconds time = model.access_time(start, grid.first_lba, blocks, false);
  return static_cast<double>(blocks) * design.sector_bytes / 1e3 / to_ms(time);
}

ZoneRates rates(const AccessModel& model, const drive::Design& design, std::size_t zone) {
  const double sectors = model.geometry().zones()[zone].sectors_per_track;
  const double period_ms = model.rotation().period_ms();
  return {sectors * design.sector_bytes / 1e3 / period_ms,
          period_ms * 1e6 / (sectors * drive::raw_sector_bytes(design)),
          sequential_rate(model, design, zone)};
}

std::vector<std::uint32_t> sample_distances(std::uint32_t cylinders) {
  std::vector<std::uint32_t> distances;
  for (std::uint64_t decade = 1; decade < cylinders; decade *= 10) {
    for (const std::uint64_t x : {decade, 2 * decade, 5 * decade}) {
      if (x < cylinders) distances.push_back(static_cast<std::uint32_t>(x));
    }
  }
  if (cylinders / 3 > 0) distances.push_back(cylinders / 3);
  if (cylinders > 1) distances.push_back(cylinders - 1);
  std::sort(distances.begin(), distances.end());
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  return distances;
}

Json zone_json(const AccessModel& model, const drive::Design& design, std::size_t z) {
  const drive::Zone& zone = design.zones[z];
  const geometry::ZoneGrid& grid = model.geometry().zones()[z];
  const ZoneRates rate = rates(model, design, z);
  return {{"zone", z},
          {"first_cylinder", zone.first_cylinder},
          {"last_cylinder", zone.last_cylinder},
          {"sectors_per_track", zone.sectors_per_track},
          {"track_skew_sectors", zone.track_skew},
          {"cylinder_skew_sectors", zone.cylinder_skew},
          {"first_sector_offset", zone.first_sector_offset},
          {"reserved_sectors", zone.reserved_sectors},
          {"spares_per_unit", zone.spares},
          {"slips", zone.slips.size()},
          {"remaps", zone.remaps.size()},
          {"first_lba", grid.first_lba},
          {"blocks", grid.block_count},
          {"media_rate_mb_per_s", rate.data_mb_per_s},
          {"sequential_rate_mb_per_s", rate.sequential_mb_per_s},
          {"channel_byte_time_ns", rate.byte_time_ns}};
}

Json stretch_json(const mechanics::Stretch& s) {
  return {{"lba", s.lba},
          {"blocks", s.blocks},
          {"cylinder", s.at.cylinder},
          {"head", s.at.head},
          {"sector", s.at.sector},
          {"zone", s.at.zone},
          {"angle", turn(s.at.angle)},
          {"seek_ps", s.positioning.seek},
          {"settle_ps", s.positioning.settle},
          {"head_switch_ps", s.positioning.head_switch},
          {"write_settle_ps", s.positioning.write_settle},
          {"rotation_ps", s.rotation},
          {"transfer_ps", s.transfer},
          {"total_ps", s.total()}};
}

void print_zones(Out out, const AccessModel& model, const drive::Design& design) {
  fmt::format_to(out,
                 "\n  {:>4} {:>13} {:>7} {:>11} {:>11} {:>12} {:>6} {:>6} {:>8} {:>10} {:>8}\n",
                 "zone", "cylinders", "sectors", "skew trk/cyl", "first LBA", "blocks", "slips",
                 "remaps", "MB/s", "seq. MB/s", "ns/byte");
  for (std::size_t z = 0; z < design.zones.size(); ++z) {
    const drive::Zone& zone = design.zones[z];
    const geometry::ZoneGrid& grid = model.geometry().zones()[z];
    const ZoneRates rate = rates(model, design, z);
    fmt::format_to(out,
                   "  {:>4} {:>6}-{:<6} {:>7} {:>7}/{:<4} {:>11} {:>12} {:>6} {:>6} {:>8.3f} "
                   "{:>10.3f} {:>8.2f}\n",
                   z, zone.first_cylinder, zone.last_cylinder, zone.sectors_per_track,
                   zone.track_skew, zone.cylinder_skew, grouped(grid.first_lba),
                   grouped(grid.block_count), zone.slips.size(), zone.remaps.size(),
                   rate.data_mb_per_s, rate.sequential_mb_per_s, rate.byte_time_ns);
  }
}

void print_seeks(Out out, const AccessModel& model, const drive::Design& design) {
  const mechanics::SeekCurve& curve = model.positioning().curve();
  fmt::format_to(out, "\n  {:>9} {:>10} {:>12} {:>12}\n", "cylinders", "seek ms", "write ms",
                 "peak cyl/ms");
  for (const std::uint32_t x : sample_distances(design.cylinders)) {
    const mechanics::SeekProfile profile = curve.profile(x);
    fmt::format_to(out, "  {:>9} {:>10.3f} {:>12.3f} {:>12.2f}\n", grouped(x), to_ms(curve.time(x)),
                   to_ms(model.positioning().total(x, false, true)),
                   profile.velocity_cylinders_per_ms(profile.motion_time() / 2));
  }
  fmt::format_to(out,
                 "  mean over all pairs of cylinders {:.3f} ms; {:.3f} ms of each seek settles\n",
                 curve.mean_ms(), design.seek.settle_ms);
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

Json info_json(const drive::DriveDescription& description, const AccessModel& model) {
  const drive::Design& design = description.design;
  const mechanics::SeekCurve& curve = model.positioning().curve();
  Json zones = Json::array();
  for (std::size_t z = 0; z < design.zones.size(); ++z)
    zones.push_back(zone_json(model, design, z));
  Json seeks = Json::array();
  for (const std::uint32_t x : sample_distances(design.cylinders)) {
    seeks.push_back({{"cylinders", x},
                     {"read_ps", curve.time(x)},
                     {"write_ps", model.positioning().total(x, false, true)}});
  }
  Json info = {{"name", description.name},
               {"notes", description.notes},
               {"rpm", design.rpm},
               {"revolution_ms", model.rotation().period_ms()},
               {"rotational_latency",
                drive::name_of(drive::kRotationalLatencies, design.rotational_latency)},
               {"speed_error_ppm", description.specimen.speed_error_ppm},
               {"heads", design.heads},
               {"cylinders", design.cylinders},
               {"sector_bytes", design.sector_bytes},
               {"raw_sector_bytes", drive::raw_sector_bytes(design)},
               {"capacity_blocks", model.geometry().capacity()},
               {"capacity_bytes", model.geometry().capacity() * design.sector_bytes},
               {"physical_sectors", model.geometry().sector_count()},
               {"mapping", drive::name_of(drive::kMappings, design.mapping)},
               {"spare_location", drive::name_of(drive::kSpareLocations, design.sparing.location)},
               {"head_switch_ps", from_ms(design.head_switch_ms)},
               {"write_settle_ps", from_ms(design.write_settle_ms)},
               {"mean_seek_ms", curve.mean_ms()},
               {"settle_ms", design.seek.settle_ms},
               {"coast_cylinders_per_ms", design.seek.coast_cylinders_per_ms},
               {"buffer_bytes", design.buffer_bytes},
               {"bus",
                {{"width_bits", design.bus.width_bits},
                 {"sync_period_ns", design.bus.sync_period_ns},
                 {"sync_offset", design.bus.sync_offset}}},
               {"seek", seeks},
               {"zones", zones},
               {"source", description.published.source}};
  if (const auto& published = description.published.capacity_sectors) {
    info["published_capacity_blocks"] = *published;
  }
  return info;
}

std::string info_text(const drive::DriveDescription& description, const AccessModel& model) {
  const drive::Design& d = description.design;
  const geometry::Geometry& geometry = model.geometry();
  std::string text;
  const Out out = std::back_inserter(text);
  const double bytes = static_cast<double>(geometry.capacity()) * d.sector_bytes;
  fmt::format_to(out, "{}\n\n", description.name);
  fmt::format_to(out, "  capacity      {} blocks of {} bytes, {:.1f} MB\n",
                 grouped(geometry.capacity()), d.sector_bytes, bytes / 1e6);
  const auto& published = description.published.capacity_sectors;
  if (published && *published != geometry.capacity()) {
    fmt::format_to(out, "                published as {} blocks\n", grouped(*published));
  }
  fmt::format_to(out, "  geometry      {} cylinders, {} head{}, {} zone{}, mapping {}, spares {}\n",
                 grouped(d.cylinders), d.heads, d.heads == 1 ? "" : "s", d.zones.size(),
                 d.zones.size() == 1 ? "" : "s", drive::name_of(drive::kMappings, d.mapping),
                 drive::name_of(drive::kSpareLocations, d.sparing.location));
  fmt::format_to(
      out, "  rotation      {} rpm, {:.4f} ms a revolution{}{}\n", d.rpm,
      model.rotation().period_ms(),
      d.rotational_latency == drive::RotationalLatency::kMean ? ", latency always half of it" : "",
      description.specimen.speed_error_ppm != 0
          ? fmt::format(", this copy {:+} ppm", description.specimen.speed_error_ppm)
          : "");
  const std::string offset =
      d.write_offset_ms > 0 ? fmt::format("; write offset {:.3f} ms", d.write_offset_ms) : "";
  fmt::format_to(out, "  head switch   {:.3f} ms; write settle {:.3f} ms{}\n", d.head_switch_ms,
                 d.write_settle_ms, offset);
  fmt::format_to(out, "  channel       {} raw bytes a sector: {} data, {} check\n",
                 drive::raw_sector_bytes(d), d.sector_bytes, d.format.check_bytes);
  fmt::format_to(out, "  bus           {} bits, {} ns, offset {}; buffer {} bytes\n",
                 d.bus.width_bits, d.bus.sync_period_ns, d.bus.sync_offset,
                 grouped(d.buffer_bytes));
  print_zones(out, model, d);
  print_seeks(out, model, d);
  if (!description.notes.empty()) fmt::format_to(out, "\n  {}\n", description.notes);
  if (!description.published.source.empty()) {
    fmt::format_to(out, "  Source: {}\n", description.published.source);
  }
  return text;
}

Json plot_json(const drive::DriveDescription& description, const AccessModel& model) {
  const drive::Design& design = description.design;
  const mechanics::SeekCurve& curve = model.positioning().curve();
  Json info = info_json(description, model);
  Json times = Json::array();
  for (std::uint32_t x = 0; x < design.cylinders; ++x) times.push_back(to_ms(curve.time(x)));
  info["seek_curve_ms"] = times;
  Json rows = Json::array();
  for (const auto& [cylinders, ms] : design.seek.table) rows.push_back({cylinders, ms});
  info["seek_table_ms"] = rows;
  const drive::Published& published = description.published;
  Json points = Json::object();
  if (published.average_seek_ms) points["average_seek_ms"] = *published.average_seek_ms;
  if (published.single_cylinder_seek_ms) {
    points["single_cylinder_seek_ms"] = *published.single_cylinder_seek_ms;
  }
  if (published.full_stroke_seek_ms) points["full_stroke_seek_ms"] = *published.full_stroke_seek_ms;
  info["published"] = points;
  // The first tracks of every zone in the order of blocks, each with the angle at which it starts.
  Json layout = Json::array();
  for (const geometry::ZoneGrid& zone : model.geometry().zones()) {
    Json tracks = Json::array();
    const std::uint64_t tracks_in_zone =
        std::uint64_t{zone.last_cylinder - zone.first_cylinder + 1} * design.heads;
    const auto count = std::min<std::uint64_t>(tracks_in_zone, std::max(2 * design.heads, 12U));
    for (std::uint64_t t = 0; t < count; ++t) {
      const geometry::Chs at =
          model.geometry().sector_at(zone.first_sector_index + t * zone.sectors_per_track);
      tracks.push_back({{"cylinder", at.cylinder},
                        {"head", at.head},
                        {"start_angle", turn(model.geometry().sector_angle(at))}});
    }
    layout.push_back(tracks);
  }
  info["layout"] = layout;
  return info;
}

Json place_json(const AccessModel& model, const geometry::Chs& at) {
  const geometry::SectorContent content = model.geometry().content(at);
  Json json = {{"cylinder", at.cylinder},
               {"head", at.head},
               {"sector", at.sector},
               {"use", to_string(content.use)}};
  if (content.use == geometry::SectorUse::kNoSector) return json;
  const Turn32 angle = model.geometry().sector_angle(at);
  json["zone"] = *model.geometry().zone_of(at.cylinder);
  json["angle"] = turn(angle);
  json["angle_turn32"] = angle;
  json["sector_index"] = model.geometry().sector_index(at);
  if (content.use == geometry::SectorUse::kBlock) json["lba"] = content.lba;
  return json;
}

std::string place_text(const AccessModel& model, const geometry::Chs& at) {
  const geometry::SectorContent content = model.geometry().content(at);
  std::string text = fmt::format("cylinder {}, head {}, sector {}: {}", at.cylinder, at.head,
                                 at.sector, to_string(content.use));
  if (content.use == geometry::SectorUse::kNoSector) return text + "\n";
  if (content.use == geometry::SectorUse::kBlock) text += " " + grouped(content.lba);
  const std::uint32_t zone = *model.geometry().zone_of(at.cylinder);
  const Turn32 angle = model.geometry().sector_angle(at);
  return text + fmt::format(
                    "\n  zone {}, {} sectors a track, starts {:.6f} of a revolution after "
                    "the index (turn32 0x{:08x}), {:.4f} ms\n",
                    zone, model.geometry().zones()[zone].sectors_per_track, turn(angle), angle,
                    turn(angle) * model.rotation().period_ms());
}

Json access_json(const AccessModel& model, const AccessRequest& r) {
  const mechanics::Anatomy anatomy = model.access(r.start, r.lba, r.blocks, r.is_write);
  Json stretches = Json::array();
  for (const mechanics::Stretch& s : anatomy.stretches) stretches.push_back(stretch_json(s));
  return {{"operation", r.is_write ? "write" : "read"},
          {"lba", r.lba},
          {"blocks", r.blocks},
          {"start",
           {{"time_ps", r.start.time},
            {"cylinder", r.start.cylinder},
            {"head", r.start.head},
            {"angle", turn(model.rotation().angle(r.start.time))}}},
          {"stretches", stretches},
          {"total_ps", anatomy.total()},
          {"end_ps", anatomy.end()}};
}

std::string access_text(const drive::DriveDescription& description, const AccessModel& model,
                        const AccessRequest& r) {
  const mechanics::Anatomy anatomy = model.access(r.start, r.lba, r.blocks, r.is_write);
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(out, "{}: {} of {} block{} at LBA {}\n", description.name,
                 r.is_write ? "write" : "read", r.blocks, r.blocks == 1 ? "" : "s", grouped(r.lba));
  fmt::format_to(out, "  from cylinder {}, head {}, at {:.6f} ms, platter at {:.6f}\n\n",
                 r.start.cylinder, r.start.head, to_ms(r.start.time),
                 turn(model.rotation().angle(r.start.time)));
  fmt::format_to(out,
                 "  {:>11} {:>6} {:>8} {:>4} {:>6} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}\n",
                 "LBA", "blocks", "cylinder", "head", "sector", "seek", "settle", "head sw.",
                 "wr.settle", "rotation", "transfer", "total ms");
  for (const mechanics::Stretch& s : anatomy.stretches) {
    fmt::format_to(out,
                   "  {:>11} {:>6} {:>8} {:>4} {:>6} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} {:>9.4f} "
                   "{:>9.4f} {:>10.4f}\n",
                   grouped(s.lba), s.blocks, s.at.cylinder, s.at.head, s.at.sector,
                   to_ms(s.positioning.seek), to_ms(s.positioning.settle),
                   to_ms(s.positioning.head_switch), to_ms(s.positioning.write_settle),
                   to_ms(s.rotation), to_ms(s.transfer), to_ms(s.total()));
  }
  fmt::format_to(out, "\n  {:.6f} ms in all, ends at {:.6f} ms\n", to_ms(anatomy.total()),
                 to_ms(anatomy.end()));
  return text;
}

}  // namespace headstack::cli
