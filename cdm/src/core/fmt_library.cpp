// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiled part of fmt, once. Debian has no archive of it that a shared library could take in, libmuster must not
// need libfmt.so on a machine that only runs programs, and as a library of headers alone fmt takes half of the time
// that our sources take to compile.
#include <fmt/format-inl.h>

// Templates that its headers only declare.
FMT_BEGIN_NAMESPACE
namespace detail {
template char decimal_point_impl(locale_ref);
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
