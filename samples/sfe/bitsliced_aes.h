// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AES-128 under a fixed key, four blocks at a time, bitsliced: no tables, so that it is as good on a GPU as on a CPU.
//
// Word b of the slice holds bit b of all 64 bytes. The byte in row r and column c of block k is bit 16 r + 4 c + k of
// each word: rows are 16 bits wide, columns are nibbles, blocks are the bits of a nibble.
#pragma once

#include <cstdint>

#include "aes_sbox.h"

// Exchanges the bits of `high` that `mask` names with those of `low` that lie `shift` further left.
inline void exchange(uint64_t* low, uint64_t* high, uint64_t mask, int shift) {
  const uint64_t difference = ((*low >> shift) ^ *high) & mask;
  *high ^= difference;
  *low ^= difference << shift;
}

// Turns eight words of bytes into eight words of bits, and back: an 8 x 8 transposition of each byte position.
inline void transpose(uint64_t q[8]) {
  for (int i = 0; i < 8; i += 2) exchange(&q[i], &q[i + 1], 0x5555555555555555u, 1);
  for (int i = 0; i < 8; i += 4) {
    exchange(&q[i], &q[i + 2], 0x3333333333333333u, 2);
    exchange(&q[i + 1], &q[i + 3], 0x3333333333333333u, 2);
  }
  for (int i = 0; i < 4; ++i) exchange(&q[i], &q[i + 4], 0x0f0f0f0f0f0f0f0fu, 4);
}

// The four bytes of a column, lowest first, each to the lower half of 16 bits.
inline uint64_t spreadBytes(uint32_t column) {
  uint64_t x = column;
  x = (x | x << 16) & 0x0000ffff0000ffffu;
  return (x | x << 8) & 0x00ff00ff00ff00ffu;
}

inline uint32_t collectBytes(uint64_t x) {
  x &= 0x00ff00ff00ff00ffu;
  x = (x | x >> 8) & 0x0000ffff0000ffffu;
  return (uint32_t)(x | x >> 16);
}

// Columns 0 and 2 of a block share a word, 1 and 3 another: after the transposition the columns are in order.
inline void sliceBlocks(const uint64_t blocks[8], uint64_t q[8]) {
  for (int k = 0; k < 4; ++k) {
    const uint64_t low = blocks[2 * k], high = blocks[2 * k + 1];
    q[k] = spreadBytes((uint32_t)low) | spreadBytes((uint32_t)high) << 8;
    q[k + 4] = spreadBytes((uint32_t)(low >> 32)) | spreadBytes((uint32_t)(high >> 32)) << 8;
  }
  transpose(q);
}

inline void unsliceBlocks(uint64_t q[8], uint64_t blocks[8]) {
  transpose(q);
  for (int k = 0; k < 4; ++k) {
    blocks[2 * k] = collectBytes(q[k]) | (uint64_t)collectBytes(q[k + 4]) << 32;
    blocks[2 * k + 1] = collectBytes(q[k] >> 8) | (uint64_t)collectBytes(q[k + 4] >> 8) << 32;
  }
}

inline uint64_t rotateRight(uint64_t x, int by) { return x >> by | x << (64 - by); }

inline void shiftRows(uint64_t q[8]) {
  for (int i = 0; i < 8; ++i) {
    const uint64_t x = q[i];
    q[i] = (x & 0x000000000000ffffu) |                                         // row 0 stays
           (x & 0x00000000fff00000u) >> 4 | (x & 0x00000000000f0000u) << 12 |  // row 1 by one column
           (x & 0x0000ff0000000000u) >> 8 | (x & 0x000000ff00000000u) << 8 |   // row 2 by two
           (x & 0xf000000000000000u) >> 12 | (x & 0x0fff000000000000u) << 4;   // row 3 by three
  }
}

// Each byte becomes 2 (a ^ b) ^ b ^ c ^ d, where b, c, d are the next rows' bytes of its column.
inline void mixColumns(uint64_t q[8]) {
  uint64_t sum[8], rest[8];
  for (int i = 0; i < 8; ++i) {
    const uint64_t next = rotateRight(q[i], 16);
    sum[i] = q[i] ^ next;
    rest[i] = next ^ rotateRight(sum[i], 32);
  }
  // Doubling in GF(2^8): a shift, and 0x1b where a bit falls out.
  q[0] = rest[0] ^ sum[7];
  q[1] = rest[1] ^ sum[0] ^ sum[7];
  q[2] = rest[2] ^ sum[1];
  q[3] = rest[3] ^ sum[2] ^ sum[7];
  q[4] = rest[4] ^ sum[3] ^ sum[7];
  q[5] = rest[5] ^ sum[4];
  q[6] = rest[6] ^ sum[5];
  q[7] = rest[7] ^ sum[6];
}

constexpr int rounds = 10;

// blocks: four blocks of two words (bytes lowest first); keys: the round keys, sliced, eight words each.
inline void encryptFour(uint64_t blocks[8], const uint64_t* keys) {
  uint64_t q[8];
  sliceBlocks(blocks, q);
  for (int i = 0; i < 8; ++i) q[i] ^= keys[i];
  for (int round = 1; round <= rounds; ++round) {
    substitute(q);
    shiftRows(q);
    if (round < rounds) mixColumns(q);
    for (int i = 0; i < 8; ++i) q[i] ^= keys[8 * round + i];
  }
  unsliceBlocks(q, blocks);
}
