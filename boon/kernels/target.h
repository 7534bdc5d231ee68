// Target regions: functions between BOON_TARGET_BEGIN("avx2,fma") and BOON_TARGET_END may use those instructions,
// whatever flags the file is compiled with. Flags per file would also reach the inline functions of every header; the
// linker keeps one copy of each, and it could be the one that an older processor cannot run. For the same reason
// headers are included before a region, and what stands in one has internal linkage.
#pragma once

#ifndef __x86_64__
#error "the kernels are written for x86-64"
#endif

#define BOON_PRAGMA(text) _Pragma(#text)

#ifdef __clang__
#define BOON_TARGET_BEGIN(features) \
  BOON_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define BOON_TARGET_END BOON_PRAGMA(clang attribute pop)
#else
#define BOON_TARGET_BEGIN(features) BOON_PRAGMA(GCC push_options) BOON_PRAGMA(GCC target(features))
#define BOON_TARGET_END BOON_PRAGMA(GCC pop_options)
#endif

// Before a loop of `n` turns, n a number: unrolled in full, so that an array it indexes can live in registers.
#ifdef __clang__
#define BOON_UNROLL(n) BOON_PRAGMA(clang loop unroll(full))
#else
#define BOON_UNROLL(n) BOON_PRAGMA(GCC unroll n)
#endif
