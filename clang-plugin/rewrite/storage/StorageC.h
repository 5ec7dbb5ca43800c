// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage of arrays in C, which has no references and no dynamic initialisation: an array of a function becomes a
// constant pointer to its first row, whose uses as a whole array (sizeof, &) are respelled; an array of the file keeps
// its type and is adopted by a constructor.
#pragma once

#include "rewrite/storage/Storage.h"

namespace muster::plugin {

// Why the uses of a function's array cannot be respelled; nullopt after they have been.
StorageRewriter::Outcome respellWholeUses(StorageRewriter& rewriter, const ArrayPlan& array);

// The declaration of a function's array as a pointer to `storage`, an expression; `attributes` follow its name.
std::string declareRows(StorageRewriter& rewriter, const ArrayPlan& array, const std::string& attributes,
                        const std::string& storage);

// The declarations that take the place of an array of automatic storage. `initial` declares muster_initial_NAME, or is
// empty where the array starts undefined or zero.
std::string localArrayInC(StorageRewriter& rewriter, const ArrayPlan& array, const std::string& initial, bool zero);

// What follows the definition of `muster_storage_NAME`: for arrays of a function, and of the file.
std::string adoptInFunction(StorageRewriter& rewriter, const ArrayPlan& array);
std::string adoptInFile(StorageRewriter& rewriter, const ArrayPlan& array);

}  // namespace muster::plugin
