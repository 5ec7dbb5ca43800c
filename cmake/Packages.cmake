# Debian packages (make packages): muster, libmuster1, libmuster-dev, muster-doc, by CPack's DEB generator.
# Libraries are in plain /usr/lib, not in the architecture's folder: the wrappers find prefix/lib relative to themselves.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME muster)
set(CPACK_PACKAGE_VENDOR Muster)
set(CPACK_PACKAGE_CONTACT "Muster developers <muster@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)  # the plugin is 163 MiB with its debug information, 14 without
set(CPACK_COMPONENTS_ALL muster libmuster1 libmuster-dev muster-doc)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/DebianFiles.cmake)

# Each part of a release goes with the others of it, and the plugin with the minor version of Clang that it was built for.
set(same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(clang "clang-${MUSTER_LLVM_VERSION} (>= 1:${MUSTER_LLVM_VERSION}.1), clang-${MUSTER_LLVM_VERSION} (<< 1:${MUSTER_LLVM_VERSION}.2)")

set(CPACK_DEBIAN_MUSTER_PACKAGE_NAME muster)
set(CPACK_DEBIAN_MUSTER_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_MUSTER_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MUSTER_PACKAGE_DEPENDS "${clang}, libomp-${MUSTER_LLVM_VERSION}-dev, libmuster-dev ${same}")
set(CPACK_DEBIAN_MUSTER_PACKAGE_RECOMMENDS "openmpi-bin, ocl-icd-libopencl1")
set(CPACK_DEBIAN_MUSTER_PACKAGE_SUGGESTS "pocl-opencl-icd, muster-doc, gdb")
set(CPACK_COMPONENT_MUSTER_DESCRIPTION "Plain OpenMP loops on every GPU and CPU of a cluster: compiler and tools
The Clang plugin, the compiler wrappers muster++ and musterc, and the tools.")

# Of libmuster.so.1 any later version serves. libmuster-mpi.so is a module: the library loads it from its own folder.
set(CPACK_DEBIAN_LIBMUSTER1_PACKAGE_NAME libmuster1)
set(CPACK_DEBIAN_LIBMUSTER1_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBMUSTER1_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_LIBMUSTER1_PACKAGE_RECOMMENDS "openmpi-bin, ocl-icd-libopencl1")
set(CPACK_COMPONENT_LIBMUSTER1_DESCRIPTION "Plain OpenMP loops on every GPU and CPU of a cluster: runtime
The library of programs that were compiled with Muster, and its module for MPI.")

set(CPACK_DEBIAN_LIBMUSTER-DEV_PACKAGE_NAME libmuster-dev)
set(CPACK_DEBIAN_LIBMUSTER-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBMUSTER-DEV_PACKAGE_DEPENDS "libmuster1 ${same}")
set(CPACK_COMPONENT_LIBMUSTER-DEV_DESCRIPTION "Plain OpenMP loops on every GPU and CPU of a cluster: headers
Headers, link, CMake package and pkg-config file of libmuster.")

set(CPACK_DEBIAN_MUSTER-DOC_PACKAGE_NAME muster-doc)
set(CPACK_DEBIAN_MUSTER-DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_MUSTER-DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_MUSTER-DOC_DESCRIPTION "Plain OpenMP loops on every GPU and CPU of a cluster: documents
Programming guide, configuration, pitfalls, samples, and the interface's pages where they were built.")

include(CPack)
