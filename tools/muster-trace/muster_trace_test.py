#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs muster-trace on small traces whose numbers are known, and on that of a real run.

usage: muster_trace_test.py MUSTER_TRACE [MUSTER++ MPIRUN SAMPLES]
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TOOL = sys.argv[1]
REAL_RUN = sys.argv[2:5]
HOST, MESSAGES, KERNELS, TRANSFERS = 1, 1001, 2001, 3001


class Maker:
    """A trace as MUSTER_TRACE writes it; times are milliseconds."""

    def __init__(self, ranks=2, first=0):
        self.events, self.other = [], {}
        for rank in range(first, first + ranks):
            self.name("process_name", rank, HOST, f"rank {rank} on node{rank}")
            for thread, name in ((HOST, "host"), (MESSAGES, "messages"), (MESSAGES + 1, "messages (2)"),
                                 (KERNELS, f"[{rank}] cpu, X: kernels"), (TRANSFERS, f"[{rank}] cpu, X: transfers")):
                self.name("thread_name", rank, thread, name)

    def name(self, what, rank, thread, name):
        self.events.append({"name": what, "ph": "M", "pid": rank + 1, "tid": thread, "args": {"name": name}})

    def add(self, category, name, rank, thread, begin, end, command=1, loop="/src/a.cpp:7", **arguments):
        if loop:
            arguments.update(loop=loop, kernel="k")
        self.events.append({"name": name, "cat": category, "ph": "X", "ts": begin * 1000, "dur": (end - begin) * 1000,
                            "pid": rank + 1, "tid": thread, "args": {"command": command, **arguments}})

    def message(self, sender, receiver, sent, received, begin, command=1, array="u", size=2048):
        for name, rank, peer, at, end, phase in ((f"send {array} to rank {receiver}", sender, receiver, sent, received, "s"),
                                                 (f"receive {array} from rank {sender}", receiver, sender, begin, received, "f")):
            self.add("message", name, rank, MESSAGES, at, end, command, None, array=array, bytes=size, peer=peer)
            self.events.append({"name": "message", "cat": "message", "ph": phase, "id": f"{sender}-{receiver}-{command}-0",
                                "ts": (at if phase == "s" else end) * 1000, "pid": rank + 1, "tid": MESSAGES})

    def text(self):
        return json.dumps({"displayTimeUnit": "ns", "traceEvents": self.events, "otherData": self.other})


def small():
    """Rank 0 computes for 600 ms and then sends; rank 1 waits for it, and computes for 100 ms."""
    trace = Maker()
    trace.add("host", "launch /src/a.cpp:7", 0, HOST, 100, 800)
    trace.add("host", "plan", 0, HOST, 100, 110)
    trace.add("kernel", "k", 0, KERNELS, 110, 710)
    trace.add("host", "launch /src/a.cpp:7", 1, HOST, 100, 900)
    trace.add("host", "wait", 1, HOST, 120, 800, loop=None)
    trace.message(0, 1, 720, 800, 115)
    trace.add("kernel", "k", 1, KERNELS, 800, 900)
    return trace


