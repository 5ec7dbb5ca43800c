# The program whose ranks mpirun starts, and the script that kills some of them.
add_executable(muster_cdm_mpi_tests transport_mpi_main.cpp)
target_include_directories(muster_cdm_mpi_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_options(muster_cdm_mpi_tests PRIVATE -O1)  # it fills and compares many megabytes
target_link_libraries(muster_cdm_mpi_tests PRIVATE muster_cdm GTest::gtest)
add_dependencies(muster_cdm_mpi_tests muster-mpi)
find_package(MPI REQUIRED COMPONENTS C)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(mpirun ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe)
foreach(ranks 1 2 3 5)
  add_test(NAME cdm.mpi_${ranks} COMMAND ${mpirun} -n ${ranks} $<TARGET_FILE:muster_cdm_mpi_tests>)
  list(APPEND mpi_tests cdm.mpi_${ranks})
endforeach()
add_test(NAME cdm.mpi_big COMMAND ${mpirun} -n 2 $<TARGET_FILE:muster_cdm_mpi_tests> big)
foreach(megabytes 1 9)
  add_test(NAME cdm.mpi_full_${megabytes} COMMAND ${mpirun} -n 3 $<TARGET_FILE:muster_cdm_mpi_tests> full=${megabytes})
  list(APPEND beside cdm.mpi_full_${megabytes})
endforeach()
# Ranks that share memory beside one that does not, as if it were on another host.
add_test(NAME cdm.mpi_mixed COMMAND ${mpirun} -n 1 -x SHARED=off $<TARGET_FILE:muster_cdm_mpi_tests> : -n 2 -x SHARED=on
                                    $<TARGET_FILE:muster_cdm_mpi_tests>)
add_test(NAME cdm.mpi_faults COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/transport_faults.py
                                     $<TARGET_FILE:muster_cdm_mpi_tests> ${MPIEXEC_EXECUTABLE})
list(APPEND mpi_tests cdm.mpi_mixed)
list(APPEND beside cdm.mpi_big cdm.mpi_faults)
set_tests_properties(${mpi_tests} PROPERTIES RUN_SERIAL ON)  # they measure times
set_tests_properties(${mpi_tests} ${beside} PROPERTIES TIMEOUT 180 LABELS mpi
  # Open MPI leaks in plug-ins that are gone by the time the leaks are listed, so they cannot be named one by one.
  ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
