#include "cycle-a.p4"
const int x = ;
