# muster_precompile(TARGET [HEADERS of other libraries...]): precompiles them, and those of the standard library that most
# sources use. No header of Muster's own: each change of one would compile all of the target again.

# Without CMake's further "-include <header>", which ccache hashes as an absolute path: so that worktrees share their cache
# (CONTRIBUTING.md). For the same reason ccache hashes a sum in place of the precompiled header, which holds times.
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
set(MUSTER_STANDARD_HEADERS <algorithm> <atomic> <chrono> <cstdio> <cstdlib> <cstring> <functional> <map> <memory> <mutex>
    <optional> <set> <span> <string> <thread> <unordered_map> <utility> <vector>)

# The standard library's own uses of what it calls deprecated are warned of where they come from a precompiled header.
set(MUSTER_PRECOMPILED_OPTIONS "SHELL:-Xclang -fno-deprecated-macro")

function(muster_precompile target)
  target_compile_options(${target} PRIVATE ${MUSTER_PRECOMPILED_OPTIONS})
  target_precompile_headers(${target} PRIVATE ${MUSTER_STANDARD_HEADERS} ${ARGN})
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum
    "${MUSTER_STANDARD_HEADERS} ${ARGN} ${LLVM_PACKAGE_VERSION} ${GTest_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_COMPILER_VERSION}")
endfunction()

# muster_reuse_precompiled(TARGET OTHER): uses what muster_precompile made for another target, of the same options.
function(muster_reuse_precompiled target other)
  target_compile_options(${target} PRIVATE ${MUSTER_PRECOMPILED_OPTIONS})
  target_precompile_headers(${target} REUSE_FROM ${other})
endfunction()
