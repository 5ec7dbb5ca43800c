// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the analysis calls independent, compared with all pairs of their iterations.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "forms.h"

namespace muster::plugin {
namespace {

// A nest of loops over constant bounds, whose body accesses elements of two arrays.
struct Nest {
  struct Loop {
    std::int64_t first, count, step;  // the variable's values
  };
  struct Access {
    char array;
    bool write;
    Values index;  // factors of the variables, then a constant
  };
  std::vector<Loop> loops;
  std::vector<Access> accesses;

  // As a function.
  std::string code(const std::string& name) const {
    std::ostringstream out;
    out << "void " << name << "(double *a, double *b) {\n#pragma omp parallel for\n";
    for (std::size_t l = 0; l < loops.size(); ++l) {
      const char name = "ijk"[l];
      const Loop& loop = loops[l];
      const std::int64_t last = loop.first + (loop.count - 1) * loop.step;
      out << "for (long " << name << " = " << loop.first << "; " << name << (loop.step > 0 ? " <= " : " >= ") << last
          << "; " << name << " += " << loop.step << ") {\n";
    }
    for (const Access& access : accesses) {
      out << (access.write ? "" : "double x" + std::to_string(&access - accesses.data()) + " = ") << access.array << "["
          << access.index.back();
      for (std::size_t l = 0; l < loops.size(); ++l) out << " + " << access.index[l] << " * " << "ijk"[l];
      out << (access.write ? "] = 1;\n" : "];\n");
    }
    return out.str() + std::string(loops.size() + 1, '}') + "\n";
  }

  // All values of the variables, from the outermost.
  std::vector<Values> iterations() const {
    std::vector<Values> all = {{}};
    for (const Loop& loop : loops) {
      std::vector<Values> longer;
      for (const Values& outer : all)
        for (std::int64_t k = 0; k < loop.count; ++k) {
          longer.push_back(outer);
          longer.back().push_back(loop.first + k * loop.step);
        }
      all = std::move(longer);
    }
    return all;
  }

  // Whether iterations that differ in one of the loops [from, to), but not in those outside of them, touch an element
  // that one of them writes.
  bool conflicts(std::size_t from, std::size_t to) const {
    std::map<std::pair<char, std::int64_t>, std::vector<std::pair<Values, bool>>> touched;
    for (const Values& values : iterations())
      for (const Access& access : accesses) {
        std::int64_t index = access.index.back();
        for (std::size_t l = 0; l < loops.size(); ++l) index += access.index[l] * values[l];
        touched[{access.array, index}].emplace_back(values, access.write);
      }
    for (const auto& [element, uses] : touched)
      for (const auto& [values, writes] : uses)
        for (const auto& [others, otherWrites] : uses) {
          if (!writes && !otherWrites) continue;
          if (!std::equal(values.begin(), values.begin() + from, others.begin())) continue;
          if (!std::equal(values.begin() + from, values.begin() + to, others.begin() + from)) return true;
        }
    return false;
  }
};

class RandomNests {
 public:
  explicit RandomNests(unsigned seed) : random_(seed) {}
  // Most factors are what programs have: the loops inside fill what one step of the variable skips.
  Nest make() {
    Nest nest;
    for (std::int64_t depth = number(2, 3); depth-- > 0;)
      nest.loops.push_back({number(0, 2), number(1, 5), number(0, 3) == 0 ? (number(0, 1) ? 2 : -1) : 1});
    for (Nest::Loop& loop : nest.loops)
      if (loop.step < 0) loop.first += loop.count;
    for (std::int64_t accesses = number(1, 3); accesses-- > 0;) {
      Nest::Access access{number(0, 3) == 0 ? 'b' : 'a', nest.accesses.empty() || number(0, 2) == 0, {}};
      std::int64_t row = 1;
      for (std::size_t l = nest.loops.size(); l-- > 0; row *= nest.loops[l].count + 2)
        access.index.insert(access.index.begin(), number(0, 4) == 0 ? number(-2, 3) : row);
      access.index.push_back(number(0, 2) == 0 ? number(-4, 9) : 0);
      nest.accesses.push_back(access);
    }
    return nest;
  }

