#include "cycle-a.p4"
