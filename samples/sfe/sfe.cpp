// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Secure function evaluation with garbled circuits: one party knows a key, the other a message, and together they
// compute AES-128 of both without telling each other. This program plays both: it garbles many copies of the circuit
// (half gates: S. Zahur, M. Rosulek, D. Evans, 2015; XOR gates are free), evaluates them on labels only, decodes, and
// compares with AES computed directly. Arguments: copies of the circuit, steps.
#include <algorithm>
#include <memory>

#include "bitsliced_aes.h"
#include "circuit.h"
#include "plain_aes.h"
#include "sample.h"

namespace {

// Labels of one copy of the circuit: one of two words for each number that a wire can have.
constexpr size_t wiresPerCopy = 65536;

struct Label {
  uint64_t low, high;
};

// A generator that gives each place its own numbers, so that places can be filled in parallel. A real garbler would
// take a cryptographic one.
inline uint64_t randomAt(uint64_t seed, uint64_t place) {
  uint64_t x = seed + place * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Puts 2 label ^ tweak (doubled in GF(2^128)) into place k of four blocks.
inline void prepareHash(uint64_t blocks[8], int k, uint64_t low, uint64_t high, uint64_t tweak) {
  blocks[2 * k] = (low << 1 ^ (high >> 63) * 0x87u) ^ tweak;
  blocks[2 * k + 1] = high << 1 | low >> 63;
}

// The correlation-robust hash of half gates from a fixed-key permutation p: p(x) ^ x, for four x at once.
inline void hashFour(uint64_t blocks[8], const uint64_t* keys) {
  uint64_t before[8];
  for (int i = 0; i < 8; ++i) before[i] = blocks[i];
  encryptFour(blocks, keys);
  for (int i = 0; i < 8; ++i) blocks[i] ^= before[i];
}

// Labels for value 0 of the input wires.
void drawInputLabels(uint64_t* labels, int copies, int inputs, uint64_t seed) {
#pragma omp parallel for collapse(2)
  for (int c = 0; c < copies; ++c)
    for (int w = 0; w < inputs; ++w) {
      const uint64_t place = 2 * ((uint64_t)c * inputs + w);
      labels[2 * (c * wiresPerCopy + w)] = randomAt(seed, place);
      labels[2 * (c * wiresPerCopy + w) + 1] = randomAt(seed, place + 1);
    }
}

// XOR gates [begin, end) of all copies, by the garbler and by the evaluator alike.
void xorGates(uint64_t* labels, const uint16_t* left, const uint16_t* right, int copies, int inputs, int begin,
              int end) {
#pragma omp parallel for collapse(2)
  for (int c = 0; c < copies; ++c)
    for (int g = begin; g < end; ++g) {
      const size_t a = 2 * (c * wiresPerCopy + left[g]), b = 2 * (c * wiresPerCopy + right[g]);
      labels[2 * (c * wiresPerCopy + inputs + g)] = labels[a] ^ labels[b];
      labels[2 * (c * wiresPerCopy + inputs + g) + 1] = labels[a + 1] ^ labels[b + 1];
    }
}

// AND gates [begin, end) of all copies: the label for value 0 of each output, and two rows of two words for the
// evaluator. `ands` is the number of AND gates in a copy; gate g is number g - skipped among them.
void garbleAnds(uint64_t* labels, uint64_t* tables, const uint16_t* left, const uint16_t* right, const uint64_t* keys,
                int copies, int inputs, int ands, int begin, int end, int skipped, Label offset) {
  const uint64_t offsetLow = offset.low, offsetHigh = offset.high;
#pragma omp parallel for collapse(2)
  for (int c = 0; c < copies; ++c)
    for (int g = begin; g < end; ++g) {
      const size_t a = 2 * (c * wiresPerCopy + left[g]), b = 2 * (c * wiresPerCopy + right[g]);
      const uint64_t aLow = labels[a], aHigh = labels[a + 1], bLow = labels[b], bHigh = labels[b + 1];
      const uint64_t tweak = 2 * ((uint64_t)c * ands + g - skipped);
      uint64_t hashes[8];
      prepareHash(hashes, 0, aLow, aHigh, tweak);
      prepareHash(hashes, 1, aLow ^ offsetLow, aHigh ^ offsetHigh, tweak);
      prepareHash(hashes, 2, bLow, bHigh, tweak + 1);
      prepareHash(hashes, 3, bLow ^ offsetLow, bHigh ^ offsetHigh, tweak + 1);
      hashFour(hashes, keys);
      // All ones where the permute bit of the label is set.
      const uint64_t permuteA = 0 - (aLow & 1), permuteB = 0 - (bLow & 1);
      const uint64_t garblerLow = hashes[0] ^ hashes[2] ^ (permuteB & offsetLow);
      const uint64_t garblerHigh = hashes[1] ^ hashes[3] ^ (permuteB & offsetHigh);
      const uint64_t evaluatorLow = hashes[4] ^ hashes[6] ^ aLow, evaluatorHigh = hashes[5] ^ hashes[7] ^ aHigh;
      tables[4 * ((size_t)c * ands + g - skipped)] = garblerLow;
      tables[4 * ((size_t)c * ands + g - skipped) + 1] = garblerHigh;
      tables[4 * ((size_t)c * ands + g - skipped) + 2] = evaluatorLow;
      tables[4 * ((size_t)c * ands + g - skipped) + 3] = evaluatorHigh;
      labels[2 * (c * wiresPerCopy + inputs + g)] =
          hashes[0] ^ (permuteA & garblerLow) ^ hashes[4] ^ (permuteB & (evaluatorLow ^ aLow));
      labels[2 * (c * wiresPerCopy + inputs + g) + 1] =
          hashes[1] ^ (permuteA & garblerHigh) ^ hashes[5] ^ (permuteB & (evaluatorHigh ^ aHigh));
    }
}

// The evaluator's side: one label per wire, and no knowledge of which value it stands for.
void evaluateAnds(uint64_t* active, const uint64_t* tables, const uint16_t* left, const uint16_t* right,
                  const uint64_t* keys, int copies, int inputs, int ands, int begin, int end, int skipped) {
#pragma omp parallel for collapse(2)
  for (int c = 0; c < copies; ++c)
    for (int g = begin; g < end; ++g) {
      const size_t a = 2 * (c * wiresPerCopy + left[g]), b = 2 * (c * wiresPerCopy + right[g]);
      const uint64_t aLow = active[a], aHigh = active[a + 1], bLow = active[b], bHigh = active[b + 1];
      const size_t row = 4 * ((size_t)c * ands + g - skipped);
      const uint64_t tweak = row / 2;
      uint64_t hashes[8] = {};  // two of the four blocks are not needed
      prepareHash(hashes, 0, aLow, aHigh, tweak);
      prepareHash(hashes, 1, bLow, bHigh, tweak + 1);
      hashFour(hashes, keys);
      const uint64_t chooseA = 0 - (aLow & 1), chooseB = 0 - (bLow & 1);
      active[2 * (c * wiresPerCopy + inputs + g)] =
          hashes[0] ^ (chooseA & tables[row]) ^ hashes[2] ^ (chooseB & (tables[row + 2] ^ aLow));
      active[2 * (c * wiresPerCopy + inputs + g) + 1] =
          hashes[1] ^ (chooseA & tables[row + 1]) ^ hashes[3] ^ (chooseB & (tables[row + 3] ^ aHigh));
    }
}

// The labels that stand for the inputs' values: what oblivious transfer would hand to the evaluator.
void chooseInputs(const uint64_t* labels, uint64_t* active, const unsigned char* bits, int copies, int inputs,
                  Label offset) {
  const uint64_t offsetLow = offset.low, offsetHigh = offset.high;
#pragma omp parallel for collapse(2)
  for (int c = 0; c < copies; ++c)
    for (int w = 0; w < inputs; ++w) {
      const size_t at = 2 * (c * wiresPerCopy + w);
      const bool one = bits[(size_t)c * inputs + w] != 0;
      active[at] = labels[at] ^ (one ? offsetLow : 0);
      active[at + 1] = labels[at + 1] ^ (one ? offsetHigh : 0);
    }
}

// An output is 1 where the evaluator's label has another permute bit than the label for 0.
void decode(const uint64_t* labels, const uint64_t* active, const uint16_t* outputs, unsigned char* decoded,
            int copies) {
#pragma omp parallel for collapse(2)
  for (int c = 0; c < copies; ++c)
    for (int bit = 0; bit < 128; ++bit) {
      const size_t at = 2 * (c * wiresPerCopy + outputs[bit]);
      decoded[c * 128 + bit] = (unsigned char)((labels[at] ^ active[at]) & 1);
    }
}

// The round keys of the fixed key, sliced: each block is the same key four times.
void sliceKeys(const PlainAes& aes, uint64_t* keys) {
  for (int round = 0; round <= rounds; ++round) {
    uint64_t blocks[8];
    for (int k = 0; k < 4; ++k) memcpy(&blocks[2 * k], aes.roundKey(round).data(), 16);
    sliceBlocks(blocks, &keys[8 * round]);
  }
}

PlainAes::Block bytesOf(const unsigned char* bits) {
  PlainAes::Block block{};
  for (int bit = 0; bit < 128; ++bit) block[bit / 8] |= (uint8_t)(bits[bit] << bit % 8);
  return block;
}

}  // namespace

int main(int argc, char** argv) {
  const int copies = (int)numberArgument(argc, argv, 1, "copies of the circuit", 8, 1, 1000000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 1, 1, 1000000);
  const LevelledCircuit circuit = aesCircuit();
  const int inputs = circuit.inputs, ands = circuit.ands;
  const size_t words = 2 * wiresPerCopy * copies, rows = 4 * (size_t)ands * copies;
  const PlainAes fixed(
      {0x24, 0x3f, 0x6a, 0x88, 0x85, 0xa3, 0x08, 0xd3, 0x13, 0x19, 0x8a, 0x2e, 0x03, 0x70, 0x73, 0x44});

#pragma omp alloc_start
#pragma omp managed(labels, active, tables)
  uint64_t *labels = new uint64_t[words], *active = new uint64_t[words], *tables = new uint64_t[rows];
#pragma omp managed(left, right, outputs)
  uint16_t *left = new uint16_t[circuit.gates], *right = new uint16_t[circuit.gates], *outputs = new uint16_t[128];
#pragma omp managed(keys)
  uint64_t* keys = new uint64_t[8 * (rounds + 1)];
#pragma omp managed(bits, decoded)
  unsigned char *bits = new unsigned char[(size_t)copies * inputs], *decoded = new unsigned char[(size_t)copies * 128];
#pragma omp alloc_end

  std::copy(circuit.left.begin(), circuit.left.end(), left);
  std::copy(circuit.right.begin(), circuit.right.end(), right);
  std::copy(circuit.outputs.begin(), circuit.outputs.end(), outputs);
  sliceKeys(fixed, keys);
  // Copy 0 has the key and the message of FIPS 197, appendix C.1; the others have random ones. The last input is 1.
  for (int c = 0; c < copies; ++c)
    for (int w = 0; w < inputs; ++w) {
      const int byte = w % 128 / 8, known = w < 128 ? byte : byte * 0x11;
      const uint64_t random = randomAt(99, (uint64_t)c * inputs + w);
      bits[(size_t)c * inputs + w] = w == inputs - 1 ? 1 : c == 0 ? known >> w % 8 & 1 : random & 1;
    }

  double garbling = 0, evaluating = 0;
  for (int step = 0; step <= steps; ++step) {  // the first is not timed: kernels are built, arrays are spread
    const uint64_t seed = 1000 + (uint64_t)step;
    const Label offset = {randomAt(seed, ~(uint64_t)0) | 1, randomAt(seed, ~(uint64_t)1)};
    double start = secondsNow();
    drawInputLabels(labels, copies, inputs, seed);
    for (const Level& level : circuit.levels) {
      const int middle = level.first + level.ands, skipped = level.first - level.andsBefore;
      if (level.ands)
        garbleAnds(labels, tables, left, right, keys, copies, inputs, ands, level.first, middle, skipped, offset);
      if (level.xors) xorGates(labels, left, right, copies, inputs, middle, middle + level.xors);
    }
    chooseInputs(labels, active, bits, copies, inputs, offset);
    uint64_t last = tables[rows - 1];
    if (step) garbling += secondsNow() - start;
    start = secondsNow();
    for (const Level& level : circuit.levels) {
      const int middle = level.first + level.ands, skipped = level.first - level.andsBefore;
      if (level.ands)
        evaluateAnds(active, tables, left, right, keys, copies, inputs, ands, level.first, middle, skipped);
      if (level.xors) xorGates(active, left, right, copies, inputs, middle, middle + level.xors);
    }
    decode(labels, active, outputs, decoded, copies);
    last ^= decoded[0];
    if (step) evaluating += secondsNow() - start;
    if (step == steps) printf("sfe: last table word and first bit %016llx\n", (unsigned long long)last);
  }
  printTime("sfe", garbling + evaluating, steps);
  fprintf(stderr, "sfe: garbling %.3f, evaluating %.3f million AND gates per second\n",
          (double)ands * copies * steps / garbling * 1e-6, (double)ands * copies * steps / evaluating * 1e-6);

  int agreeing = 0;
  for (int c = 0; c < copies; ++c) {
    const PlainAes direct(bytesOf(&bits[(size_t)c * inputs]));
    if (direct.encrypt(bytesOf(&bits[(size_t)c * inputs + 128])) == bytesOf(&decoded[(size_t)c * 128])) ++agreeing;
  }
  printf("sfe: AES-128 has %d gates, %d of them AND, on %zu levels\nsfe: copy 0 gives ", circuit.gates, ands,
         circuit.levels.size());
  for (uint8_t byte : bytesOf(decoded)) printf("%02x", byte);
  printf("\nsfe: %d of %d copies agree with AES computed directly, tables' checksum %016llx\n", agreeing, copies,
         checksum(tables, rows * sizeof *tables));
  for (uint64_t* array : {labels, active, tables, keys}) delete[] array;
  for (uint16_t* array : {left, right, outputs}) delete[] array;
  for (unsigned char* array : {bits, decoded}) delete[] array;
  return agreeing == copies ? 0 : 1;
}
