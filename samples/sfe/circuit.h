// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boolean circuits of XOR and AND gates, built gate by gate, then sorted into levels whose gates are independent; and
// the circuit of AES-128 with its key schedule.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include "aes_sbox.h"

// Gates [first, first + ands + xors): the AND gates of a level come first.
struct Level {
  int first, ands, xors;
  int andsBefore;  // AND gates of all earlier levels
};

// Wires: the inputs, then the output of each gate, in order. A wire number fits 16 bits.
struct LevelledCircuit {
  int inputs = 0, gates = 0, ands = 0;
  std::vector<Level> levels;
  std::vector<uint16_t> left, right;  // the wires that each gate reads
  std::vector<uint16_t> outputs;
};

class CircuitBuilder {
 public:
  // A wire knows its builder, so that formulas over wires build gates.
  struct Wire {
    CircuitBuilder* builder = nullptr;
    int number = 0;
    Wire operator^(Wire other) const { return builder->gate(false, number, other.number); }
    Wire operator&(Wire other) const { return builder->gate(true, number, other.number); }
    Wire operator~() const { return *this ^ builder->one(); }  // no gate of its own: XOR is free
  };

  explicit CircuitBuilder(int inputs) : inputs_(inputs + 1) {}
  Wire input(int index) { return {this, index}; }
  Wire one() { return {this, inputs_ - 1}; }  // the last input: its value is 1

  LevelledCircuit levelled(const std::vector<Wire>& outputs) const {
    // A gate's level is one more than the highest of its inputs'; within a level, AND gates first.
    std::vector<int> depth(inputs_ + gates_.size(), 0);
    std::map<int, std::array<std::vector<int>, 2>> byLevel;
    for (size_t g = 0; g < gates_.size(); ++g) {
      const Gate& gate = gates_[g];
      const int level = 1 + std::max(depth[gate.left], depth[gate.right]);
      depth[inputs_ + g] = level;
      byLevel[level][gate.isAnd ? 0 : 1].push_back((int)g);
    }
    LevelledCircuit result;
    result.inputs = inputs_;
    std::vector<int> newNumber(depth.size());
    for (int wire = 0; wire < inputs_; ++wire) newNumber[wire] = wire;
    for (const auto& [level, kinds] : byLevel) {
      result.levels.push_back({result.gates, (int)kinds[0].size(), (int)kinds[1].size(), result.ands});
      for (const std::vector<int>& kind : kinds)
        for (int g : kind) {
          newNumber[inputs_ + g] = inputs_ + result.gates++;
          result.left.push_back(wireNumber(newNumber[gates_[g].left]));
          result.right.push_back(wireNumber(newNumber[gates_[g].right]));
        }
      result.ands += (int)kinds[0].size();
    }
    for (Wire output : outputs) result.outputs.push_back(wireNumber(newNumber[output.number]));
    return result;
  }

 private:
  struct Gate {
    bool isAnd;
    int left, right;
  };

  Wire gate(bool isAnd, int left, int right) {
    gates_.push_back({isAnd, left, right});
    return {this, inputs_ + (int)gates_.size() - 1};
  }

  static uint16_t wireNumber(int number) {
    if (number > UINT16_MAX) throw std::length_error("a wire's number does not fit 16 bits");
    return (uint16_t)number;
  }

  int inputs_;
  std::vector<Gate> gates_;
};

// Inputs 0 to 127: the key, 128 to 255: the block; bytes in order, lowest bit first. Outputs: the encrypted block.
inline LevelledCircuit aesCircuit() {
  using Wire = CircuitBuilder::Wire;
  using Byte = std::array<Wire, 8>;
  using State = std::array<Byte, 16>;
  CircuitBuilder builder(256);
  const auto add = [](const Byte& a, const Byte& b) {
    Byte sum;
    for (int bit = 0; bit < 8; ++bit) sum[bit] = a[bit] ^ b[bit];
    return sum;
  };
  const auto doubled = [](const Byte& a) {
    return Byte{a[7], a[0] ^ a[7], a[1], a[2] ^ a[7], a[3] ^ a[7], a[4], a[5], a[6]};
  };
  State key, state;
  for (int i = 0; i < 16; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      key[i][bit] = builder.input(8 * i + bit);
      state[i][bit] = builder.input(128 + 8 * i + bit);
    }
  int constant = 1;
  for (int i = 0; i < 16; ++i) state[i] = add(state[i], key[i]);
  for (int round = 1; round <= 10; ++round) {
    State next;
    for (int i = 0; i < 16; ++i) {  // the key schedule
      Byte carried = i >= 4 ? next[i - 4] : key[12 + (i + 1) % 4];
      if (i < 4) substitute(carried.data());
      if (i == 0)
        for (int bit = 0; bit < 8; ++bit)
          if (constant >> bit & 1) carried[bit] = ~carried[bit];
      next[i] = add(key[i], carried);
    }
    key = next;
    constant = constant & 0x80 ? constant << 1 ^ 0x11b : constant << 1;
    for (int i = 0; i < 16; ++i) {
      next[i] = state[(i + 4 * (i % 4)) % 16];
      substitute(next[i].data());
    }
    state = next;
    if (round < 10)
      for (int column = 0; column < 16; column += 4) {
        const Byte whole = add(add(next[column], next[column + 1]), add(next[column + 2], next[column + 3]));
        for (int row = 0; row < 4; ++row) {
          const Byte &a = next[column + row], &b = next[column + (row + 1) % 4];
          state[column + row] = add(add(a, whole), doubled(add(a, b)));
        }
      }
    for (int i = 0; i < 16; ++i) state[i] = add(state[i], key[i]);
  }
  std::vector<Wire> outputs;
  for (const Byte& byte : state) outputs.insert(outputs.end(), byte.begin(), byte.end());
  return builder.levelled(outputs);
}
