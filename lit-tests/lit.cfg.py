# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The lit suite of the plugin.
#
#   %muster++    the compiler with the plugin and -fopenmp
#   %muster-link the same, linking the runtime (for programs that run)
#   %plain       the compiler with -fopenmp, without the plugin: the oracle, which needs no -O: it runs once
#   %clang       the compiler alone
#   %cc          the C compiler with the plugin and -fopenmp
#   %cc-link     the same, linking the runtime
#   %plain-c     the C compiler with -fopenmp, without the plugin
#   %plugin      path of the plugin
#   %libraries   the folder of libmuster.so
#   %run         runs a program with a fixed number of threads
#   %filecheck   FileCheck, which also fails on any error, warning or remark that the test does not ask for
import os
import shutil
import sys

import lit.formats

config.name = "Muster"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cpp", ".c", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

library_dir = os.path.join(config.muster_runtime_dir, "lib")
plugin = os.path.join(config.muster_binary_dir, "lib", "libmuster-plugin.so")
llvm_tools = os.path.join(config.muster_llvm_dir, "bin")
with_plugin = f"-fopenmp -fplugin={plugin}"
link = f"-L{library_dir} -lmuster -Wl,-rpath,{library_dir} -Wl,-rpath,{config.muster_llvm_dir}/lib"
hidden = " ".join(f"--implicit-check-not='{word}:'" for word in ("error", "warning", "remark"))

# Huge pages for the compiler's memory, as in the Makefile.
compiler, c_compiler = (f"env GLIBC_TUNABLES=glibc.malloc.hugetlb=1 {command}"
                        for command in (config.muster_compiler, config.muster_c_compiler))
config.substitutions += [
    (r"%cc-link", f"{c_compiler} {with_plugin} {link} -lm"),
    (r"%plain-c", f"{c_compiler} -fopenmp -lm"),
    (r"%muster-link", f"{compiler} -std=c++20 {with_plugin} {link}"),
    (r"%muster\+\+", f"{compiler} -std=c++20 {with_plugin}"),
    (r"%plain", f"{compiler} -std=c++20 -fopenmp"),
    (r"%clang", compiler),
    (r"%cc", f"{c_compiler} {with_plugin}"),
    (r"%plugin", plugin),
    (r"%libraries", library_dir),
    (r"%run", "env OMP_NUM_THREADS=3"),
    (r"\bdiff ", f"{shutil.which('diff')} "),  # lit's own starts a Python for each
    (r"%filecheck", f"FileCheck --dump-input-filter=error {hidden}"),
]
config.environment["PATH"] = os.pathsep.join([llvm_tools, os.path.dirname(sys.executable), os.environ["PATH"]])
if config.muster_openmp_dir:  # this compiler has no libomp of its own
    openmp_lib = os.path.join(config.muster_openmp_dir, "lib")
    for name, path in {"LIBRARY_PATH": openmp_lib, "LD_LIBRARY_PATH": openmp_lib,
                       "C_INCLUDE_PATH": config.muster_openmp_include,
                       "CPLUS_INCLUDE_PATH": config.muster_openmp_include}.items():
        config.environment[name] = path
# Tools of the same version that a test can ask for with REQUIRES.
for tool in ("clang-tidy", "clangd"):
    if shutil.which(tool, path=llvm_tools):
        config.available_features.add(tool)
for tool in ("gdb",):
    if shutil.which(tool):
        config.available_features.add(tool)
# Where the host has instructions that do a product and a sum.
if os.path.exists("/proc/cpuinfo") and " fma " in open("/proc/cpuinfo", encoding="utf-8").read():
    config.available_features.add("fma")
# The user's own settings of the runtime must not reach the tests.
for name in list(config.environment):
    if name.startswith("MUSTER_"):
        del config.environment[name]
# Programs would begin on rank 0's CPU alone, and be over before they use anything else.
config.environment["MUSTER_TUNE"] = "off"
# The speeds of devices are measured once. Without this and HOME, which lit does not hand on, each process measures them.
config.environment["MUSTER_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
# As in scripts/check.sh.
config.environment["HWLOC_PLUGINS_BLACKLIST"] = "hwloc_opencl.so,hwloc_gl.so"
config.environment["OMPI_MCA_pml"] = "ob1"
# Where a program ends with a code of its own, mpirun waits for two seconds before it kills ranks that are gone.
config.environment["OMPI_MCA_odls_base_sigkill_timeout"] = "0"
# A file that was preprocessed by the cache is one that the plugin cannot rewrite.
config.environment["CCACHE_DISABLE"] = "1"
