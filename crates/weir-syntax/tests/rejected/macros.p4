#define DECLARE(type, name) const type name = 1
#define WRONG 1 + ;
#define OUTER(x) INNER(x) * 2
#define INNER(x) (x +)
#include "broken.p4"
DECLARE(bit<8>, a)
const int b = WRONG
const int c = OUTER(3);
const int d = OUTER(4 5);
BROKEN(e);
