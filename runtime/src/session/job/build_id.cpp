// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Build ids from the notes of loaded objects.
#include "session/job/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

namespace muster::rt {
namespace {

struct Search {
  const void* inside = nullptr;  // an address in the object, nullptr for the program itself
  std::string buildId, file;
  bool found = false;
};

std::string noteId(const char* at, std::size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::size_t name = (note.n_namesz + 3u) & ~std::size_t{3};
    const std::size_t body = (note.n_descsz + 3u) & ~std::size_t{3};
    if (sizeof note + name + body > bytes) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(at + sizeof note, "GNU", 4) == 0) {
      std::string text;
      for (unsigned i = 0; i < note.n_descsz; ++i)
        text += fmt::format("{:02x}", static_cast<unsigned char>(at[sizeof note + name + i]));
      return text;
    }
    at += sizeof note + name + body;
    bytes -= sizeof note + name + body;
  }
  return {};
}

bool holds(const dl_phdr_info& object, const void* address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const auto start = object.dlpi_addr + segment.p_vaddr;
    const auto at = reinterpret_cast<ElfW(Addr)>(address);
    if (segment.p_type == PT_LOAD && at >= start && at < start + segment.p_memsz) return true;
  }
  return false;
}

int visit(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (search.inside != nullptr && !holds(*object, search.inside)) return 0;  // the program comes first
  search.found = true;
  search.file = object->dlpi_name != nullptr ? object->dlpi_name : "";
  for (int i = 0; i < object->dlpi_phnum && search.buildId.empty(); ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search.buildId = noteId(reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return 1;
}

// FNV-1a over the file's contents.
std::string hashOf(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325;
  std::vector<char> block(65536);  // stacks may be small
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    for (std::streamsize i = 0; i < in.gcount(); ++i)
      hash = (hash ^ static_cast<unsigned char>(block[static_cast<std::size_t>(i)])) * 0x100000001b3;
  }
  return fmt::format("hash-{:016x}", hash);
}

std::string buildIdAt(const void* inside) {
  Search search{.inside = inside, .buildId = {}, .file = {}, .found = false};
  dl_iterate_phdr(visit, &search);
  if (!search.buildId.empty()) return search.buildId;
  return hashOf(search.found && !search.file.empty() ? search.file : "/proc/self/exe");
}

}  // namespace

std::string executableBuildId() { return buildIdAt(nullptr); }

std::string runtimeBuildId() { return buildIdAt(reinterpret_cast<const void*>(&runtimeBuildId)); }

}  // namespace muster::rt
