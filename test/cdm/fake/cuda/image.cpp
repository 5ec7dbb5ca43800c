// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image.h"

#include <cstdint>
#include <cstring>

namespace fake {

namespace {

constexpr char magic[] = "fake image of CUDA";

struct Sizes {
  std::uint64_t text, options, isBinary, capability;
};

}  // namespace

std::string Image::bytes() const {
  const Sizes sizes{text.size(), options.size(), isBinary ? 1u : 0u, capability};
  std::string made(magic, sizeof magic);
  made.append(reinterpret_cast<const char*>(&sizes), sizeof sizes);
  return made + text + options;
}

std::optional<Image> Image::read(const void* bytes) {
  const auto* at = static_cast<const char*>(bytes);
  if (std::strncmp(at, magic, sizeof magic) != 0) return std::nullopt;
  Sizes sizes{};
  std::memcpy(&sizes, at + sizeof magic, sizeof sizes);
  at += sizeof magic + sizeof sizes;
  return Image{std::string(at, sizes.text), std::string(at + sizes.text, sizes.options), sizes.isBinary != 0,
               static_cast<unsigned>(sizes.capability)};
}

}  // namespace fake
