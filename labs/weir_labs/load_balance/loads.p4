/*
 * loads.p4 - which of several paths a packet takes: the one with the least load, by telemetry.
 *
 * The last switch of a flow reports, all the time, the longest queue on the flow's path. The first
 * switch keeps the last report of each path. If a report is above a threshold, the flow moves to the
 * path with the least load. Reports are not believed for a while after a flow has come to its path or
 * another one has left it: they are about packets that were sent before.
 */

const bit<32> LOADS = 4096;             // 1024 groups of 4 paths
const bit<16> MAX_PATHS = 4;

control PathsByLoad(in flow_t flow, in bit<16> group, in bit<16> paths,
                    in bool report, in bit<16> depth, in bit<16> threshold,
                    in bit<48> now, in bit<48> settling, in bit<48> age, out bit<16> path) {
    register<bit<16>>(LOADS) depths;            // of each path, in packets, by its last report
    register<bit<48>>(LOADS) reported;          // when that came, in us; 0 for never
    register<bit<16>>(FLOWS) path_of;           // of each flow: its path + 1, 0 for none yet
    register<bit<16>>(FLOWS) group_of;
    register<bit<16>>(FLOWS) paths_of;
    register<bit<48>>(FLOWS) came;              // when it got its path, in us
    register<bit<48>>(LOADS) left;              // when a flow left the path; 0 for never
    CellOfFlow() cell_of_flow;
    bit<16> best = 0;
    bit<16> least = 0xffff;

    // The load of a path that nobody reports about is 0: it is idle. That of others is one more than
    // the longest queue, so that an idle path is better than one that another flow uses.
    action consider(bit<16> one, bit<16> paths_group, bit<16> number) {
        bit<16> load = 0;
        bit<48> when;
        bit<32> place = (bit<32>) paths_group * 4 + (bit<32>) one;
        reported.read(when, place);
        if (when > 0 && now - when <= age) {
            depths.read(load, place);
            load = load + 1;
        }
        if (one < number && load < least) {
            least = load;
            best = one;
        }
    }

    // Of paths with the same load the first from a random one on.
    action choose(bit<16> paths_group, bit<16> number) {
        bit<16> start;
        random(start, 16w0, 16w3);
        consider(start, paths_group, number);
        consider((start + 1) & 3, paths_group, number);
        consider((start + 2) & 3, paths_group, number);
        consider((start + 3) & 3, paths_group, number);
    }

    // From now on the path that was chosen is in use.
    action take(bit<16> paths_group) {
        bit<32> place = (bit<32>) paths_group * 4 + (bit<32>) best;
        depths.write(place, 0);
        reported.write(place, now);
    }

    apply {
        bit<32> cell;
        bit<16> chosen;
        cell_of_flow.apply(flow, cell);
        path_of.read(chosen, cell);
        path = 0;
        if (report) {
            if (chosen > 0) {
                bit<16> own_group;
                bit<16> own_paths;
                bit<48> since;
                bit<48> other;
                group_of.read(own_group, cell);
                paths_of.read(own_paths, cell);
                came.read(since, cell);
                bit<32> place = (bit<32>) own_group * 4 + (bit<32>) (chosen - 1);
                left.read(other, place);
                if (now - since >= settling && (other == 0 || now - other >= settling)) {
                    depths.write(place, depth);
                    reported.write(place, now);
                    if (depth > threshold) {
                        choose(own_group, own_paths);
                        path_of.write(cell, best + 1);
                        came.write(cell, now);
                        left.write(place, now);
                        take(own_group);
                    }
                } else {
                    // The path is in use.
                    reported.write(place, now);
                }
            }
        } else {
            if (chosen == 0) {
                choose(group, paths);
                chosen = best + 1;
                path_of.write(cell, chosen);
                group_of.write(cell, group);
                paths_of.write(cell, paths);
                came.write(cell, now);
                take(group);
            }
            path = chosen - 1;
        }
    }
}
