#include "nowhere.p4"
#include <nowhere.p4>
#include
#include "no-end.p4
#include <no-end.p4
#include nothing
#include "guarded.p4" more
#inclde "guarded.p4"
#define
#define 3
#define F(a, a) a
#define G(a b) a
#define H(a
#define I ## x
#define J(x) #y
#undef
#define TWICE 1
#define TWICE 2
#define PAIR(a, b) a b
#if
#endif
#if 1 +
#endif
#if (1
#endif
#if 1 / 0
#elif 2 2
#endif
#if defined
#endif
#if 99999999999999999999
#endif
#ifdef
#endif
#elif 1
#else
#endif
#if 1
#else more
#else
#elif 1
#endif
#error this is wrong:  "quoted
#warning and this is doubtful
#line
#line x
const int a = PAIR(1);
const int b = PAIR(1, 2, 3);
const int c = 1 PAIR;
#define GLUE(a, b) a ## b
const int d = GLUE(+, *) 1;
const int e = GLUE(1,
#include "guarded.p4"
2);
const int f = 1;
#ifdef NEVER
