#include "guarded.p4"
#include "guarded.p4"
#include <once.p4>
#include "once.p4"
#define FILE <guarded.p4>
#include FILE
const int own = __LINE__;
