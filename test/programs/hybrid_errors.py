#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong ways to run MPI programs: messages, exit codes, nothing that hangs. Usage: hybrid_errors.py BUILD WORK"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

BUILD, WORK = map(pathlib.Path, sys.argv[1:])
LAUNCH = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"]
LOOP = """
#pragma ompx managed(a)
  double* a = new double[1000];
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) a[i] = i;
  std::printf("%g\\n", a[999]);
  delete[] a;
"""
MPI = "#include <mpi.h>\n#include <cstdio>\nint main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);" + LOOP + "  MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Finalize();\n}\n"
PLAIN = "#include <cstdio>\nint main() {" + LOOP + "}\n"
failures = 0


def compile_program(name, text, compiler):
    source = WORK / f"{name}.cpp"
    source.write_text(text)
    subprocess.run([*compiler, "-O1", str(source), "-o", str(WORK / name)], check=True)
    return str(WORK / name)


def run(command, **variables):
    result = subprocess.run(command, env={**os.environ, "MUSTER_DEVICES": "cpu", **variables}, stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


def expect(what, condition, seen):
    global failures
    print(f"{'ok  ' if condition else 'FAIL'} {what}")
    if not condition:
        failures += 1
        print(seen)


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    muster = str(BUILD / "bin" / "muster++")
    flags = [subprocess.run(["mpicxx.openmpi", f"--showme:{part}"], check=True, capture_output=True, text=True).stdout.split()
             for part in ("compile", "link")]
    program = compile_program("mpi", MPI, [muster, *flags[0], *flags[1]])
    without = compile_program("without", PLAIN, [muster])
    # Linked past the wrapper: the calls of MPI are not ours.
    subprocess.run([muster, *flags[0], "-O1", "-c", str(WORK / "mpi.cpp"), "-o", str(WORK / "past.o")], check=True)
    past = str(WORK / "past")
    subprocess.run(["clang++-19", "-fopenmp", str(WORK / "past.o"), *flags[1], f"-L{BUILD}/lib", f"-Wl,-rpath,{BUILD}/lib",
                    "-lmuster", "-o", past], check=True)

    seen = run([*LAUNCH, program])
    expect("each rank runs main", seen[0] == 0 and seen[1] == "999\n999\n", seen)
    seen = run([program])
    expect("without a launcher", seen[0] == 0 and seen[1] == "999\n", seen)
    seen = run([*LAUNCH, program], MUSTER_RANKS="shared")
    expect("shared is an error at the first call of MPI",
           seen[0] != 0 and "MPI_Init: this program calls MPI itself" in seen[2] and "999" not in seen[1], seen)
    seen = run([*LAUNCH, without], MUSTER_RANKS="own")
    said = len(re.findall("this program does not call MPI: each of the 2 ranks runs all of it", seen[2]))
    expect("own without MPI is said once", seen[0] == 0 and seen[1] == "999\n999\n" and said == 1, seen)
    seen = run([*LAUNCH, without])
    expect("without MPI ranks are shared", seen[0] == 0 and seen[1] == "999\n", seen)
    seen = run([past])
    expect("calls of MPI that are not ours are an error",
           seen[0] == 3 and "libmuster-mpi-calls.so does not come before MPI" in seen[2], seen)
    seen = run([past], LD_PRELOAD=str(BUILD / "lib" / "libmuster-mpi-calls.so"))
    expect("LD_PRELOAD puts them in front", seen[0] == 0 and seen[1] == "999\n", seen)
    seen = run([*LAUNCH, program], MUSTER_INFO_FILE=str(WORK / "info"), MUSTER_TRACE=str(WORK / "trace"))
    names = sorted(path.name for path in WORK.glob("*.[01]"))
    expect("each rank has files of its own", names == ["info.0", "info.1", "trace.0", "trace.1"], (seen, names))
    joint = [[event["name"] for event in json.loads((WORK / f"trace.{rank}").read_text())["traceEvents"]
              if event.get("cat") == "call" and event["args"].get("together") == 1] for rank in (0, 1)]
    expect("traces have the calls by which clocks are compared", joint == [["MPI_Barrier"], ["MPI_Barrier"]], joint)
    seen = run([str(BUILD / "bin" / "muster-trace"), *(str(WORK / f"trace.{rank}") for rank in (0, 1))])
    expect("their times are told", seen[0] == 0 and re.search(r"^  MPI_Init +2 ", seen[1], re.M), seen)
    seen = run([*LAUNCH, program], MUSTER_INFO="1")
    lines = re.findall(r"muster: rank ([01]) on \S+: 1 launches in .* on cpu, ", seen[2])
    expect("each rank has a line, and rank 0 the report",
           sorted(lines) == ["0", "1"] and seen[2].count("what this run did") == 1, seen)
    flag = "-fplugin-arg-muster-strict"
    aborts = compile_program("aborts", MPI.replace("a[i] = i;", "if ((a[i] = i) == 777) MPI_Abort(MPI_COMM_WORLD, 7);"),
                             [muster, flag, *flags[0], *flags[1]])
    for devices in ("cpu", "opencl"):
        seen = run([*LAUNCH, aborts], MUSTER_DEVICES=devices)
        expect(f"a loop calls MPI_Abort, {devices}",
               seen[0] == 7 and re.search("MPI_ABORT was invoked|show_help.c", seen[2])  # Open MPI may fail to say it
               and "999" not in seen[1], seen)
    halo = """
#pragma ompx managed(a)
  double* a = new double[1000];
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) a[i] = i;
  MPI_Request request;
  MPI_Irecv(a + 10, 20, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
#pragma omp parallel for
  for (int i = FIRST; i < 1000; ++i)
    a[i] = 2;
  MPI_Send(a + 500, 20, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  std::printf("%g\\n", a[29] + a[30]);
  delete[] a;
"""
    for first, right in (("30", True), ("29", False)):
        flight = compile_program(f"flight{first}", MPI.replace(LOOP, halo.replace("FIRST", first)),
                                 [muster, flag, *flags[0], *flags[1]])
        seen = run([flight], MUSTER_DEVICES="opencl", MUSTER_CHECK="races")
        expect("a loop beside what MPI fills is no error" if right else "a loop that writes what MPI fills is an error",
               seen[:2] == (0, "4\n") if right else seen[0] == 4 and re.search(
                   r"line 13 writes element 29 of array a \(.*flight29.cpp:6\), which MPI_Irecv fills until", seen[2]), seen)
    # The loader takes libraries of one name for one and the same: another version has another name.
    library = (BUILD / "lib" / "libmuster.so.1").read_bytes()
    (WORK / "libmuster-copy.so").write_bytes(library.replace(b"libmuster.so.1\0", b"libmuster.so.9\0"))
    for preload in ("libmuster-copy.so", ""):
        seen = run([without], LD_PRELOAD=preload and str(WORK / preload))
        expect("two copies of the library are an error, and one is none",
               (seen[0] == 3 and "two copies of Muster's library, and the second one is " in seen[2]) if preload
               else seen[1] == "999\n", seen)
    seen = run([*LAUNCH, program], MUSTER_DEVICES="cpux")
    expect("an error says which rank speaks", seen[0] != 0 and re.search(r"error: rank [01] on \S+: MUSTER_DEVICES", seen[2]),
           seen)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
