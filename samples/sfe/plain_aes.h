// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AES-128 straight from FIPS 197, byte by byte, on the host. It shares nothing with the circuit or the bitsliced
// version (its S-box is computed from inverses in GF(2^8)), because both are checked against it.
#pragma once

#include <array>
#include <cstdint>

class PlainAes {
 public:
  using Block = std::array<uint8_t, 16>;

  explicit PlainAes(const Block& key) {
    makeBox();
    keys_[0] = key;
    uint8_t constant = 1;
    for (int round = 1; round <= 10; ++round) {
      const Block& before = keys_[round - 1];
      Block& now = keys_[round];
      for (int i = 0; i < 16; ++i) {
        uint8_t carried = i >= 4 ? now[i - 4] : box_[before[12 + (i + 1) % 4]];
        if (i == 0) carried ^= constant;
        now[i] = before[i] ^ carried;
      }
      constant = times2(constant);
    }
  }

  const Block& roundKey(int round) const { return keys_[round]; }

  Block encrypt(Block state) const {
    add(state, keys_[0]);
    for (int round = 1; round <= 10; ++round) {
      Block shifted;
      for (int i = 0; i < 16; ++i) shifted[i] = box_[state[(i + 4 * (i % 4)) % 16]];
      state = shifted;
      if (round < 10)
        for (int i = 0; i < 16; ++i) {
          const int column = i / 4 * 4, row = i % 4;
          const uint8_t a = shifted[i], b = shifted[column + (row + 1) % 4];
          state[i] = times2(a ^ b) ^ b ^ shifted[column + (row + 2) % 4] ^ shifted[column + (row + 3) % 4];
        }
      add(state, keys_[round]);
    }
    return state;
  }

 private:
  static uint8_t times2(uint8_t a) { return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0)); }

  static uint8_t times(uint8_t a, uint8_t b) {
    uint8_t product = 0;
    for (; b; b >>= 1, a = times2(a))
      if (b & 1) product ^= a;
    return product;
  }

  static void add(Block& state, const Block& key) {
    for (int i = 0; i < 16; ++i) state[i] ^= key[i];
  }

  void makeBox() {
    for (int x = 0; x < 256; ++x) {
      uint8_t inverse = 1;  // x^254
      for (int i = 0; i < 254; ++i) inverse = times(inverse, (uint8_t)x);
      uint8_t y = 0x63;
      for (int turn = 0; turn < 5; ++turn) y ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
      box_[x] = y;
    }
  }

  std::array<uint8_t, 256> box_;
  std::array<Block, 11> keys_;
};
