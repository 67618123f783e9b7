// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/file_pages.h"

#include <link.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace xebec::telemetry {
namespace {

constexpr uintptr_t kPage = 4096;

/// A segment that was never writable has no page that differs from its file. Errors do not matter:
/// the pages stay.
void Release(uintptr_t base, const ElfW(Phdr) & segment) {
  if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) return;
  const uintptr_t begin = (base + segment.p_vaddr) & ~(kPage - 1);
  const uintptr_t end = (base + segment.p_vaddr + segment.p_memsz + kPage - 1) & ~(kPage - 1);
  // The dynamic linker gives addresses as numbers.
  auto* address = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
  madvise(address, end - begin, MADV_DONTNEED);
}

int ReleaseObject(dl_phdr_info* object, size_t, void*) {
  for (ElfW(Half) i = 0; i < object->dlpi_phnum; ++i) {
    Release(object->dlpi_addr, object->dlpi_phdr[i]);
  }
  return 0;
}

}  // namespace

void ReleaseFilePages() { dl_iterate_phdr(ReleaseObject, nullptr); }

}  // namespace xebec::telemetry
