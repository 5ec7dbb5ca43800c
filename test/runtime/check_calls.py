#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what the C library can hand to the system with what libmuster interposes.

The system fails with EFAULT where memory of the program's is on a device. So every function of libc that takes a
pointer and makes a system call, itself or in what it calls directly, is interposed (runtime/src/host/interpose/),
or stands below with the reason why it need not be. Usage: check_calls.py LIBMUSTER CLANG. Exit code 77: cannot tell here.
"""
import bisect
import collections
import glob
import platform
import re
import shutil
import subprocess
import sys

# The C library itself reads and fills the program's memory, through memory of its own: that faults, and is served.
COPIED = r"""
    f(get|put)w?[cs] (get|put|unget)w?c fgetws fputws puts __getdelim getdelim fopen(64)? fdopen fclose fflush
    f(seek|tell)(o(64)?)? f[gs]etpos(64)? feof ferror clearerr rewind fwide perror psiginfo fmtmsg
    (un)?flockfile funlockfile addseverity backtrace_symbols_fd strfry herror register_printf_\w+ regexec
    closedir readdir(64)?(_r)? (re)?winddir rewinddir (seek|tell)dir fts(64)?_\w+ realpath cuserid getpass
    get(host|domain)name getloadavg getaddrinfo(_a)? getnameinfo gai_suspend if_\w+ rcmd_af r?exec_af rresvport_af
    bindresvport (get|set)(ipv4)?sourcefilter \w*get(alias|gr|host|net|netgr|proto|pw|rpc|serv|sg|sp|ut)\w*
    put(gr|sg|sp)ent pututline sget(sg|sp)ent setnetgrent initgroups updwtmp utmpname logwtmp login openlog
    ptsname_r ttyname_r openpty tc[gs]etattr ftime ntp_gettimex? timespec_getres aio_(cancel|fsync|suspend)(64)?
    (new|set)locale textdomain getdate_r initstate setstate s?profil on_exit clock_getcpuclockid unsetenv sem_(open|unlink)
    sigstack get(context)
"""
# Addresses, whose memory is not looked at; or the program's threads, contexts and locks, which are no arrays.
ADDRESSES = r"""
    m(un)?map(64)? mremap mprotect pkey_mprotect (posix_)?madvise process_madvise munlock msync brk shm(at|dt)
    remap_file_pages clone pthread_\w+ cnd_\w+ mtx_\w+ thrd_create sem_post __lll_\w+
"""
# They write in user mode, where a fault is served; and allocators call them, whose memory finding another one would need.
CLOCKS = "clock_gettime gettimeofday time"
# Only the system's administrator may call them, or the C library declares them for itself.
OTHERS = r"""
    fanotify_mark fsconfig fsopen fspick klogctl mount_setattr move_mount open_tree pidfd_send_signal quotactl
    set(domain|host)name
"""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def exports(library):
    found = collections.defaultdict(set)
    sizes = {}
    for line in run("nm", "-D", "-S", "--defined-only", library).splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "TWi":
            address = int(parts[0], 16)
            found[address].add(parts[3].split("@")[0])
            sizes[address] = int(parts[1], 16)
    return found, sizes


def system_callers(libc):
    """Names of functions that make a system call, or call a small function that does."""
    names, sizes = exports(libc)
    text = run("objdump", "-d", "--no-show-raw-insn", libc)
    code = [(int(m[1], 16), m[2], m[3]) for m in re.finditer(r"^\s+([0-9a-f]+):\s+(\S+)[^\S\n]*(\S*)", text, re.M)]
    places = [entry[0] for entry in code]

    def body(begin, end):
        return code[bisect.bisect_left(places, begin) : bisect.bisect_left(places, end)]

    direct, calls = set(), {}
    for address, size in sizes.items():
        calls[address] = set()
        for _, instruction, operand in body(address, address + size):
            if instruction == "syscall":
                direct.add(address)
            if instruction[0] in "jc" and re.fullmatch("[0-9a-f]+", operand):
                calls[address].add(int(operand, 16))
    starts = sorted(set(sizes).union(*calls.values()))

    def calls_system(address):
        if address in sizes:
            return address in direct
        after = bisect.bisect_right(starts, address)
        end = min(starts[after] if after < len(starts) else address, address + 400)
        return any(instruction == "syscall" for _, instruction, _ in body(address, end))

    callers = {a for a in sizes if a in direct or any(calls_system(c) for c in calls[a] - {a})}
    return {name for address in callers for name in names[address]}


def takers_of_pointers(clang):
    headers = [h for pattern in ("*", "sys/*", "x86_64-linux-gnu/sys/*", "net/*", "arpa/*")
               for h in glob.glob("/usr/include/" + pattern + ".h")]
    listed = set(run("dpkg", "-L", "libc6-dev").split()) or set(headers)
    names = sorted({re.sub("^/usr/include/(x86_64-linux-gnu/)?", "", h) for h in headers if h in listed})
    source = "#define _GNU_SOURCE 1\n" + "\n".join(f"#if __has_include(<{n}>)\n#include <{n}>\n#endif" for n in names
                                                   if not re.search("regexp.h|a.out.h|sys/elf.h|sys/vm86.h", n))
    dump = subprocess.run([clang, "-x", "c", "-w", "-fsyntax-only", "-Xclang", "-ast-dump", "-"], input=source,
                          capture_output=True, text=True, check=False).stdout
    found = set()
    for m in re.finditer(r"FunctionDecl .*? (\w+) '[^'(]*(\([^']*\))'", dump):
        if "*" in m[2] or re.search(r"\[", m[2]):
            found.add(m[1])
    return found


def main():
    libmuster, clang = sys.argv[1:3]
    libc = next((p for p in run("ldd", libmuster).split() if "/libc.so" in p), None)
    if platform.machine() != "x86_64" or libc is None or not shutil.which("objdump"):
        print("x86-64, glibc and objdump are needed")
        return 77
    callers, takers = system_callers(libc), takers_of_pointers(clang)
    if len(callers) < 300 or len(takers) < 1000:
        print(f"only {len(callers)} callers of the system and {len(takers)} functions with pointers were found")
        return 1
    interposed = set().union(*exports(libmuster)[0].values())
    exempt = re.compile("|".join((COPIED + ADDRESSES + CLOCKS + OTHERS).split()))
    missing = sorted(name for name in (callers & takers) - interposed if not exempt.fullmatch(name))
    print(f"{len(callers & takers)} functions with pointers call the system, {len(callers & takers & interposed)} are interposed")
    for name in missing:
        print(f"{name} is not interposed")
    return 1 if missing else 0


sys.exit(main())
