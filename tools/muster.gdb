# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# For gdb: gdb -x muster.gdb ./program
#
# Muster notices by SIGSEGV that the program uses data that is elsewhere: gdb passes it on. A fault of the program's own
# stops in muster_program_fault; "up 4" is where it happened, behind "<signal handler called>".
handle SIGSEGV nostop noprint pass
set breakpoint pending on
break muster_program_fault
