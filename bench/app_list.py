# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public programs that bench/apps.py measures: where they are, which arrays are managed, how they are built and run.

Nothing of theirs is in this repository. `managed` lists names (with * and ?) by file: bench/apps.py writes the directive in
front of each statement of the file that declares or allocates such a name. A name with ! in front is left out.
"""
from app import NUMBER, SIZES, App


def npb(kernel, names, small="A", large="B"):
    lower = kernel.lower()
    common = [f"../common/{name}.cpp" for name in ("c_print_results", "c_randdp", "c_timers", "wtime")]
    return App(f"npb-{lower}", "GMAP/NPB-CPP", f"NPB-OMP/{kernel}", [f"{lower}.cpp", *common], {f"{lower}.cpp": names},
               {size: "" for size in SIZES}, [r"Verification\s+=\s+(\w+)", r"(?:Zeta|L2 Norm) is\s+" + NUMBER],
               r"Time in seconds\s+=\s+" + NUMBER, ["-mcmodel=medium", "-std=c++14"],
               prepare=f"g++ -w -fopenmp -o ../sys/setparams ../sys/setparams.cpp && ../sys/setparams {lower} {{size}}",
               classes={"tiny": "S", "small": small, "large": large})


def hecbench(name, sources, managed, tiny, small, large, result, **more):
    return App(name, "zjin-lcf/HeCBench", f"src/{name}-omp", sources, managed, {"tiny": tiny, "small": small, "large": large}, result, alone=True, **more)


def prk(name, arrays, tiny, small, large, *flags):
    """Parallel Research Kernels; the first argument is the number of threads."""
    common = ["../../common/OPENMP_bail_out.c", "../../common/wtime.c"]
    return App(f"prk-{name.lower()}", "ParRes/Kernels", f"OPENMP/{name}", [f"{name.lower()}.c", *common], {f"{name.lower()}.c": arrays},
               {"tiny": tiny, "small": small, "large": large}, [r"(Solution validates|ERROR.*)"], r"Avg time \(s\):\s*" + NUMBER,
               ["-I../../include", "-DVERBOSE=0", "-DRESTRICT_KEYWORD=0", "-DMAXTHREADS=512", *flags])


def square(cells):
    """The domain of UoB-HPC's codes, which read the same kind of input."""
    return f"""x_cells={cells}
y_cells={cells}
xmin=0.0
ymin=0.0
xmax=10.0
ymax=10.0"""


def tealeaf(cells, steps):
    return f"""*tea
state 1 density=100.0 energy=0.0001
state 2 density=0.1 energy=25.0 geometry=rectangle xmin=0.0 xmax=1.0 ymin=1.0 ymax=2.0
state 3 density=0.1 energy=0.1 geometry=rectangle xmin=1.0 xmax=6.0 ymin=1.0 ymax=2.0
state 4 density=0.1 energy=0.1 geometry=rectangle xmin=5.0 xmax=6.0 ymin=1.0 ymax=8.0
state 5 density=0.1 energy=0.1 geometry=rectangle xmin=5.0 xmax=10.0 ymin=7.0 ymax=8.0
{square(cells)}
initial_timestep=0.004
end_step={steps}
max_iters=10000
use_cg
use_c_kernels
eps 1.0e-15
*endtea
"""


def cloverleaf(cells, steps):
    return f"""*clover
 state 1 density=0.2 energy=1.0
 state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0.0 xmax=5.0 ymin=0.0 ymax=2.0
{square(cells)}
 initial_timestep=0.04
 timestep_rise=1.5
 max_timestep=0.04
 end_step={steps}
 test_problem 2
*endclover
"""


def gap(kernel, small, large):
    shared = {"pvector.h": ["start_", "new_range"], "graph.h": ["index"], "builder.h": ["[*]neighs", "[*]sq_neighs", "[*]inv_neighs", "neighs"],
              "bitmap.h": ["start_"], "sliding_queue.h": ["shared"]}
    return App(f"gap-{kernel}", "sbeamer/gapbs", "src", [f"{kernel}.cc"], shared, {"tiny": "-g 10 -n 2 -v", "small": small, "large": large},
               [r"Verification:\s*(PASS|FAIL)", r"(\d+) triangles", r"Graph has (\d+) nodes"], r"Average Time:\s*" + NUMBER, ["-std=c++11"])


