# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilers that take texts of kernels as CUDA C++. NVIDIA's needs no GPU; it is no part of Muster, and may be missing."""
import ctypes
import ctypes.util
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PRELUDE = HERE.parents[1] / "cdm" / "src" / "backends" / "cuda" / "prelude.cpp"


def prelude():
    """What stands in front of each text, out of the source that defines it."""
    return re.search(r'R"\((.*?)\)"', PRELUDE.read_text(encoding="utf-8"), re.DOTALL).group(1)


def find_nvrtc():
    """The library's path, or None. MUSTER_NVRTC names another one, or none."""
    named = os.environ.get("MUSTER_NVRTC")
    if named is not None:
        return named or None
    places = [*pathlib.Path("/usr/local").glob("cuda*/lib*/libnvrtc.so*"), *pathlib.Path("/usr/lib").glob("*/libnvrtc.so*")]
    return str(max(places)) if places else ctypes.util.find_library("nvrtc")


class Nvrtc:
    OPTIONS = ["--std=c++20", "--device-as-default-execution-space", "--fmad=false", "-w"]

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.prelude = prelude().encode()

    def _text(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, text)
        return text.value.decode(errors="replace")

    def compile(self, text, definitions, architecture="compute_90"):
        """Whether it compiles, and the PTX, or what the compiler says. For sm_90 there is machine code as well."""
        options = [*self.OPTIONS, f"--gpu-architecture={architecture}", "--pre-include=prelude", *definitions]
        program = ctypes.c_void_p()
        header, name = (ctypes.c_char_p * 1)(self.prelude), (ctypes.c_char_p * 1)(b"prelude")
        self.library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel", 1, header, name)
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        compiles = self.library.nvrtcCompileProgram(program, len(options), given) == 0
        said = self._text(program, "PTX" if compiles else "ProgramLog")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return compiles, said


class Clang:
    """Knows CUDA's words, but not its functions."""
    COMMAND = [shutil.which("clang++-19") or "clang++", "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70",
               "-std=c++20", "-fsyntax-only", "-w", "-include", str(HERE / "stubs.cuh")]

    def __init__(self, _):
        self.prelude = prelude()

    def compile(self, text, definitions, _=None):
        run = subprocess.run([*self.COMMAND, *definitions, "-"], input=self.prelude + text, capture_output=True, text=True, check=False)
        return run.returncode == 0, run.stderr
