// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/file_pages.h"

#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace xebec::telemetry {
namespace {

/// Resident pages of files, in KiB.
long FilePages() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "RssFile:") continue;
    status >> word;
    return std::stol(word);
  }
  return 0;
}

// Data that the dynamic linker has written to, such as the addresses in this table, must stay.
const char* const kTable[] = {"a", "b"};

TEST(FilePages, AreUnmappedAndMappedAgainWhenTheyAreRead) {
  const long before = FilePages();
  ReleaseFilePages();
  EXPECT_LT(FilePages(), before);
  EXPECT_EQ(std::string(kTable[1]), "b");
  EXPECT_EQ(std::to_string(std::stol("12")), "12") << "code of libraries is mapped again";
}

}  // namespace
}  // namespace xebec::telemetry
