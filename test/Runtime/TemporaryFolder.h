//===- TemporaryFolder.h - A folder that a test leaves nothing of *- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TEST_RUNTIME_TEMPORARYFOLDER_H
#define LGC_TEST_RUNTIME_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lgc-XXXXXX").string();
    location = mkdtemp(&pattern[0]);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(location); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &path() const { return location; }

  /// Writes a file and returns its path.
  std::string write(const std::string &name, const std::string &bytes) const {
    std::string file = location + "/" + name;
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

  std::string read(const std::string &name) const {
    std::stringstream text;
    text << std::ifstream(location + "/" + name, std::ios::binary).rdbuf();
    return text.str();
  }

private:
  std::string location;
};

#endif // LGC_TEST_RUNTIME_TEMPORARYFOLDER_H
