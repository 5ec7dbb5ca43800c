# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/apps.py is told of a program: where it is, which arrays are managed, how it is built and run."""
from dataclasses import dataclass, field

NUMBER = r"([-+0-9.eE]+|[-+]?nan|[-+]?inf)"
SIZES = ("tiny", "small", "large")  # of a test; about 2 s of the plain build on 2 cores; the same on 16


@dataclass
class App:
    name: str
    repository: str  # owner/name on GitHub
    folder: str
    sources: list
    managed: dict
    arguments: dict  # by size
    result: list  # expressions whose groups are the result, beside its exit status
    time: str = ""  # its group is the program's own time in seconds
    flags: list = field(default_factory=list)
    prepare: str = ""  # a command that makes sources; {size} is that of `classes`
    classes: dict = field(default_factory=dict)
    inputs: dict = field(default_factory=dict)  # files that it reads where it runs: {name: {size: text}}
    alone: bool = False  # needs nothing of its repository but its folder
    tolerance: float = 1e-6
    also: dict = field(default_factory=dict)  # other repositories that it needs, by their folder in its tree
    races: str = ""  # why plain OpenMP gives different results: only the exit status is compared
    declares: list = field(default_factory=list)  # more expressions whose group is the name of an array that a line declares
    ignore: list | None = None  # the result is also all that it prints, without the lines in which one of these is found
    outputs: list = field(default_factory=list)  # files that it writes where it runs: their words are results, too
