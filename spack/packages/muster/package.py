# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# spack repo add DIR/spack, then in a checkout: spack dev-build muster@main
import os

from spack.package import *


class Muster(CMakePackage):
    """Plain OpenMP loops on every GPU and CPU of a cluster: a Clang plugin and its runtime."""

    homepage = "https://localhost/muster"
    license("Apache-2.0 WITH LLVM-exception")

    version("main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    # The plugin is loaded by the Clang that it was built for, and the wrappers start that one.
    depends_on("llvm@19 +clang openmp=project", type=("build", "link", "run"))
    depends_on("mpi", type=("build", "link", "run"))
    depends_on("opencl-headers", type="build")
    depends_on("ocl-icd", type=("build", "link", "run"))
    depends_on("fmt", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("cli11", type="build")
    depends_on("xxhash", type="build")

    generator("ninja")

    def clang(self, name):
        return os.path.join(self.spec["llvm"].prefix.bin, name)

    def cmake_args(self):
        return [
            self.define("CMAKE_C_COMPILER", self.clang("clang")),
            self.define("CMAKE_CXX_COMPILER", self.clang("clang++")),
            self.define("LLVM_DIR", os.path.join(self.spec["llvm"].prefix.lib, "cmake", "llvm")),
            self.define("BUILD_TESTING", False),
        ]

    def setup_run_environment(self, env):
        env.set("MUSTER_CC", self.clang("clang"))
        env.set("MUSTER_CXX", self.clang("clang++"))
