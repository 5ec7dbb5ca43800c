// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File format: magic, hash of the key, hash and size of the binary, the binary.
#include "stream/binary_cache.h"
#include "muster/cdm/file.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <cstdint>
#include <cstring>

namespace muster::cdm {

namespace {

struct Header {
  char magic[8];
  std::uint64_t keyHash[2];
  std::uint64_t binaryHash;
  std::uint64_t binarySize;
};
constexpr char magic[8] = {'M', 'S', 'T', 'R', 'B', 'I', 'N', '1'};

Header headerFor(const std::string& key, const std::string& binary) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  Header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.keyHash[0] = hash.low64;
  header.keyHash[1] = hash.high64;
  header.binaryHash = XXH3_64bits(binary.data(), binary.size());
  header.binarySize = binary.size();
  return header;
}

}  // namespace

std::filesystem::path BinaryCache::fileFor(const std::string& key) const {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return directory_ / fmt::format("{}-{:016x}{:016x}.bin", prefix_, hash.high64, hash.low64);
}

std::string BinaryCache::load(const std::string& key) const {
  if (directory_.empty()) return "";
  const std::string file = readFile(fileFor(key));
  Header found{};
  if (file.size() <= sizeof found) return "";
  std::memcpy(&found, file.data(), sizeof found);
  std::string binary = file.substr(sizeof found);
  const Header expected = headerFor(key, binary);
  return std::memcmp(&found, &expected, sizeof found) == 0 ? binary : "";
}

void BinaryCache::store(const std::string& key, const std::string& binary) {
  if (directory_.empty() || binary.empty()) return;
  const Header header = headerFor(key, binary);
  std::string file(reinterpret_cast<const char*>(&header), sizeof header);
  file += binary;
  const Status written = replaceFile(fileFor(key), file);
  if (!written.ok() && !warned_ && warn_) warn_(written.message() + "; programs are compiled at every start");
  warned_ |= !written.ok();
}

}  // namespace muster::cdm
