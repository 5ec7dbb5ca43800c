#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""muster-kernels with a fake OpenCL: what it keeps, and how it ends. Usage: muster_kernels_test.py PROGRAM FAKE-OPENCL"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

# The bytes of muster_schedule: four iterations a work-item along axis 0.
SCHEDULE = list(struct.pack("@3B8BHI2B0I" + 4 * "6B4HI2H2B0I" + "4H25f7B8b2H0I", 0, 1, 2, 0, 4, *[0] * 116))


def main():
    program, fake = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "libOpenCL.so.1").symlink_to(fake)
        cache = folder / "cache"
        cache.mkdir(mode=0o700)

        def run(text, **environment):
            variables = {**os.environ, "LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}", **environment}
            result = subprocess.run([program], input=text, env=variables, capture_output=True, text=True, timeout=30, check=False)
            assert not result.stdout.strip(".") and not result.stderr, result
            return result.returncode, len(result.stdout), sorted(str(path) for path in cache.rglob("*") if path.is_file())

        def request(*names):
            kernels = [{"name": name, "location": "a.cpp:1", "text": f"{name} text of {name}", "dimensions": 1, "fp64": False,
                        "schedule": SCHEDULE, "floats": [0] * 5, "iterations": 1e6,
                        "scalars": [{"type": 5, "bytes": [1, 0, 0, 0]}, {"type": 0, "bytes": []}]} for name in names]
            return "".join(json.dumps(line) + "\n" for line in ({"devices": "gpu", "cache": str(cache)}, *kernels))

        code, dots, kept = run(request("fake_mix", "fake_mix_2"))
        assert code == 0 and dots == 2 and len(kept) % 2 == 0 and kept, (code, kept)  # also of the fake's other devices
        code, _, again = run(request("fake_mix"))
        assert code == 0 and again == kept, (code, again)
        code, dots, _ = run(request("fake_mix"), FAKE_OPENCL="no-devices")
        assert code == 2 and dots == 0, (code, dots)
        code, dots, _ = run(request("fake_other", "fake_mix"), FAKE_OPENCL="no-compiler")
        assert code == 1 and dots == 2, (code, dots)  # the second one is kept already
        for damaged in ("", "{", "[]", json.dumps({"devices": "gpu"}), request() + "{"):
            code, _, now = run(damaged)
            assert code == 2 and now == kept, (damaged, code, now)
    print("ok")


main()
