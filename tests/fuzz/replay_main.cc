// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target on files and folders of files, without libFuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void Replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

int ReplayAll(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) {
    Replay(path);
    return 1;
  }
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    count += ReplayAll(entry.path());
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) count += ReplayAll(argv[i]);
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
