// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of the plugin, in order; Translation.cpp calls them. Each is a function from values to a value.
//
//   tokens -> directives (pragma/) -> facts (analysis/) -> plan (plan/) -> kernels (opencl/), edits (rewrite/)
#pragma once

#include "analysis/AnalyseLoops.h"
#include "lower/PrintKernels.h"
#include "rewrite/Rewrite.h"
