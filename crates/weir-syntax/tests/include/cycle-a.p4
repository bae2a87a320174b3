#include "cycle-b.p4"