 private:
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  std::mt19937 random_;
};

TEST(Independence, IndependentLoopsTouchNoElementOfAnother) {
  std::vector<Nest> nests;
  std::string code;
  for (unsigned seed = 0; seed < 500; ++seed) {
    nests.push_back(RandomNests(seed).make());
    code += nests.back().code("f" + std::to_string(seed));
  }
  const AnalysedFile file = analyse(code);
  ASSERT_EQ(file.facts.loops.size(), nests.size());
  unsigned independent = 0, separate = 0;
  for (std::size_t i = 0; i < nests.size(); ++i) {
    const LoopFacts& facts = file.facts.loops[i];
    SCOPED_TRACE(nests[i].code("f") + "has dims: " + std::to_string(facts.dims.size()));
    ASSERT_FALSE(facts.refusal) << facts.refusal->what;
    ASSERT_LE(facts.dims.size(), nests[i].loops.size());
    ASSERT_FALSE(nests[i].conflicts(1, facts.dims.size()));
    ASSERT_FALSE(!facts.mayCarry && nests[i].conflicts(0, 1));
    independent += facts.dims.size() > 1;
    separate += !facts.mayCarry;
  }
  // Or it tests nothing.
  EXPECT_GE(independent, nests.size() / 5);
  EXPECT_GE(separate, nests.size() / 5);
}

struct Known {
  const char* name;
  const char* body;  // of loops over i and j in [0, 8) and k in [0, 4)
  std::size_t dims;
  bool mayCarry;
};

void PrintTo(const Known& known, std::ostream* out) { *out << known.body; }

class KnownNests : public testing::TestWithParam<Known> {};

// What is not seen costs speed only, but what programs do has to be seen.
TEST_P(KnownNests, AreUnderstood) {
  const AnalysedFile file = analyse(std::string("void f(double *a, double *b) {\n#pragma omp parallel for\n"
                                                "for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++)\n"
                                                "for (int k = 0; k < 4; k++) ") +
                                    GetParam().body + "}");
  const LoopFacts& facts = file.facts.loops.at(0);
  ASSERT_FALSE(facts.refusal) << facts.refusal->what;
  EXPECT_EQ(facts.dims.size(), GetParam().dims);
  EXPECT_EQ(facts.mayCarry, GetParam().mayCarry);
}

INSTANTIATE_TEST_SUITE_P(
    Independence, KnownNests,
    testing::Values(Known{"rows", "a[(i * 8 + j) * 4 + k] = 1;", 3, false},
                    Known{"padded_rows", "a[i * 64 + j * 6 + k] = b[i];", 3, false},
                    Known{"columns", "a[k * 64 + j * 8 + i] = 1;", 3, false},
                    Known{"overlapping_columns", "a[k * 63 + j * 8 + i] = 1;", 3, true},
                    Known{"overlapping_rows", "a[(i * 8 + j) * 3 + k] = 1;", 1, true},
                    Known{"sums", "a[i * 8 + j] += b[k];", 2, false},
                    Known{"one_element_for_a_row", "a[i] += b[j * 4 + k];", 1, false},
                    Known{"reads_of_neighbours", "a[(i * 8 + j) * 4 + k] = a[(i * 8 + j) * 4 + k + 1];", 1, true},
                    Known{"reads_of_another_array", "a[(i * 8 + j) * 4 + k] = b[j - i + k];", 3, false},
                    Known{"a_stride_between", "a[(i * 8 + j) * 8 + 2 * k] = a[(i * 8 + j) * 8 + 2 * k];", 3, false}),
    [](const testing::TestParamInfo<Known>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace muster::plugin
