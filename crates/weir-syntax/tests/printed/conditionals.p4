#define A 3
#if A > 2 && defined(A) && !defined B
const int a = 1;
#else
const int a = 2;
`unknown 'text` is skipped "here
#endif
#ifdef B
const int b = 1;
#elif A == 3
const int b = 2;
#elif 1 / 0
const int b = 3;
#else
const int b = 4;
#endif
#ifndef A
#if 1
#error not reached
#else
#unknown
#endif
#endif
#if 0
#include "missing.p4"
#elif (1 << 4 | 1) == 0x11 ? 010 == 8 : 0
const int c = 1;
#endif
#if UNDEFINED_IS_ZERO == 0 && 5 >> 1 == 2 && -1 < 0 && ~0 == -1 && 7 % 4 == 3
const int d = 1;
#endif
#if 0 && 1 / 0 || 1
const int e = 1;
#endif
#pragma unknown to us
# line 100 "elsewhere.p4"
const int f = __LINE__;
const string g = __FILE__;
# 7 "third.p4" 1
const int h = __LINE__;
