// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library; the program has its own `taken`.
int taken() { return 0; }
int ofTaken() { return taken(); }
int own() { return 3; }
int ofOwn() { return own(); }
