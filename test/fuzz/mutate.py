#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deletes, swaps, repeats and replaces tokens of the test sources and of generated programs, and checks that the
compiler with the plugin neither crashes nor hangs, and fails only where the plain compiler fails too. What does not is
kept in --keep.

    mutate.py --plugin build/lib/libmuster-plugin.so --count 500 --seed 1
"""
import argparse
import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import generate
import mixed

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/|\w+|\n|[^\S\n]+|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|::|->|\+\+|--|.',
                   re.DOTALL)
SNIPPETS = ["#pragma omp parallel for\n", "#pragma omp managed(a)\n", "#pragma ompx alloc_start\n", "#pragma omp alloc_end\n",
            "template <class T>\n", "for (int i = 0; i < n; ++i)", "{", "}", "(", ")", ";", "#if 1\n", "#endif\n", "[]", "auto"]


def mutate(text, random_source):
    tokens = [token for token in TOKEN.findall(text) if not token.startswith("//")]
    words = [i for i, token in enumerate(tokens) if not token.isspace()]
    for _ in range(random_source.randint(1, 4)):
        at, other = random_source.choice(words), random_source.choice(words)
        kind = random_source.randrange(6)
        if kind == 0:
            tokens[at] = ""
        elif kind == 1:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 2:
            tokens[at] = tokens[at] + " " + tokens[at]
        elif kind == 3:
            tokens[at] = tokens[other]
        elif kind == 4:
            tokens[at] = "\n" + random_source.choice(SNIPPETS) + tokens[at]
        else:
            for i in range(at, min(at + random_source.randint(2, 12), len(tokens))):
                tokens[i] = ""
    return "".join(tokens)


def compile_file(options, path, plugin):
    command = [options.compiler if path.suffix == ".cpp" else options.c_compiler, "-fopenmp", "-w", "-fsyntax-only"]
    command += ["-I", str(ROOT / "lit-tests" / "Exec")] + (["-std=c++20"] if path.suffix == ".cpp" else [])
    command += [f"-fplugin={options.plugin}", "-fplugin-arg-muster-remarks=none"] if plugin else []
    try:
        done = subprocess.run(command + [str(path)], capture_output=True, text=True, errors="replace", timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return "hangs", ""
    crashed = done.returncode not in (0, 1) or "PLEASE submit a bug report" in done.stderr
    return ("crashes" if crashed else "fails" if done.returncode else "compiles"), done.stderr


def generated(seed):
    """(name, suffix, text) of a mixed program; its header stands where it is included."""
    program = generate.Program(seed, c=seed % 4 == 0)
    own, *header = program.write().split(mixed.FILE)
    for text in header:
        name, rest = text.split("\n", 1)
        own = own.replace(f'#include "{name}"', rest.replace("#pragma once\n", ""))
    return f"seed {seed}", program.suffix, own


def check(options, source, number):
    """None, or what went wrong; `source` is a seed or a path."""
    name, suffix, text = generated(source) if isinstance(source, int) else (source.name, source.suffix, source.read_text())
    random_source = random.Random(f"{options.seed}:{number}")
    folder = pathlib.Path(options.keep)
    # Beside nothing: quotes in #include find the test's own headers by -I.
    path = folder / f"mutant_{number}{suffix}"
    path.write_text(mutate(text, random_source))
    verdict, output = compile_file(options, path, plugin=True)
    problem = None
    if verdict in ("crashes", "hangs"):
        plain, _ = compile_file(options, path, plugin=False)
        problem = None if plain == verdict else verdict
    elif verdict == "fails" and "muster: internal error" not in output:
        plain, _ = compile_file(options, path, plugin=False)
        # Malformed and misplaced directives of ours are errors of the plugin's alone.
        ours = re.search(r"#\s*pragma\s+ompx?\s+(managed|alloc_start|alloc_end)", path.read_text())
        problem = "fails only with the plugin" if plain == "compiles" and not ours else None
    if "muster: internal error" in output:
        problem = "rewrites to text that does not compile"
    if problem is None:
        path.unlink()
        return None
    (folder / f"mutant_{number}.log").write_text(output)
    return f"{path} (from {name}) {problem}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--compiler", default="clang++-19")
    parser.add_argument("--c-compiler", default="clang-19")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--keep", help="folder for mutants that show a problem")
    options = parser.parse_args()
    options.keep = options.keep or tempfile.mkdtemp(prefix="muster-mutants-")
    pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    picked = random.Random(options.seed)
    sources = sorted(path for folder in ("Exec", "OpenCL", "Rewrite", "Analysis", "Diagnostics", "Pragma")
                     for path in (ROOT / "lit-tests" / folder).glob("*.c*") if path.suffix in (".c", ".cpp"))
    chosen = [picked.randrange(1, 10**6) if picked.random() < 0.5 else picked.choice(sources) for _ in range(options.count)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        problems = [problem for problem in pool.map(lambda pair: check(options, *pair),
                                                    ((source, number) for number, source in enumerate(chosen))) if problem]
    for problem in problems:
        print(problem)
    print(f"{options.count} mutants, {len(problems)} with a problem" + (f", kept in {options.keep}" if problems else ""))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
