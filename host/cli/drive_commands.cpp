// SPDX-License-Identifier: Apache-2.0
#include "host/cli/drive_commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "host/cli/drive_report.hpp"
#include "host/cli/validators.hpp"
#include "host/options/catalog.hpp"
#include "host/output/json_text.hpp"
#include "host/output/message.hpp"
#include "host/output/output_file.hpp"
#include "host/output/shell_word.hpp"
#include "sim/channel/sector_codec.hpp"
#include "sim/description/fault.hpp"
#include "sim/drive/firmware_design.hpp"
#include "sim/drive/import.hpp"
#include "sim/drive/load.hpp"

namespace headstack::cli {
namespace {

namespace fs = std::filesystem;

// Limit of the parser for blocks, cylinders, heads and sectors. The drive sets the real limits.
constexpr std::uint64_t kLargestNumber = 4'294'967'295;

/// A loaded drive with its model. Warnings go to stderr if the command is about the file.
struct Drive {
  drive::DriveDescription description;
  mechanics::AccessModel model;

  explicit Drive(drive::DriveDescription from)
      : description(std::move(from)), model(description.design, description.specimen) {}
};

void print_warnings(const drive::Loaded& loaded) {
  for (const std::string& warning : loaded.warnings) {
    output::say("headstack: warning: {}\n", warning);
  }
}

Drive open_drive(const std::string& name) { return Drive(options::load_drive(name).description); }

void print(const Json& json) { output::print(fmt::format("{}\n", output::json_text(json, 2))); }

std::runtime_error out_of_range(const std::string& what, std::uint64_t value, std::uint64_t last) {
  return drive::FileError(
      fmt::format("{} {} lies past the drive's last, {}; give 0 .. {}", what, value, last, last));
}

/// The command `drive list`.
void run_list(bool json) {
  std::size_t width = 0;
  Json rows = Json::array();
  for (const std::string& name : options::drive_names()) width = std::max(width, name.size());
  for (const std::string& name : options::drive_names()) {
    const Drive drive = open_drive(name);
    const drive::Design& design = drive.description.design;
    const std::uint64_t bytes = drive.model.geometry().capacity() * design.sector_bytes;
    if (!json) {
      output::print(fmt::format("{:<{}}  {:>7.0f} MB  {:>6} rpm  {}\n", name, width,
                                static_cast<double>(bytes) / 1e6, design.rpm,
                                drive.description.name));
    }
    rows.push_back({{"drive", name},
                    {"name", drive.description.name},
                    {"capacity_bytes", bytes},
                    {"rpm", design.rpm}});
  }
  if (json) print(rows);
}

struct LocateOptions {
  std::string drive;
  std::uint64_t lba = 0;
  std::vector<std::uint32_t> chs;
  bool json = false;
  CLI::Option* lba_option = nullptr;
};

void run_locate(const LocateOptions& options) {
  const Drive drive = open_drive(options.drive);
  const geometry::Geometry& geometry = drive.model.geometry();
  geometry::Chs at;
  if (options.lba_option->count() > 0) {
    if (options.lba >= geometry.capacity()) {
      throw out_of_range("--lba", options.lba, geometry.capacity() - 1);
    }
    at = geometry.locate(options.lba).chs();
  } else {
    at = {options.chs[0], options.chs[1], options.chs[2]};
  }
  if (options.json) {
    print(place_json(drive.model, at));
  } else {
    output::print(place_text(drive.model, at));
  }
}

struct AccessOptions {
  std::string drive;
  std::uint64_t lba = 0;
  std::uint32_t blocks = 8;
  bool write = false;
  double at_ms = 0;
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  bool json = false;
};

void run_access(const AccessOptions& options) {
  const Drive drive = open_drive(options.drive);
  const geometry::Geometry& geometry = drive.model.geometry();
  const std::uint64_t last = geometry.capacity() - 1;
  if (options.lba > last) throw out_of_range("--lba", options.lba, last);
  if (options.blocks - 1 > last - options.lba) {
    throw out_of_range("the access's last block", options.lba + options.blocks - 1, last);
  }
  if (options.cylinder >= geometry.cylinder_count()) {
    throw out_of_range("--from-cylinder", options.cylinder, geometry.cylinder_count() - 1);
  }
  if (options.head >= geometry.head_count()) {
    throw out_of_range("--from-head", options.head, geometry.head_count() - 1);
  }
  const AccessRequest request{{from_ms(options.at_ms), options.cylinder, options.head},
                              options.lba,
                              options.blocks,
                              options.write};
  if (options.json) {
    print(access_json(drive.model, request));
  } else {
    output::print(access_text(drive.description, drive.model, request));
  }
}

struct ImportOptions {
  std::string file;
  std::string output;
  bool force = false;
};

/// The comment at the head of each file in sim/drives: licence, and the source of the numbers.
std::string header_of_import(const std::string& file, const drive::DriveDescription& description) {
  std::string source = description.published.source;
  if (source.empty()) source = "not told by the file; write it here";
  std::string origin =
      fmt::format("Imported from {}. Source: {}", fs::path(file).filename().string(), source);
  // A line break would end the comment.
  for (char& character : origin) {
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7F) character = ' ';
  }
  return fmt::format("# SPDX-License-Identifier: Apache-2.0\n# {}\n", origin);
}

void run_import(const ImportOptions& options) {
  const drive::Loaded loaded = drive::import_json(options.file);
  print_warnings(loaded);
  const std::string toml =
      header_of_import(options.file, loaded.description) + drive::to_toml(loaded.description);
  if (options.output.empty()) {
    output::print(toml);
    return;
  }
  if (!options.force && fs::exists(options.output)) {
    throw drive::FileError(fmt::format("{}: exists; give --force to overwrite it", options.output));
  }
  output::write_file(options.output, toml);
  const Drive drive(loaded.description);
  output::print(fmt::format("{}: {}, {} blocks\n", options.output, loaded.description.name,
                            grouped(drive.model.geometry().capacity())));
}

/// Checks, for `drive check`, what `run` refuses on all platforms: what the electronics cannot
/// handle, and what the firmware has no memory for.
void require_runnable(const std::string& name, const drive::DriveDescription& description) {
  const auto table = std::make_unique<::drive_design>();  // too large for a stack
  try {
    static_cast<void>(channel::layout_of(description.design));  // called for the errors that it
                                                                // throws
    drive::fill_firmware_design(description, *table);
  } catch (const drive::Fault& fault) {
    drive::throw_fault_in(options::find_drive(name), fault);
  }
}

/// Checks every file that is named, even after a bad one.
int run_check(const std::vector<std::string>& names) {
  int status = 0;
  for (const std::string& name : names) {
    try {
      const drive::Loaded loaded = options::load_drive(name);
      require_runnable(name, loaded.description);
      print_warnings(loaded);
      const Drive drive(loaded.description);
      output::print(fmt::format("{}: good: {}, {} blocks\n", name, loaded.description.name,
                                grouped(drive.model.geometry().capacity())));
    } catch (const drive::FileError& error) {
      output::say("headstack: error: {}\n", error.what());
      status = 1;
    }
  }
  return status;
}

struct PlotOptions {
  std::string drive;
  std::string folder = ".";
  std::string format = "png";
};

/// Plots a drive. Python draws the pictures from the numbers of `info --json`, which it gets by a
/// pipe.
void run_plot(const PlotOptions& options) {
  const Drive drive = open_drive(options.drive);
  const char* python = std::getenv("HEADSTACK_PYTHON");
  const fs::path script =
      options::drives_folder().parent_path().parent_path() / "host/plots/drive_plot.py";
  const std::string stem = options::find_drive(options.drive).stem().string();
  const std::string command =
      fmt::format("{} {} --out {} --stem {} --format {}",
                  output::shell_word(python != nullptr ? python : "python3"),
                  output::shell_word(script.string()), output::shell_word(options.folder),
                  output::shell_word(stem), options.format);
  std::FILE* pipe = ::popen(command.c_str(), "w");
  if (pipe == nullptr) throw drive::FileError("cannot start Python; run ./headstack setup");
  const std::string data = output::json_text(plot_json(drive.description, drive.model));
  const bool sent = std::fwrite(data.data(), 1, data.size(), pipe) == data.size();
  if (::pclose(pipe) != 0 || !sent) {
    throw drive::FileError("no picture was drawn; the message above gives the reason");
  }
}

CLI::Option* add_drive_argument(CLI::App* command, std::string& name) {
  return command
      ->add_option("drive", name, "name of a drive in `drive list`, or path of a .toml file")
      ->required()
      ->type_name("DRIVE");
}

void add_list_and_info(CLI::App& group) {
  auto list_json = std::make_shared<bool>(false);
  CLI::App* list = group.add_subcommand("list", "list the drives that come with headstack");
  list->add_flag("--json", *list_json, "print the result as JSON");
  list->callback([list_json] { run_list(*list_json); });

  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* info = group.add_subcommand("info", "print geometry, zones, rates and seek times");
  add_drive_argument(info, *name);
  info->add_flag("--json", *json, "print the result as JSON");
  info->callback([name, json] {
    const Drive drive = open_drive(*name);
    if (*json) {
      print(info_json(drive.description, drive.model));
    } else {
      output::print(info_text(drive.description, drive.model));
    }
  });
}

void add_locate(CLI::App& group) {
  auto options = std::make_shared<LocateOptions>();
  CLI::App* locate = group.add_subcommand(
      "locate", "print a block's physical address and angle, or the block at a physical address");
  add_drive_argument(locate, options->drive);
  CLI::Option_group* which = locate->add_option_group("place");
  options->lba_option = which->add_option("--lba", options->lba, "logical block address, from 0")
                            ->transform(whole_number(0, kLargestNumber));
  which->add_option("--chs", options->chs, "physical address: cylinder,head,sector")
      ->delimiter(',')
      ->expected(3)
      ->transform(whole_number(0, kLargestNumber));
  which->require_option(1);
  locate->add_flag("--json", options->json, "print the result as JSON");
  locate->callback([options] { run_locate(*options); });
}

void add_access(CLI::App& group) {
  auto options = std::make_shared<AccessOptions>();
  CLI::App* access = group.add_subcommand("access", "time one access and print its phases");
  add_drive_argument(access, options->drive);
  access->add_option("--lba", options->lba, "first logical block")
      ->required()
      ->transform(whole_number(0, kLargestNumber));
  access->add_option("--blocks", options->blocks, "number of blocks")
      ->capture_default_str()
      ->transform(whole_number(1, 16'777'216));
  access->add_flag("--write", options->write, "the access is a write instead of a read");
  access->add_option("--at-ms", options->at_ms, "start time in ms; the index passes at 0")
      ->capture_default_str()
      ->check(finite_number(0, 86'400'000));
  access->add_option("--from-cylinder", options->cylinder, "cylinder of the heads at the start")
      ->capture_default_str()
      ->transform(whole_number(0, kLargestNumber));
  access->add_option("--from-head", options->head, "selected head at the start")
      ->capture_default_str()
      ->transform(whole_number(0, kLargestNumber));
  access->add_flag("--json", options->json, "print the result as JSON, times in picoseconds");
  access->callback([options] { run_access(*options); });
}

void add_files(CLI::App& group, int& status) {
  auto import = std::make_shared<ImportOptions>();
  CLI::App* command =
      group.add_subcommand("import", "make a description from a JSON file of drive facts");
  command->add_option("file", import->file, "JSON file of drive facts")
      ->required()
      ->type_name("FILE.json");
  command->add_option("-o,--out,--output", import->output,
                      "TOML file to write (default: standard output)");
  command->add_flag("--force", import->force, "overwrite an existing output file");
  command->callback([import] { run_import(*import); });

  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* check =
      group.add_subcommand("check", "check descriptions, and report the first fault of each");
  check->add_option("drives", *names, "names of drives in `drive list`, or paths of .toml files")
      ->required()
      ->type_name("DRIVE");
  check->callback([names, &status] { status = run_check(*names); });
}

void add_keys(CLI::App& group) {
  group.add_subcommand("keys", "list every key of a drive file, with bounds and meaning")
      ->callback([] { output::print(drive::list_keys()); });
}

void add_plot(CLI::App& group) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* plot = group.add_subcommand("plot", "draw seek curve, zones and angular layout");
  add_drive_argument(plot, options->drive);
  plot->add_option("-o,--out", options->folder, "folder for the pictures")->capture_default_str();
  plot->add_option("--format", options->format, "picture format: png or svg")
      ->capture_default_str()
      ->check(CLI::IsMember({"png", "svg"}));
  plot->callback([options] { run_plot(*options); });
}

}  // namespace

void add_drive_commands(CLI::App& app, int& status) {
  CLI::App* group =
      app.add_subcommand("drive", "drive descriptions: show, check, time, draw, import");
  group->require_subcommand(1);
  add_list_and_info(*group);
  add_locate(*group);
  add_access(*group);
  add_plot(*group);
  add_files(*group, status);
  add_keys(*group);
}

}  // namespace headstack::cli
