#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a program twice, plain and with Muster, and compares what the two print and write.

The plain OpenMP build of the same source is the oracle. The Muster build runs on every number of ranks and every
set of devices asked for; standard output and the files named by --compare must be equal to the oracle's byte for byte;
with --tolerance, numbers in standard output that have a decimal point or an exponent may differ by that much relatively.
A folder stands for all sources in it; .c files are compiled as C.

With --mpi the program is an MPI program of its own: it is linked with that MPI, and the plain build runs on as many
ranks. The devices `moves` begin in place, and go to all devices and back while the program runs. `cuda` is the stand-in
for CUDA (test/cdm/fake/cuda), `mixed` has it on rank 0 and POCL on rank 1.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

PLAIN_SOURCE = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "plain-source.sh"
DEVICES = {"cpu": "cpu", "pocl": "opencl", "both": "cpu,opencl", "moves": "cpu,opencl",
           "cuda": "cuda", "mixed": "0=cuda;1=pocl"}
# How each MPI's compiler wrapper tells of its flags, and its launcher.
MPIS = {
    "openmpi": ("mpicxx.openmpi", ["--showme:compile"], ["--showme:link"],
                ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]),
    "mpich": ("mpicxx.mpich", ["-show", "-c"], ["-show"], ["mpirun.mpich"]),
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path, help="Muster's build folder")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="scratch folder, emptied first")
    parser.add_argument("--ranks", default="1,2,3")
    parser.add_argument("--devices", default="cpu,pocl,both")
    parser.add_argument("--mpi", choices=MPIS, help="an MPI program of its own, for this MPI")
    parser.add_argument("--launches", type=int, default=0, help="so many launches at least must have been no steps back")
    parser.add_argument("--claimed", type=int, default=0,
                        help="of so many loops devices must have claimed blocks in the last launch, where there are several")
    parser.add_argument("--placed", type=int, default=0,
                        help="two threads launch at once: so many launches must be on their devices, where these keep them")
    parser.add_argument("--flags", default="-O2", help="compiler flags, one string")
    parser.add_argument("--compare", action="append", default=[], help="a file that the program writes ({out} in its arguments)")
    parser.add_argument("--tolerance", type=float, default=0, help="relative, for floating-point numbers in standard output")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("source", nargs="+", help="sources, then -- and the program's arguments; {out} is the run's folder")
    argv = sys.argv[1:]
    split = argv.index("--") if "--" in argv else len(argv)
    options = parser.parse_args(argv[:split])
    options.arguments = argv[split + 1:]
    return options


def run(command, **keywords):
    """Runs a command; on failure shows all that it said and ends the test."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, **keywords)
    if result.returncode != 0:
        sys.stdout.write(f"FAILED ({result.returncode}): {' '.join(map(str, command))}\n")
        sys.stdout.write(result.stdout.decode(errors="replace")[-4000:] + result.stderr.decode(errors="replace")[-8000:])
        sys.exit(1)
    return result


def sources_of(options):
    """All sources: those named, and those in folders that are named."""
    found = []
    for source in map(pathlib.Path, options.source):
        found += sorted([*source.glob("*.c"), *source.glob("*.cpp")]) if source.is_dir() else [source]
    return found


def mpi_flags(options):
    """What to compile and to link with for --mpi, without the compiler and without C++ bindings."""
    if not options.mpi:
        return [], []
    wrapper, compiles, links, _ = MPIS[options.mpi]
    flags = [run([wrapper, *how]).stdout.decode().split() for how in (compiles, links)]
    return ([f for f in flags[0] if f.startswith(("-I", "-D"))],
            [f for f in flags[1] if f.startswith(("-L", "-l")) and f not in ("-lmpi_cxx", "-lmpichcxx")])


def launcher(options, ranks):
    if ranks == 1:
        return []
    command = MPIS[options.mpi or "openmpi"][3]
    return [*command, "-n", str(ranks)]


def launches_of(report):
    """From a report (MUSTER_INFO_FILE): launches that were not stepped back."""
    loops = json.loads(report.read_text())["loops"]
    return sum(loop["launches"] - sum(back["launches"] for back in loop["stepBacks"]) for loop in loops)


def claimed_of(report):
    """Loops of which some device had several parts in the last launch; None if there is one device alone."""
    report = json.loads(report.read_text())
    devices = [[part["device"] for part in loop["lastSplit"]] for loop in report["loops"]]
    return sum(len(parts) > len(set(parts)) for parts in devices) if len(report["devices"]) > 1 else None


def placed_of(report):
    """Launches that were on the devices of their threads."""
    return json.loads(report.read_text())["threads"]["onDevices"]


def ways_of(options, devices):
    """Suffixes of a run's name, each with how devices are given out to threads; None: as by default."""
    if not options.placed:
        return {"": None}
    return {"": "static"} if devices == "cpu" else {"": "static", "-donate": "donate"}


def all_are_direct(report):
    """Whether each device sends to all others within devices' memory."""
    devices = json.loads(report.read_text())["devices"]
    return all(set(device["direct"]) == set(range(len(devices))) - {i} for i, device in enumerate(devices))


