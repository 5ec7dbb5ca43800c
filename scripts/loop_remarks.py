# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What became of each parallel loop of a program, by the plugin's remarks (-fplugin-arg-muster-remarks=all)."""
import collections
import pathlib
import re

# A worksharing loop or a combined construct, spelled as a directive or as an operator.
LOOP = re.compile(r"""^\s*\#\s*pragma\s+omp\s+(?:parallel\s+for|for|target\b.*\bfor|loop)\b|_Pragma\(\s*"omp\s+(?:parallel\s+)?for\b""")
REMARK = re.compile(r"^(.*?):(\d+):\d+: remark: (.*?)(?: \[-Rmuster(?:-missed)?\])?$")
DISTRIBUTED, CPUS_ONLY, BACK, UNSEEN = "distributed", "distributed, CPUs only", "stepped back", "plain OpenMP"


def read_remarks(text, folder):
    """What a compiler that ran in the folder said: remarks, (file, line) -> texts; and errors."""
    found, errors = collections.defaultdict(list), []
    for line in text.splitlines():
        if match := REMARK.match(line):
            found[((folder / match[1]).resolve(), int(match[2]))].append(match[3])
        elif ": error: " in line or "internal error" in line:
            errors.append(line)
    return found, errors


def fate(texts):
    """What the remarks on one directive say became of its loop, and why. Templates and regions give several."""
    why = [re.sub(r"^.*?: ", "", t) for t in texts if "stays plain" in t or "stay plain" in t or "steps back" in t]
    only = [re.sub(r"^.*runs on CPUs only: ", "", t) for t in texts if "runs on CPUs only" in t]
    done = [t for t in texts if "is outlined as" in t]
    if why:
        return BACK, "; ".join(dict.fromkeys(why))
    if only:
        return CPUS_ONLY, "; ".join(dict.fromkeys(only))
    return (DISTRIBUTED, "") if done else (UNSEEN, "no remark")


def region_of(path, number, found):
    """The remarks on the parallel region around an `omp for`: they speak for its loops if there are none on these."""
    lines = path.read_text(errors="replace").splitlines()
    for above in range(number - 1, 0, -1):
        if lines[above - 1].startswith("}"):
            return []
        if re.match(r"\s*#\s*pragma\s+omp\s+parallel\b(?!.*\bfor\b)", lines[above - 1]):
            return found[(path.resolve(), above)]
    return []


def fates(paths, remarks):
    """Rows (place, fate, reason) of all loops in these files."""
    rows, uses, folders = [], set(), {path.parent.resolve() for path in paths}
    for path in paths:
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if not LOOP.search(line):
                continue
            texts = remarks[(path.resolve(), number)]
            if not texts and "parallel" not in line:
                texts = region_of(path, number, remarks)
            if line.lstrip().startswith("#define"):  # each use of the macro is a loop
                name = line.split()[1].split("(")[0]
                for place, said in sorted(remarks.items()):
                    lines = place[0].read_text(errors="replace").splitlines() if place[0].parent in folders else []
                    if place[1] <= len(lines) and re.search(rf"\b{name}\b", lines[place[1] - 1]) and place[1] != number and (place, name) not in uses:
                        uses.add((place, name))  # it may be defined again, under another condition or in a header beside this one
                        rows.append((f"{place[0].name}:{place[1]} ({name})", *fate(said)))
            else:
                rows.append((f"{path.name}:{number}", *fate(texts)))
    return rows