class MusterTrace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def run_tool(self, *arguments):
        return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=120)

    def text_of(self, trace, *arguments):
        done = self.run_tool(self.path("t.json", trace if isinstance(trace, str) else trace.text()), *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100, done.stdout)
        return done.stdout

    def line(self, text, start):
        return next(line for line in text.splitlines() if line.startswith("  " + start)).split()

    def test_times_of_devices(self):
        text = self.text_of(small())
        self.assertTrue(text.startswith("900.000 ms: 2 ranks on 2 hosts, 2 devices, 8 events\n"), text)
        # Busy, moving (the message, once both sides are ready), waiting, idle.
        self.assertEqual(self.line(text, "[0] cpu, X")[3:],
                         "600.000 67 % 80.000 9 % 20.000 2 % 200.000 22 %".split())
        self.assertEqual(self.line(text, "[1] cpu, X")[3:],
                         "100.000 11 % 80.000 9 % 620.000 69 % 100.000 11 %".split())
        self.assertIn("rank 0 on node0: planned 10.000 ms, waited 0 s, sent 2.0 KiB, received 0 B\n", text)
        self.assertIn("rank 1 on node1: planned 0 s, waited 680.000 ms, sent 0 B, received 2.0 KiB\n", text)

    def test_loops(self):
        trace = small()
        for command in (2, 3):
            for rank in (0, 1):
                trace.add("host", "launch /src/b.cpp:9", rank, HOST, 900, 950, command, "/src/b.cpp:9")
        trace.add("host", "wait", 0, HOST, 960, 965, 4, None)
        text = self.text_of(trace)
        self.assertEqual(self.line(text, "/src/a.cpp:7")[1:], "1 700.000 680.000 10.000 2.0 KiB".split())
        self.assertEqual(self.line(text, "/src/b.cpp:9")[1:], "2 0.000 0.000 0.000 0 B".split())
        self.assertEqual(self.line(text, "(the program's own accesses)")[4:], "0 0.000 5.000 0.000 0 B".split())

    def test_a_wait_for_a_message_says_what_its_sender_did(self):
        text = self.text_of(small())
        self.assertIn("680.000 ms, from 0.120000 s, rank 1 in /src/a.cpp:7\n"
                      "      for u (2.0 KiB) from rank 0, which it sent 600.000 ms later: until then it computed\n"
                      "      /src/a.cpp:7\n", text)

    def test_other_reasons(self):
        trace = Maker()
        trace.add("host", "wait", 0, HOST, 0, 400, loop=None)
        trace.add("transfer", "read v", 0, TRANSFERS, 0, 399, loop=None, array="v", bytes=1024)
        trace.add("host", "wait", 1, HOST, 0, 300, loop=None)
        trace.add("kernel", "k", 1, KERNELS, 0, 299)
        trace.add("host", "wait", 1, HOST, 500, 700, 2, None)
        trace.add("host", "wait", 1, HOST, 800, 900, 3, None)  # the fourth
        text = self.text_of(trace)
        self.assertIn("400.000 ms, from 0.000000 s, rank 0", text)
        self.assertIn("for a transfer: read v (1.0 KiB)\n", text)
        self.assertIn("for [1] cpu, X to compute\n", text)
        self.assertIn("for nothing that the trace shows\n", text)
        self.assertNotIn("100.000 ms, from", text)

    def test_events_that_were_left_out_are_told(self):
        trace = small()
        trace.other["events left out on rank 1"] = 1234
        self.assertIn("left out: the last 1234 events of rank 1", self.text_of(trace))
        self.assertNotIn("left out", self.text_of(small()))

    def test_traces_of_several_programs_lie_beside_one_another(self):
        def of(rank, later):
            trace = Maker(1, rank)
            trace.add("kernel", "k", rank, KERNELS, 0, 100)
            trace.other["time of day at 0, in ns"] = 1_800_000_000_000_000_000 + later * 1_000_000
            return trace

        paths = [self.path(f"t.{rank}", of(rank, later).text()) for rank, later in ((0, 150), (1, 0), (2, 50))]
        done = self.run_tool(*paths)
        self.assertTrue(done.stdout.startswith("250.000 ms: 3 ranks on 3 hosts, 3 devices, 3 events\n"), done)
        for rank in range(3):
            self.assertEqual(self.line(done.stdout, f"[{rank}] cpu, X")[3:5], ["100.000", "40"])
        # Of the second half, rank 0 computes in all but the first quarter, rank 2 in that one only.
        late = self.run_tool(*paths, "--from", "0.125")
        self.assertEqual(self.line(late.stdout, "[0] cpu, X")[3], "100.000")
        self.assertEqual(self.line(late.stdout, "[2] cpu, X")[3], "25.000")
        same = self.run_tool(*paths, self.path("again", of(1, 0).text()))
        self.assertEqual(same.returncode, 1)
        self.assertIn("again: has rank 1, as another file has", same.stderr)
        old = of(3, 0)
        old.other.clear()
        self.assertIn("nothing of the time of day", self.run_tool(*paths, self.path("old", old.text())).stderr)
        self.assertIn("gone: cannot be read", self.run_tool(*paths, self.path("gone")).stderr)

    def test_clocks_of_hosts_are_compared_by_joint_calls(self):
        """Rank 1's clock is 70 ms ahead, rank 2's 2 ms, which these calls cannot tell from none."""
        def of(rank, ahead):
            trace = Maker(1, rank)
            for number, (begin, end) in enumerate([(100 + 5 * rank, 130), (200 - 5 * rank, 212)], 1):
                trace.add("call", "MPI_Allreduce", rank, HOST, begin, end, 0, None, together=number)
            trace.add("call", "MPI_Send", rank, HOST, 300, (301, 305, 302)[rank], 0, None)
            trace.other["time of day at 0, in ns"] = 1_800_000_000_000_000_000 + ahead * 1_000_000
            return trace

        done = self.run_tool(*[self.path(f"t.{rank}", of(rank, ahead).text()) for rank, ahead in enumerate((0, 70, 2))])
        # Rank 1 begins the first call 30 ms before it ends in rank 0, and the second one ends 12 ms after it begins there.
        # So its clock is ahead by 53 to 82 ms, or 67.5; its last call ends at 305 + 70 - 67.5 ms.
        self.assertTrue(done.stdout.startswith("307.500 ms: 3 ranks on 3 hosts, 3 devices, 9 events\n"), done)
        self.assertIn("calls of MPI (ms)                          calls   all ranks        most  by\n", done.stdout)
        self.assertEqual(self.line(done.stdout, "MPI_Allreduce"), "MPI_Allreduce 6 126.000 42.000 rank 0".split())
        self.assertEqual(self.line(done.stdout, "MPI_Send"), "MPI_Send 3 8.000 5.000 rank 1".split())

    def test_cutting(self):
        text = self.text_of(small(), "--from", "0.4", "--to", "0.6")
        self.assertTrue(text.startswith("200.000 ms: "), text)
        self.assertEqual(self.line(text, "[0] cpu, X")[3:6], "200.000 100 %".split())
        done = self.run_tool(self.path("t.json"), "--from", "5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing between these times", done.stderr)

    def svg_of(self, trace, *arguments):
        out = self.path("t.svg")
        done = self.run_tool(self.path("t.json", trace.text()), "--svg", out, *arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertLess(os.path.getsize(out), 1_100_000)
        return xml.etree.ElementTree.parse(out).getroot()

    def test_drawing(self):
        svg = self.svg_of(small())
        space = "{http://www.w3.org/2000/svg}"
        texts = [element.text for element in svg.iter(f"{space}text")]
        for text in ("rank 0 on node0", "rank 1 on node1", "host", "messages", "[0] cpu, X: kernels", "waiting", "0.0 s",
                     "a.cpp:7", "0.9 s"):
            self.assertIn(text, texts)
        titles = [element.find(f"{space}title").text for element in svg.iter(f"{space}rect")
                  if element.find(f"{space}title") is not None]
        self.assertIn("k, /src/a.cpp:7, 600.000 ms", titles)
        self.assertIn("send u to rank 1, 80.000 ms, 2.0 KiB", titles)
        self.assertEqual(len(titles), 8)
        (kernel,) = [element for element in svg.iter(f"{space}rect")
                     if element.find(f"{space}title") is not None and "600.000" in element.find(f"{space}title").text]
        self.assertAlmostEqual(float(kernel.get("width")), 1200 * 600 / 900, delta=0.2)

    def test_threads_have_strips_by_where_their_launches_were(self):
        trace = small()
        for number, category in ((0, "core"), (1, "device")):
            trace.name("thread_name", 0, 9001 + 1000 * number, f"thread {number}")
            trace.add(category, "k", 0, 9001 + 1000 * number, 100, 700)
        space = "{http://www.w3.org/2000/svg}"
        svg = self.svg_of(trace)
        texts = [element.text for element in svg.iter(f"{space}text")]
        for text in ("thread 0", "thread 1", "thread on its core", "thread on its device"):
            self.assertIn(text, texts)
        boxes = [element.get("class") for element in svg.iter(f"{space}rect") if element.find(f"{space}title") is not None]
        self.assertEqual((boxes.count("o"), boxes.count("d")), (1, 1))

    def test_names_are_escaped(self):
        trace = small()
        trace.add("kernel", "a<b>&\"c\"", 0, KERNELS, 800, 820, loop="/src/<x>.cpp:1")
        self.svg_of(trace)

    def test_a_drawing_of_many_events_stays_small(self):
        trace = Maker(4)
        for rank in range(4):
            for i in range(8000):
                length = 0.02 if i % 3 else 1.3
                trace.add("kernel", "k", rank, KERNELS, 2 * i, 2 * i + length, i)
                trace.add("host", "wait", rank, HOST, 2 * i + length, 2 * i + 1.9, i, None)
        space = "{http://www.w3.org/2000/svg}"
        for arguments in ([], ["--from", "1", "--to", "3"]):
            boxes = [element for element in self.svg_of(trace, *arguments).iter(f"{space}rect")
                     if element.find(f"{space}title") is not None]
            self.assertTrue(100 < len(boxes) <= 4000, len(boxes))

    def test_files_that_cannot_be_used(self):
        whole = small().text()
        for text, why in ((None, "No such file"), ("", "is empty"), (whole[:-40], "is cut off"), ("hello", "is no trace"),
                          ("[1, 2]", "is no trace"), ("{}", "is no trace"), ('{"traceEvents":[]}', "is no trace"),
                          ('{"traceEvents":[{"ph":"X","name":"wait","cat":"host"}]}', "is no trace"),
                          (whole.replace("rank 0 on", "node"), "is no trace"),
                          (whole.replace('"thread_name"', '"thread"'), "is no trace")):
            path = self.path("bad.json", text)
            done = self.run_tool(path)
            self.assertEqual((done.returncode, done.stdout), (1, ""), text)
            self.assertTrue(done.stderr.startswith(f"muster-trace: {path}: "), done.stderr)
            self.assertIn(why, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("is a folder", self.run_tool(self.folder).stderr)

    def test_a_drawing_that_cannot_be_written(self):
        done = self.run_tool(self.path("t.json", small().text()), "--svg", "/does/not/exist.svg")
        self.assertEqual(done.returncode, 1)
        self.assertIn("muster-trace: /does/not/exist.svg: cannot be written", done.stderr)

    def test_options(self):
        self.assertNotEqual(self.run_tool().returncode, 0)
        self.assertNotEqual(self.run_tool("--sgv").returncode, 0)
        self.assertIn("--svg", self.run_tool("--help").stdout)
        self.assertRegex(self.run_tool("--version").stdout, r"^\d+\.\d+\.\d+\n$")


@unittest.skipUnless(REAL_RUN, "no compiler given")
class RealRun(unittest.TestCase):
    """The trace of a program over two ranks: Chrome's trace event format, event by event, and what the tool says."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        compiler, mpirun, samples = REAL_RUN
        folder = cls.holder.name
        program, cls.path = os.path.join(folder, "jacobi"), os.path.join(folder, "trace.json")
        env = {k: v for k, v in os.environ.items() if not k.startswith("MUSTER_")}
        subprocess.run([compiler, "-O1", f"-I{samples}/common", f"{samples}/jacobi/jacobi.cpp", "-o", program], env=env,
                       check=True, timeout=120)
        env.update(MUSTER_TRACE=cls.path, MUSTER_TUNE="off", MUSTER_DEVICES="0=cpu;1=cpu,pocl", MUSTER_MIN_SHARE="0",
                   MUSTER_WEIGHTS="1,1,1", MUSTER_CACHE_DIR=folder, OMP_NUM_THREADS="1")
        subprocess.run([mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2", program, "300",
                        "300", "10"], env=env, check=True, stdout=subprocess.DEVNULL, timeout=200)
        with open(cls.path, encoding="utf-8") as file:
            cls.trace = json.load(file)
        cls.events = cls.trace["traceEvents"]

    def test_ranks_that_are_programs_write_traces_that_go_together(self):
        program, paths = os.path.join(self.holder.name, "jacobi"), [self.path + f".{rank}" for rank in (0, 1)]
        env = {k: v for k, v in os.environ.items() if not k.startswith("MUSTER_")}
        env.update(MUSTER_RANKS="own", MUSTER_TRACE=self.path, MUSTER_DEVICES="cpu", OMP_NUM_THREADS="1")
        os.rename(self.path, self.path + ".kept")
        try:
            subprocess.run([REAL_RUN[1], "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2", program,
                            "100", "100", "5"], env=env, check=True, stdout=subprocess.DEVNULL, timeout=200)
        finally:
            os.rename(self.path + ".kept", self.path)
        done = subprocess.run([TOOL, *paths], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"^[\d.]+ [um]?s: 2 ranks on 1 host, 2 devices, \d+ events\n")
        self.assertEqual(re.findall(r"^rank (\d) on", done.stdout, re.M), ["0", "1"])

    def of(self, phase):
        found = [event for event in self.events if event["ph"] == phase]
        self.assertTrue(found, phase)
        return found

    def test_fields(self):
        self.assertEqual(set(self.trace), {"displayTimeUnit", "traceEvents", "otherData"})
        fields = {"X": {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"},
                  "s": {"name", "cat", "ph", "id", "ts", "pid", "tid"},
                  "f": {"name", "cat", "ph", "id", "ts", "pid", "tid", "bp"}, "M": {"name", "ph", "pid", "tid", "args"}}
        for event in self.events:
            self.assertEqual(set(event), fields[event["ph"]], event)
            # Perfetto takes process 0 and thread 0 for the idle task of Linux, and refuses times below 0.
            self.assertTrue(event["pid"] > 0 and 0 < event["tid"] < 2**31, event)
            self.assertTrue(event.get("ts", 0) >= 0 and event.get("dur", 0) >= 0, event)
        for event in self.of("f"):
            self.assertEqual(event["bp"], "e")

    def test_names(self):
        names = collections.Counter((event["name"], event["pid"], event["tid"] if "thread" in event["name"] else 0)
                                    for event in self.of("M"))
        self.assertEqual(set(names.values()), {1})
        self.assertEqual({name for name, _, _ in names},
                         {"process_name", "process_sort_index", "thread_name", "thread_sort_index"})
        for event in self.of("M"):
            key = "sort_index" if event["name"].endswith("sort_index") else "name"
            self.assertIsInstance(event["args"][key], int if key == "sort_index" else str)
        for event in self.of("X"):
            self.assertIn(("process_name", event["pid"], 0), names)
            self.assertIn(("thread_name", event["pid"], event["tid"]), names)

    def threads(self):
        threads = collections.defaultdict(list)
        for event in self.of("X"):
            begin = round(event["ts"] * 1000)
            threads[event["pid"], event["tid"]].append((begin, begin + round(event["dur"] * 1000)))
        return threads

    def test_events_of_a_thread_lie_apart_or_in_one_another(self):
        for thread, events in self.threads().items():
            still = []
            for begin, end in sorted(events, key=lambda event: (event[0], -event[1])):
                while still and still[-1] <= begin:
                    still.pop()
                self.assertTrue(not still or end <= still[-1], (thread, begin, end))
                still.append(end)

    def test_arrows_have_two_ends_in_events(self):
        threads = self.threads()
        ends = collections.defaultdict(dict)
        for event in self.of("s") + self.of("f"):
            self.assertNotIn(event["ph"], ends[event["id"]])
            ends[event["id"]][event["ph"]] = event
            at = round(event["ts"] * 1000)
            self.assertTrue(any(begin <= at <= end for begin, end in threads[event["pid"], event["tid"]]), event)
        for both in ends.values():
            self.assertEqual(set(both), {"s", "f"})
            self.assertNotEqual(both["s"]["pid"], both["f"]["pid"])

    def test_the_tool_says_what_the_file_says(self):
        done = subprocess.run([TOOL, self.path], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"^[\d.]+ [um]?s: 2 ranks on 1 host, 3 devices, \d+ events\n")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100, done.stdout)
        launches = sum(event["name"].startswith("launch") and event["pid"] == 1 for event in self.events)
        listed = re.findall(r"jacobi\.cpp:\d+ +(\d+) +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ [KM]?i?B$", done.stdout, re.M)
        self.assertEqual(sum(map(int, listed)), launches, done.stdout)
        for device in ("[0] cpu", "[1] cpu", "[2] opencl"):
            self.assertIn(device, done.stdout)
        (percents,) = {len(re.findall(r"\d+ %", line)) for line in done.stdout.splitlines() if line.startswith("  [")}
        self.assertEqual(percents, 4)
        drawing = os.path.join(self.holder.name, "t.svg")
        subprocess.run([TOOL, self.path, "--svg", drawing], check=True)
        xml.etree.ElementTree.parse(drawing)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