def compile_all(sources, output, options, muster):
    """Compiles each source by its language and links them; `muster`: with the plugin and the runtime."""
    mpi_compile, mpi_link = mpi_flags(options)
    includes = mpi_compile + sorted({f"-I{source.resolve().parent}" for source in map(pathlib.Path, sources_of(options))})
    flags = [f for f in options.flags.split() if not f.startswith("-l")]
    libraries = [f for f in options.flags.split() if f.startswith("-l")]
    objects = []
    for source in sources:
        compiler = "clang-19" if source.suffix == ".c" else "clang++-19"
        front = [str(options.build / "bin" / "muster++")] if muster else [compiler, "-fopenmp"]
        objects.append(str(output) + f"-{len(objects)}.o")
        run([*front, *flags, *includes, "-c", str(source), "-o", objects[-1]], env={**os.environ, "MUSTER_CXX": compiler})
    front = [str(options.build / "bin" / "muster++")] if muster else ["clang++-19", "-fopenmp"]
    run([*front, *objects, *libraries, *mpi_link, "-o", str(output)])


def build(options):
    plain_folder = options.work / "plain-source"
    plain_folder.mkdir(parents=True)
    plain_sources = []
    for source in sources_of(options):
        copy = plain_folder / source.name
        copy.write_bytes(run([str(PLAIN_SOURCE), str(source)]).stdout)
        plain_sources.append(copy)
    plain, muster = options.work / "plain", options.work / "muster"
    compile_all(plain_sources, plain, options, muster=False)
    compile_all(sources_of(options), muster, options, muster=True)
    return plain, muster


def execute(command, folder, options, environment):
    folder.mkdir()
    arguments = [a.replace("{out}", str(folder)) for a in options.arguments]
    result = run([*command, *arguments], env={**os.environ, **environment}, timeout=options.timeout)
    files = {name: (folder / name).read_bytes() for name in options.compare}
    return result.stdout, files


def same_text(got, expected, tolerance):
    """Whether two outputs are equal, but for the last digits of floating-point numbers."""
    if got == expected or not tolerance:
        return got == expected
    number = re.compile(rb"(?<![0-9a-zA-Z.])-?(?:[0-9]+\.[0-9]*(?:e[-+]?[0-9]+)?|[0-9]+e[-+]?[0-9]+)(?![0-9a-zA-Z])")
    if number.sub(b"#", got) != number.sub(b"#", expected):
        return False
    pairs = zip(map(float, number.findall(got)), map(float, number.findall(expected)))
    return all(abs(a - b) <= tolerance * max(abs(a), abs(b)) for a, b in pairs)


def main():
    options = parse()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    plain, muster = build(options)
    expected = None
    failures = runs = 0
    for ranks in map(int, options.ranks.split(",")):
        if expected is None or options.mpi:
            command = [*(launcher(options, ranks) if options.mpi else []), str(plain)]
            expected = execute(command, options.work / f"run-plain-{ranks}", options, {"OMP_NUM_THREADS": "2"})
        for devices, (suffix, way) in ((d, w) for d in options.devices.split(",") for w in ways_of(options, d).items()):
            folder = options.work / f"run-{ranks}-{devices}{suffix}"
            # Equal shares at least, and no start on one CPU: a slow device may take nothing else, and nothing would be tested.
            environment = {"MUSTER_DEVICES": DEVICES[devices], "MUSTER_MIN_SHARE": "0", "MUSTER_TUNE": "off",
                           "OMP_NUM_THREADS": "2" if ranks == 1 or options.placed else "1"}
            if way is not None:
                environment["MUSTER_THREADS"] = way
            if devices == "moves":
                environment |= {"MUSTER_TUNE": "auto", "MUSTER_INJECT": "cheap-trials", "MUSTER_EARLIER_RUNS": "off"}
            if options.mpi and devices == "pocl":
                environment["MUSTER_CHECK"] = "races"  # right programs are not stopped
            if "cuda" in DEVICES[devices]:
                folders = [str(options.build / "lib" / "fake-cuda"), *os.environ.get("LD_LIBRARY_PATH", "").split(":")]
                environment["LD_LIBRARY_PATH"] = ":".join(filter(None, folders))
                # A card for each rank. What one sends to another is there a little late.
                environment["FAKE_CUDA"] = "devices=3 late-signals"
            if options.launches or options.claimed or options.placed:
                environment["MUSTER_INFO_FILE"] = str(folder / "report")
            got = execute([*launcher(options, ranks), str(muster)], folder, options, environment)
            runs += 1
            same = got[1] == expected[1] and same_text(got[0], expected[0], options.tolerance)
            if options.launches and devices != "moves":
                report = folder / ("report.0" if options.mpi and ranks > 1 else "report")
                launches = launches_of(report)
                if launches < options.launches:
                    same = False
                    print(f"  {launches} launches were no steps back, {options.launches} must be")
                if devices == "cuda" and not options.mpi and not all_are_direct(report):
                    same = False
                    print("  not all cards send to one another past the host's memory")
            if options.claimed and devices != "moves":
                claimed = claimed_of(folder / "report")
                if claimed is not None and claimed < options.claimed:
                    same = False
                    print(f"  blocks of {claimed} loops were claimed, of {options.claimed} they must be")
            if way == "static" and devices not in ("cpu", "moves"):
                placed = placed_of(folder / "report")
                if placed < options.placed:
                    same = False
                    print(f"  {placed} launches were on the devices of their threads, {options.placed} must be")
            failures += not same
            print(f"{'ok  ' if same else 'DIFF'} {ranks} rank(s), {devices}{suffix}")
            if not same and got[0] != expected[0]:
                print(f"  plain:  {expected[0][:400]!r}\n  muster: {got[0][:400]!r}")
    print(f"{runs - failures} of {runs} runs equal the plain build")
    sys.exit(1 if failures or not runs else 0)


if __name__ == "__main__":
    main()
