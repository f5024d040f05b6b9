// SPDX-License-Identifier: Apache-2.0
// Reads the reference results: comma-separated, a header line, fields by column name.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace headstack::test {

class CsvRow {
 public:
  CsvRow(const std::map<std::string, std::size_t>& columns, std::vector<std::string> fields)
      : columns_(&columns), fields_(std::move(fields)) {}
  const std::string& text(const std::string& column) const {
    return fields_.at(columns_->at(column));
  }
  double number(const std::string& column) const { return std::stod(text(column)); }
  std::uint64_t integer(const std::string& column) const { return std::stoull(text(column)); }

 private:
  const std::map<std::string, std::size_t>* columns_;
  std::vector<std::string> fields_;
};

class Csv {
 public:
  explicit Csv(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    for (const std::string& name : split(line)) columns_.emplace(name, columns_.size());
    while (std::getline(stream, line)) rows_.emplace_back(columns_, split(line));
  }
  Csv(const Csv&) = delete;
  Csv& operator=(const Csv&) = delete;
  const std::vector<CsvRow>& rows() const { return rows_; }

 private:
  static std::vector<std::string> split(std::string line) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    return fields;
  }
  std::map<std::string, std::size_t> columns_;
  std::vector<CsvRow> rows_;
};

}  // namespace headstack::test