MINIFE = ["-DMINIFE_SCALAR=double", "-DMINIFE_LOCAL_ORDINAL=int", "-DMINIFE_GLOBAL_ORDINAL=int", "-DMINIFE_CSR_MATRIX", "-I.", "-I../utils", "-I../fem",
          "-I../basic"]

APPS = [
    App("lulesh", "LLNL/LULESH", ".", ["lulesh.cc", "lulesh-comm.cc", "lulesh-viz.cc", "lulesh-util.cc", "lulesh-init.cc"],
        {"lulesh.h": ["m_*"], "lulesh.cc": ["*", "!locDom"], "lulesh-init.cc": ["m_nodeElem*", "m_reg*"]},
        {"tiny": "-s 6 -i 4", "small": "-s 45 -i 40", "large": "-s 90 -i 30"}, [r"Final Origin Energy\s*=\s*" + NUMBER],
        r"Elapsed time\s*=\s*" + NUMBER, ["-DUSE_MPI=0"]),
    App("hpccg", "Mantevo/HPCCG", ".", ["main.cpp", "generate_matrix.cpp", "read_HPC_row.cpp", "compute_residual.cpp", "mytimer.cpp", "dump_matlab_matrix.cpp",
                                        "HPC_sparsemv.cpp", "HPCCG.cpp", "waxpby.cpp", "ddot.cpp", "make_local_matrix.cpp", "exchange_externals.cpp",
                                        "YAML_Element.cpp", "YAML_Doc.cpp"],
        {"HPCCG.cpp": ["r", "p", "Ap"], "generate_matrix.cpp": ["*", "![*]A"]},
        {"tiny": "8 8 8", "small": "80 80 80", "large": "160 160 160"}, [r"Final residual:\s*:?\s*" + NUMBER, r"Number of iterations:\s*:?\s*(\d+)"],
        r"Total\s*:\s*" + NUMBER, ["-DUSING_OMP"]),
    # The final residual of the plain build depends on the number of its threads: 1.3e-4, 1.4e-4, 2.9e-4.
    App("minife", "Mantevo/miniFE", "openmp/src", ["main.cpp", "YAML_Doc.cpp", "YAML_Element.cpp", "../utils/param_utils.cpp", "../utils/utils.cpp", "../utils/mytimer.cpp",
                                                   "../utils/BoxPartition.cpp"],
        {"CSRMatrix.hpp": ["rows", "row_offsets", "packed_*"], "Vector.hpp": ["coefs"]},
        {"tiny": "-nx 6", "small": "-nx 60", "large": "-nx 160"}, [r"Initial Residual = " + NUMBER], r"Total CG Time:\s*" + NUMBER, MINIFE),
    App("tealeaf", "UoB-HPC/TeaLeaf", ".", ["driver/*.cpp", "src/omp/*.cpp"], {"src/omp/kernel_initialise.cpp": ["a"]},
        {size: "" for size in SIZES}, [r"Actual\s+" + NUMBER, r"(\d+) iterations", r"Temp\w*:?\s+" + NUMBER],
        r"Wallclock:\s+" + NUMBER, ["-DNO_MPI", "-Idriver", "-Isrc/omp", "-std=c++17"],
        inputs={"tea.in": {"tiny": tealeaf(64, 1), "small": tealeaf(512, 2), "large": tealeaf(2000, 2)}}),
    # Its function that allocates returns what malloc gives; the pointer gets a name, so that it can be marked.
    App("cloverleaf", "UoB-HPC/CloverLeaf", ".", ["driver/*.cpp", "src/omp/*.cpp"], {"src/omp/context.h": ["made"]},
        {size: "--file clover.in" for size in SIZES}, [r"is within " + NUMBER],  # by its kinetic energy
        r"Wall clock\s+" + NUMBER, ["-DNO_MPI", "-Idriver", "-Isrc/omp", "-std=c++17"],
        prepare=r"sed -i 's/^\(.*T \*alloc(size_t count) {{\) return \(static_cast.*;\) }}/\1\n  T *made = \2\n  return made;\n}}/' src/omp/context.h",
        classes={size: size for size in SIZES},
        inputs={"clover.in": {"tiny": cloverleaf(64, 10), "small": cloverleaf(960, 20), "large": cloverleaf(3840, 50)}}),
    *(npb(kernel, names) for kernel, names in (("CG", ["*"]), ("MG", ["u", "v", "r"]), ("LU", ["u", "rsd", "frct", "qs", "rho_i"]),
                                               *((kernel, ["*", "!grid_points", "!ce"]) for kernel in ("SP", "BT")))),
    prk("Stencil", ["in", "out"], "2 4 100", "2 20 4000", "16 20 16000", "-DSTAR=1", "-DDOUBLE=1", "-DRADIUS=2", "-DLOOPGEN=0", "-DPARALLELFOR=0"),
    prk("Transpose", ["A", "B"], "2 4 100", "2 20 4000", "16 20 16000", "-DCOLLAPSE=0"),
    prk("Nstream", ["a"], "2 4 1000 0", "2 20 20000000 0", "16 40 200000000 0", "-DSTATIC_ALLOCATION=0", "-DMAXLENGTH=2000000"),
    prk("Sparse", ["matrix", "vector", "colIndex"], "2 4 5 2", "2 20 10 4", "16 20 12 6", "-DSCRAMBLE=1"),
    App("xsbench", "ANL-CESAR/XSBench", "openmp-threading", ["*.c"], {"GridInit.c": ["SD.*"], "Materials.c": ["num_nucs", "mats", "concs"], "Simulation.c": ["SD.*"]},
        {"tiny": "-m event -s small -g 100 -l 1000", "small": "-m event -s small -g 1000 -l 2000000", "large": "-m event -s large -l 17000000"},
        [r"Verification checksum:\s*(\d+)"], r"Runtime:\s*" + NUMBER, ["-DOPENMP", "-std=gnu99"]),
    App("babelstream", "UoB-HPC/BabelStream", "src", ["main.cpp", "omp/OMPStream.cpp"], {"omp/OMPStream.cpp": ["this->?"]},
        {"tiny": "-s 65536 -n 4", "small": "-s 16777216 -n 20", "large": "-s 134217728 -n 100"}, [r"(Validation failed)"], "", ["-DOMP", "-I.", "-Iomp", "-std=c++17"]),
    *(gap(kernel, f"-g 18 -n {trials}", f"-g 22 -n {trials}") for kernel, trials in (("bc", 4), ("bfs", 16), ("cc", 16), ("pr", 4), ("tc", 1))),
    App("srad", "yuhc/gpu-rodinia", "openmp/srad/srad_v2", ["srad.cpp"], {"srad.cpp": ["J", "c", "iN", "iS", "jW", "jE", "dN", "dS", "dW", "dE"]},
        {"tiny": "64 64 0 20 0 20 2 0.5 4", "small": "2048 2048 0 127 0 127 2 0.5 40", "large": "8192 8192 0 127 0 127 16 0.5 30"},
        [r"(Computation Done)", r"(\d\.\d{5}) "], classes={size: size for size in SIZES},
        prepare=r"[ {size} != tiny ] || sed -i 's/^\/\/#define OUTPUT/#define OUTPUT/' srad.cpp"),
    hecbench("heat2d", ["main.cpp"], {"main.cpp": ["h_*", "d_*", "buffer"]}, "64 64 5", "2048 2048 60", "8192 8192 300", [r"(PASS|FAIL)"]),
    hecbench("iso2dfd", ["iso2dfd.cpp"], {"iso2dfd.cpp": ["prev_base", "next_base", "vel_base"]}, "64 64 5", "2048 2048 60", "8192 8192 200",
             [r"(PASS|FAIL)"]),
]
