/*
 * policy.p4 - rules on layers 3 and 4, with priorities, that are exchanged all at once.
 *
 * There are two sets of rules. Packets are looked up in the set in force, while the controller
 * writes the other one, entry by entry. One write then exchanges them, so that no packet sees half
 * of a change. Packets that no rule mentions are denied.
 */

control Policy(inout headers hdr,
               in metadata meta,
               out bool denied) {
    bit<1> rule_set = 0;

    action use(bit<1> number) {
        rule_set = number;
    }

    table in_force {
        actions = { use; }
        default_action = use(0);
    }

    action permit() {
        denied = false;
    }

    action deny() {
        denied = true;
    }

    table rules {
        key = {
            rule_set: exact @name("rule_set");
            hdr.ipv4.srcAddr: ternary;
            hdr.ipv4.dstAddr: ternary;
            hdr.ipv4.protocol: ternary;
            meta.srcPort: range;
            meta.dstPort: range;
        }
        actions = { permit; deny; }
        size = 32768;
        default_action = deny();
    }

    apply {
        denied = true;
        in_force.apply();
        rules.apply();
    }
}
