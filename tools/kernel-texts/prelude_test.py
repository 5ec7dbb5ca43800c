#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What CUDA's prelude makes of OpenCL's words, as PTX shows it; exit 77 without NVRTC. Usage: prelude_test.py"""
import re
import sys
import unittest

import compilers

NVRTC = compilers.find_nvrtc()


class Prelude(unittest.TestCase):
    def setUp(self):
        self.compiler = compilers.Nvrtc(NVRTC)

    def ptx(self, body, arguments="__global const float *a, __global float *b", before="", attribute=""):
        compiles, said = self.compiler.compile(f"{before}__kernel __attribute__(({attribute}))\nvoid f({arguments}) {{\n{body}\n}}\n", [])
        self.assertTrue(compiles, said)
        return said

    def refused(self, body):
        compiles, said = self.compiler.compile(f"__kernel void f(__global float *b) {{\n{body}\n}}\n", [])
        self.assertFalse(compiles)
        return said

    def test_vectors_are_read_and_written_by_one_access(self):
        for kind, lanes, access in (("float", 4, "v4.f32"), ("double", 2, "v2.f64"), ("float", 2, "v2.f32"), ("uchar", 4, "v4.u8"), ("uchar", 16, "v4.u32")):
            wide = f"{kind}{lanes}"
            made = ", ".join(f"x.s{lane:X}" for lane in reversed(range(lanes)))
            ptx = self.ptx(f"const {wide} x = *(__global const {wide} *)&a[{lanes} * get_global_id(0)];\n"
                           f"*(__global {wide} *)&b[{lanes} * get_global_id(0)] = MUSTER_MAKE({wide})({made});",
                           f"__global const {kind} *restrict a, __global {kind} *restrict b")
            loads = re.findall(r"\bld\.global\.(\S+)", ptx)
            self.assertTrue(len(loads) == 1 and access in loads[0], (wide, loads))
            self.assertEqual(len(re.findall(r"\bst\.global", ptx)), 1, wide)

    # NVRTC does not join stores at indexes that it sees the making of.
    def test_blocks_that_begin_where_a_vector_does_are_stored_at_once(self):
        body = ("const long i = MUSTER_HIDE(n - (n & 3) + (long)get_global_id(0) * 4);\nif (i >= n) return;\n"
                "const float4 x = *(__global const float4 *)&a[i];\n*(__global float4 *)&b[i] = MUSTER_MAKE(float4)(x.s0, x.s1, x.s2, x.s3);")
        ptx = self.ptx(body, "__global const float *a, __global float *b, long n")
        self.assertEqual(re.findall(r"\bst\.global\.(\S+)", ptx), ["v4.f32"])

    def test_local_arrays_are_shared_and_read_by_one_access(self):
        ptx = self.ptx("__local float t[256] __attribute__((aligned(16)));\nt[get_local_id(0)] = a[get_local_id(0)];\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
                       "const float4 x = *(local const float4 *)&t[4 * (get_local_id(0) % 64)];\nb[get_local_id(0)] = x.s0 + x.s1 + x.s2 + x.s3;")
        self.assertIn("ld.shared.v4.f32", ptx)
        self.assertIn("bar.sync", ptx)

    def test_local_arguments_lie_in_dynamic_memory(self):
        ptx = self.ptx("n_own = muster_dynamic(n_own);\natomic_add((volatile local uint *)&n_own[get_local_id(0)], 1);\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
                       "n[get_local_id(0)] = n_own[get_local_id(0)];", "__global uint *n, local uint *n_own")
        self.assertRegex(ptx, r"\.extern \.shared \.align 16 \.b8 muster_cuda_memory\[\]")
        self.assertRegex(ptx, r"(atom|red)\.shared\.add\.u32")
        self.assertIn("ld.shared.u32", ptx)

    def test_numbers_of_work_items_have_64_bits(self):
        ptx = self.ptx("b[0] = get_global_id(0);", "__global const float *a, __global long *b")
        self.assertNotRegex(ptx, r"mul\.lo\.s32|mad\.lo\.s32")

    def test_kernels_have_their_size(self):
        ptx = self.ptx("b[0] = 1;", attribute="reqd_work_group_size(64, 4, 1)")
        self.assertRegex(ptx, r"\.maxntid 256|\.reqntid 64, 4, 1")  # the exact size where the compiler takes it
        self.assertNotRegex(self.ptx("b[0] = 1;", attribute="work_group_size_hint(64, 4, 1)"), r"\.(max|req)ntid")

    def test_functions_of_floats_stay_functions_of_floats(self):
        for call in ("sqrt(a[0])", "a[0] / a[1]", "fma(a[0], a[1], a[2])", "fabs(a[0])", "rint(a[0])", "ldexp(a[0], 2)", "exp10(a[0])", "pow(a[0], a[1])"):
            self.assertNotIn(".f64", re.sub(r"cvt.f64", "", self.ptx(f"b[0] = {call};")) if call.startswith("pow") else self.ptx(f"b[0] = {call};"), call)
        ptx = self.ptx("b[0] = sqrt(a[0]) / a[1];")
        self.assertIn("sqrt.rn.f32", ptx)
        self.assertIn("div.rn.f32", ptx)

    def test_atomics_of_all_words(self):
        for word in ("int", "uint"):
            for name in ("add", "sub", "xchg", "min", "max", "and", "or", "xor"):
                self.assertRegex(self.ptx(f"b[1] = atomic_{name}(b, 3);", f"volatile __global {word} *b"), r"atom\.global\.\w+\.[subB]+32")
            self.assertIn("atom.global.cas.b32", self.ptx("b[1] = atomic_cmpxchg(b, 3, 4);", f"volatile __global {word} *b"))
        for word in ("long", "ulong"):
            for name in ("add", "sub", "xchg"):
                self.assertRegex(self.ptx(f"b[1] = atom_{name}(b, 3);", f"volatile __global {word} *b"), r"atom\.global\.\w+\.[sub]64")
            self.assertIn("atom.global.cas.b64", self.ptx("b[1] = atom_cmpxchg(b, 3, 4);", f"volatile __global {word} *b"))

    def test_tables_are_constant(self):
        ptx = self.ptx("constant float *p = t;\nb[0] = p[get_local_id(0)];", before="__constant float t[3] = {1.0f, INFINITY, -0.5f};\n")
        self.assertIn("ld.const.f32", ptx)
        self.assertIn("127", re.search(r"\.const .*t\[12\] = \{(.*)\}", ptx).group(1))

    def test_halves_are_converted_by_the_device(self):
        ptx = self.ptx("half h;\nvstore_half_rte(a[0], 0, &h);\nb[0] = vload_half(0, &h) + convert_float_rtz(a[1] * 2.5);")
        for word in ("cvt.rn.f16.f32", "cvt.f32.f16", "cvt.rz.f32.f64"):
            self.assertIn(word, ptx)

    def test_no_number_is_a_vector(self):
        self.assertIn("float4", self.refused("float4 v = 1.0f;\nb[0] = v.s0;").replace("cuda_vector4<float>", "float4"))
        self.refused("*(__global float4 *)b = (float4)(1.0f, 2.0f, 3.0f, 4.0f);")


if __name__ == "__main__":
    if not NVRTC:
        sys.exit(77)
    unittest.main()
