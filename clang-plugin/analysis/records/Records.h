// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minima and maxima with what belongs to them, such as their place: `if (v < best) { best = v; at = i; }`.
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// Shared variables that the body only chooses under `omp critical`, and variables of a team's threads that it only
// chooses, become records.
void findRecords(LoopContext& context);
// Whether `statement` is a choice of a record of the loop.
bool isChoice(const LoopFacts& facts, const clang::Stmt* statement);
// The number of the record of which the statement is a choice; nullopt: of none.
std::optional<unsigned> recordOf(const LoopFacts& facts, const clang::Stmt* statement);

// The condition under which the record behind `right` ("b.", "b->") is better than that behind `left`, both of which
// have a value: a key that is better, or an equal one of a better tie, or of the iteration that the serial loop would
// keep.
std::string winsText(const RecordFact& record, const std::string& left, const std::string& right);

}  // namespace muster::plugin
