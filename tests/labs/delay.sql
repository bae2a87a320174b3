-- The tables of the delay lab's report; recomputed.py says how this file is read.
-- Numbers of the thesis are written here again, from its text.

CREATE VIEW thesis_line(profile, a, b) AS VALUES ('bmv2-vm', 0.98, 0.68), ('bmv2-server', 2.16, 2.11);

CREATE VIEW thesis_rtt(profile, rate, x, ms) AS VALUES
    ('bmv2-vm', 'unlimited', 0, 0.97), ('bmv2-vm', 'unlimited', 1, 1.66),
    ('bmv2-vm', 'unlimited', 3, 2.97), ('bmv2-vm', 'unlimited', 7, 5.36),
    ('bmv2-vm', '1Mbit', 0, 41.7), ('bmv2-vm', '1Mbit', 1, 42.63), ('bmv2-vm', '1Mbit', 7, 46.25),
    ('bmv2-vm', '100kbit', 0, 399.26), ('bmv2-vm', '100kbit', 1, 400.86), ('bmv2-vm', '100kbit', 7, 405.72),
    ('bmv2-vm', '10kbit', 0, 3977.94), ('bmv2-vm', '10kbit', 1, 3980.38), ('bmv2-vm', '10kbit', 7, 3985.69),
    ('bmv2-server', 'unlimited', 0, 2.16), ('bmv2-server', 'unlimited', 1, 4.27),
    ('bmv2-server', 'unlimited', 3, 8.3), ('bmv2-server', 'unlimited', 7, 16.13);

CREATE VIEW thesis_tcp(link, switches, transmissions, mbps) AS VALUES
    ('unlimited', 1, 1, 25), ('unlimited', 2, 2, 23.03), ('25Mbit', 2, 2, 21.7), ('10Mbit', 2, 2, 9.39);

-- The line through the smallest round trips of each profile and link rate.
CREATE VIEW fits AS
    SELECT min(run) AS run, profile, rate, intercept(x, rtt_min_ms) AS a, slope(x, rtt_min_ms) AS b,
        r2(x, rtt_min_ms) AS r2
    FROM rtt GROUP BY profile, rate;

-- The largest X up to which at least 99.5 % of the sending rate arrives.
CREATE VIEW survival AS
    WITH means AS (
        SELECT min(run) AS run, link, mbps, x, avg(goodput_mbps) AS goodput
        FROM udp_throughput GROUP BY link, mbps, x
    )
    SELECT min(run) AS run, link, mbps, max(x) FILTER (WHERE x < first_low) AS x
    FROM means JOIN (
        SELECT link, mbps, coalesce(min(x) FILTER (WHERE goodput < 0.995 * mbps), 1e9) AS first_low
        FROM means GROUP BY link, mbps
    ) USING (link, mbps)
    GROUP BY link, mbps;

CREATE VIEW tcp AS
    SELECT min(run) AS run, link, x, count(*) AS n, avg(goodput_mbps) AS mbps, half95(goodput_mbps) AS half,
        avg(rtt_ms) AS rtt_ms, half95(rtt_ms) AS rtt_half, avg(retransmits) AS retransmits,
        half95(retransmits) AS retransmits_half
    FROM tcp_throughput GROUP BY link, x;

-- At each X, how much the throughput of link rates differs, in per cent.
CREATE VIEW tcp_gap AS SELECT x, 100 * (1 - min(mbps) / max(mbps)) AS percent FROM tcp GROUP BY x;

-- TCP in both directions, and how much the two together send at once, relative to h1 alone.
CREATE VIEW both_ways AS
    SELECT min(run) AS run, link, "order", x, count(*) AS n, avg(there_mbps) AS there, half95(there_mbps) AS there_half,
        avg(back_mbps) AS back, half95(back_mbps) AS back_half, avg(there_mbps + back_mbps) AS together,
        half95(sum_mbps) AS together_half
    FROM directions GROUP BY link, "order", x;

CREATE VIEW shared_ways AS
    SELECT min(at_once.run) AS run, link, min(at_once.together / in_turn.there) AS least,
        max(at_once.together / in_turn.there) AS most
    FROM both_ways AS at_once JOIN both_ways AS in_turn USING (link, x)
    WHERE at_once."order" = 'at once' AND in_turn."order" = 'in turn'
    GROUP BY link;

CREATE VIEW shared_tcp AS
    SELECT min(run) AS run, link, switches, transmissions, count(*) AS n, avg(goodput_mbps) AS mbps,
        half95(goodput_mbps) AS half
    FROM switches_tcp GROUP BY link, switches, transmissions;

CREATE VIEW two_switches AS
    SELECT one.run, one.link, one.transmissions, one.mbps AS one, two.mbps AS two
    FROM shared_tcp AS one JOIN shared_tcp AS two USING (link, transmissions)
    WHERE one.switches = 1 AND two.switches = 2;

CREATE VIEW shared_points AS
    SELECT min(run) AS run, slower, switches, x, avg(rtt_min_ms) AS rtt_min_ms, avg(rtt_avg_ms) AS rtt_avg_ms,
        avg(above_ms) AS above_ms, half95(rtt_min_ms) AS min_half, half95(rtt_avg_ms) AS avg_half,
        half95(above_ms) AS above_half
    FROM shared_computer GROUP BY slower, switches, x;

CREATE VIEW held AS
    SELECT run, avg(held_passes) AS mean, max(held_passes) AS largest FROM hold_held GROUP BY run;

-- Each delayed packet, with its error, and whether it could have left within a pass time of d.
CREATE TABLE delayed AS
    SELECT run, profile, "cross", way, d_ms, delay_ms, abs(delay_ms - d_ms) AS error_ms,
        abs(delay_ms - d_ms) / pass_ms AS passes, abs(nearest_ms - d_ms) <= pass_ms AS in_reach
    FROM target_delay_delayed
    JOIN (SELECT run, pass_ms FROM target_delay) USING (run);

-- The flows of the service chain, in long form.
CREATE VIEW chain_flows AS
    SELECT run, profile, load, policy, 'control' AS flow, control_drop_ms AS drop_ms,
        control_sent AS sent, control_received AS received, control_reordered AS reordered
    FROM thresholds
    UNION ALL
    SELECT run, profile, load, policy, 'video', video_drop_ms, video_sent, video_received, video_reordered
    FROM thresholds
    UNION ALL
    SELECT run, profile, load, policy, 'bulk', NULL, bulk_sent, bulk_received, bulk_reordered
    FROM thresholds;

CREATE TABLE tails AS
    SELECT counts.*, p50, p99, p999, largest, coalesce(in_time, 0) AS in_time
    FROM (
        SELECT min(run) AS run, profile, load, policy, flow, drop_ms, count(*) AS n, sum(sent) AS sent,
            sum(received) AS received
        FROM chain_flows GROUP BY profile, load, policy, flow
    ) AS counts
    LEFT JOIN (
        SELECT profile, load, policy, flow, percentile(delay_ms, 0.5) AS p50, percentile(delay_ms, 0.99) AS p99,
            percentile(delay_ms, 0.999) AS p999, max(delay_ms) AS largest,
            sum(delay_ms <= CASE flow WHEN 'control' THEN 20.0 WHEN 'video' THEN 40.0 END) AS in_time
        FROM thresholds_delays GROUP BY profile, load, policy, flow
    ) USING (profile, load, policy, flow);


-- table: In short
SELECT 'rtt', 'Yes: in the model, each recirculation adds two pass times to a round trip, at each of '
    || (SELECT count(DISTINCT rate) FROM fits) || ' link rates (slopes differ from two pass times by '
    || (
        SELECT at_most(max(abs(100 * (b / (2 * CASE profile WHEN 'bmv2-vm' THEN 0.3125 ELSE 0.995 END) - 1))), 1)
        FROM fits WHERE profile IN ('bmv2-vm', 'bmv2-server')
    )
    || '). Over unlimited links: ' || group_concat(text, '; ')
    || '; the times of these profiles are fitted to the thesis.'
FROM (
    SELECT profile || printf(' %.4g + %.4g·X ms', fits.a, fits.b) AS text
    FROM fits JOIN thesis_line USING (profile)
    WHERE rate = 'unlimited' ORDER BY run
)
UNION ALL
SELECT 'custom', 'Of normal pings in the same network, the shortest round trip is the same for all X and the '
    || 'longest round trip varies with X by ' || (
        SELECT fixed(max(difference), 3) FROM (
            SELECT max(ping_rtt_max_ms) - min(ping_rtt_max_ms) AS difference
            FROM custom GROUP BY profile, switches
        )
    ) || ' ms at most (for each profile and chain). Custom packets are delayed by ' || group_concat(text, '; ')
    || ' in each direction; the times of bmv2-vm and bmv2-server are fitted to the thesis.'
FROM (
    SELECT profile || printf(' %.4g + %.4g·X ms', intercept(x, delay_min_ms), slope(x, delay_min_ms)) AS text
    FROM custom WHERE switches = 1 GROUP BY profile ORDER BY min(run)
)
UNION ALL
SELECT 'udp-throughput', (
        SELECT printf('At %d of %d points', count(*), count(*))
        FROM (SELECT DISTINCT mbps, x FROM udp_throughput WHERE link = 'unlimited')
    )
    || ' over unlimited links, a sending rate survives exactly if (X + 1) · packets per second is at most the '
    || 'switch''s capacity ('
    || (SELECT printf('%d', capacity_per_s) FROM udp_throughput LIMIT 1)
    || ' passes/s). At least 99.5 % of the sending rate arrives at ' || group_concat(text, ', ') || '.'
FROM (
    SELECT plain(mbps) || ' Mbit/s up to X = ' || x AS text
    FROM survival WHERE link = 'unlimited' AND x IS NOT NULL ORDER BY run
)
UNION ALL
SELECT 'tcp-throughput', 'TCP over unlimited links falls from ' || fixed(first.mbps, 2)
    || ' Mbit/s at X = 0 (thesis: about 25) to ' || fixed(last.mbps, 2)
    || ' at X = 15. The lowest throughput of all link rates is '
    || (SELECT fixed(percent, 1) FROM tcp_gap WHERE x = 0) || ' % below the highest at X = 0 and '
    || (SELECT fixed(percent, 1) FROM tcp_gap WHERE x = 15) || ' % at X = 15: the curves converge.'
FROM tcp AS first, tcp AS last
WHERE first.link = 'unlimited' AND first.x = 0 AND last.link = 'unlimited' AND last.x = 15
UNION ALL
SELECT 'directions', 'In turn, TCP''s throughput from h2 to h1 differs from that from h1 to h2 by '
    || (SELECT at_most(max(100 * abs(back / there - 1)), 1) FROM both_ways WHERE "order" = 'in turn')
    || '. The combined throughput at once, relative to one direction alone, is ' || group_concat(text, ', ') || '.'
FROM (
    SELECT fixed(least, 2) || ' to ' || fixed(most, 2) || ' (links ' || rate(link) || ')' AS text
    FROM shared_ways ORDER BY run
)
UNION ALL
SELECT 'switches-rtt', 'At equal transmissions, minimum round trips over one and several switches '
    || iif(max(percent) < 1e-9, 'are the same', 'differ by ' || at_most(max(percent), 1))
    || ', links unlimited.'
FROM (
    SELECT 100 * (max(rtt_min_ms) / min(rtt_min_ms) - 1) AS percent
    FROM switches_rtt WHERE link = 'unlimited' GROUP BY transmissions
)
UNION ALL
SELECT 'switches-tcp',
    'At equal transmissions, TCP has a higher throughput over two switches than over one at '
    || (SELECT printf('%d of %d points', sum(two / one > 1.01), count(*)) FROM two_switches)
    || coalesce(', and the same within 1 % at '
        || (SELECT nullif(sum(abs(two / one - 1) <= 0.01), 0) FROM two_switches), '')
    || coalesce('; a lower one at ' || (
        SELECT group_concat(text, '; ') FROM (
            SELECT rate(link) || ', ' || transmissions || ' transmissions (' || fixed(two, 2) || ' Mbit/s over two, '
                || fixed(one, 2) || ' over one)' AS text
            FROM two_switches WHERE two / one < 0.99 ORDER BY run
        )
    ), '')
    || '. From 4 transmissions on, the ratio is ' || fixed(min(two / one), 2) || ' to ' || fixed(max(two / one), 2)
    || '.'
FROM two_switches WHERE transmissions >= 4
UNION ALL
SELECT 'shared-computer', 'Mean round trips are above their minimum by '
    || (SELECT group_concat(text, ' and ') FROM (
        SELECT fixed(avg(above_ms), 2) || ' ms on '
            || iif(slower = 1, 'the fitted computer', 'a computer ' || printf('%g', slower) || ' times slower') AS text
        FROM shared_points GROUP BY slower ORDER BY min(run)
    ))
    || (SELECT iif(count(DISTINCT switches || ' ' || x) > 1,
            printf(', on average over %d points', count(DISTINCT switches || ' ' || x)), '')
            || iif(min(slower) = 1, '. On the fitted computer', printf('. On a computer %g times slower', min(slower)))
        FROM shared_points)
    || printf(', a second switch adds %.2f ms to the minimum at X = 0, and a first recirculation adds %.2f ms.',
        two.rtt_min_ms - one.rtt_min_ms, again.rtt_min_ms - one.rtt_min_ms)
FROM (SELECT rtt_min_ms FROM shared_points WHERE switches = 1 AND x = 0 ORDER BY slower LIMIT 1) AS one,
    (SELECT rtt_min_ms FROM shared_points WHERE switches = 2 AND x = 0 ORDER BY slower LIMIT 1) AS two,
    (SELECT rtt_min_ms FROM shared_points WHERE switches = 1 AND x = 1 ORDER BY slower LIMIT 1) AS again
UNION ALL
SELECT 'hold', printf(
    'B arrived before A in %d of %d pairs whose B came within the bound. Of all packets, %d were lost, the longest wait of '
    || 'a held packet took as long as %.1f passes, and the order of all other packets was unchanged in %d of %d runs.',
    sum(b_first), sum(within), sum(sent) - sum(received), (SELECT max(largest) FROM held),
    sum(others_in_order), count(*)
)
FROM hold
UNION ALL
SELECT 'hold-price', printf(
    'The other traffic loses no packet at %d of %d points, and its order is unchanged at %d. The cost is delay: at '
    || (SELECT printf('%g Mbit/s (bmv2-vm) the mean delay of the other traffic is %.2f ms with 0 packets held, and %.2f ms with %d.',
            mbps, min(delay_mean_ms), max(delay_mean_ms), max(held))
        FROM hold_price WHERE profile = 'bmv2-vm' AND loss_percent = 0 GROUP BY mbps ORDER BY mbps DESC LIMIT 1)
    || ' Where the other traffic loses none, %d of %d held packets are lost. Where the other traffic exceeds the '
    || 'switch''s capacity, %d of %d held packets are lost.',
    sum(loss_percent = 0), count(*), sum(reordered = 0), sum(iif(loss_percent = 0, held_lost, 0)),
    sum(iif(loss_percent = 0, held, 0)), sum(iif(loss_percent = 0, 0, held_lost)), sum(iif(loss_percent = 0, 0, held))
)
FROM hold_price
UNION ALL
SELECT 'target-delay', 'The largest error of any packet that can leave within a pass time of d, in pass times: '
    || group_concat(text, '; ')
    || (SELECT printf('. Of %d packets with a timestamp, %d cannot leave within a '
            || 'pass time of d, whatever the program does.', count(*),
            sum(NOT in_reach)) FROM delayed WHERE way = 'timestamp')
FROM (
    SELECT way || ', ' || iif("cross" = 'none', 'idle', "cross" || ' cross traffic') || ': '
        || fixed(max(passes) FILTER (WHERE in_reach), 2) AS text
    FROM delayed GROUP BY way, "cross" ORDER BY min(run)
)
UNION ALL
SELECT 'target-price', printf(
    'No packet of the flow was lost during the run in %d of %d combinations of rate and delay (calibrated), '
    || '%d of %d combinations of rate and delay (timestamp).',
    sum(way = 'calibrated' AND loss_percent = 0), count(*) / 2, sum(way = 'timestamp' AND loss_percent = 0), count(*) / 2
)
FROM target_price
UNION ALL
SELECT 'thresholds', 'The 99th percentile of the latency, and the packets that arrive in time, at a mean load of 0.8 '
    || '(bmv2-vm), for each setting of the thresholds. Control: ' || group_concat(text, '; ') FILTER (WHERE flow = 'control')
    || '. Video: ' || group_concat(text, '; ') FILTER (WHERE flow = 'video') || '.'
FROM (
    SELECT flow, policy || ' ' || fixed(p99, 1) || ' ms, ' || share(in_time, sent) AS text
    FROM tails WHERE profile = 'bmv2-vm' AND load = 0.8 ORDER BY run
);

-- table: Round trips without recirculation
SELECT profile, rate(rate), fixed(theory_ms, 3),
    fixed(theory_ms - coalesce(2 * (switches + 1) * (wire_bytes - 1228) * 8e3 / bits(rate), 0), 3),
    fixed(rtt_min_ms, 3), fixed(rtt_avg_ms, 3), fixed(ms, 2)
FROM rtt LEFT JOIN thesis_rtt USING (profile, rate, x) WHERE x = 0 ORDER BY run;

-- table: Round trips without recirculation
SELECT rate(rate), fixed(ms, 2), fixed(rtt_min_ms, 2), fixed(ms - counted, 2), fixed(ms - whole, 2),
    fixed(rtt_min_ms - counted, 2), fixed(rtt_min_ms - whole, 2)
FROM (
    SELECT *, coalesce(4 * 1228 * 8e3 / bits(rate), 0) AS counted, coalesce(4 * 1242 * 8e3 / bits(rate), 0) AS whole
    FROM rtt
) LEFT JOIN thesis_rtt USING (profile, rate, x)
WHERE profile = 'bmv2-vm' AND x = 0 ORDER BY run;

-- table: Round trips by number of recirculations: RTT = a + b·X
SELECT fits.profile, rate(rate), fixed(fits.a, 3), fixed(fits.b, 3), fixed(r2, 8), plain(thesis.a), plain(thesis.b),
    differs(fits.a, thesis.a, 2), differs(fits.b, thesis.b, 2)
FROM fits LEFT JOIN thesis_line AS thesis ON thesis.profile = fits.profile AND rate = 'unlimited' ORDER BY run;

-- table: Round trips at each link rate
SELECT profile, rate(rate), printf('%d', x), printf('%d', sent), printf('%d', received), fixed(rtt_min_ms, 6),
    fixed(rtt_avg_ms, 6), fixed(rtt_max_ms, 6), fixed(theory_ms, 6)
FROM rtt ORDER BY run;

-- table: Strategy 2: only custom packets recirculate
SELECT profile, printf('%d', switches), printf('%d', x), printf('%d', sent), printf('%d', received),
    printf('%d', answered), printf('%d', egress_num), fixed(delay_min_ms, 3), fixed(delay_max_ms, 3),
    fixed(ping_rtt_min_ms, 3), fixed(ping_rtt_max_ms, 3), printf('%d', ping_ttl)
FROM custom ORDER BY run;

-- table: UDP throughput
SELECT plain(mbps), coalesce('X = ' || max(x) FILTER (WHERE link = 'unlimited'), 'none'),
    coalesce('X = ' || max(x) FILTER (WHERE link = '10Mbit'), 'none')
FROM survival GROUP BY mbps ORDER BY min(run);

-- table: UDP loss, and all points
SELECT plain(mbps), printf('%d', x), printf('%d', count(*)),
    certain(avg(goodput_mbps), half95(goodput_mbps), 3), width(half95(goodput_mbps)),
    certain(avg(loss_percent), half95(loss_percent), 2), width(half95(loss_percent)),
    certain(avg(delay_ms), half95(delay_ms), 2), certain(avg(load_per_s), half95(load_per_s), 0)
FROM udp_throughput WHERE link = 'unlimited' GROUP BY mbps, x ORDER BY min(run);

-- table: UDP loss, and all points
SELECT plain(mbps), printf('%d', x), printf('%d', count(*)),
    certain(avg(goodput_mbps), half95(goodput_mbps), 3), width(half95(goodput_mbps)),
    certain(avg(loss_percent), half95(loss_percent), 2), width(half95(loss_percent)),
    certain(avg(delay_ms), half95(delay_ms), 2), certain(avg(load_per_s), half95(load_per_s), 0)
FROM udp_throughput WHERE link = '10Mbit' GROUP BY mbps, x ORDER BY min(run);

-- table: TCP throughput
SELECT rate(tcp.link), printf('%d', x), printf('%d', n), certain(tcp.mbps, half, 3), width(half),
    certain(rtt_ms, rtt_half, 1), certain(retransmits, retransmits_half, 1), coalesce('about ' || thesis.mbps, '–')
FROM tcp LEFT JOIN thesis_tcp AS thesis ON thesis.link = tcp.link AND switches = 1 AND transmissions = x + 1
ORDER BY run;

-- table: TCP throughput in both directions
SELECT rate(link), "order", printf('%d', x), printf('%d', n), certain(there, there_half, 3), width(there_half),
    certain(back, back_half, 3), width(back_half), differs(back, there, 1), certain(together, together_half, 3)
FROM both_ways ORDER BY run;

-- table: Round trips: one against several switches
SELECT rate(link), printf('%d', transmissions), printf('%d', switches), fixed(rtt_min_ms, 3),
    iif(switches = 1, '–', differs(rtt_min_ms, first_value(rtt_min_ms) OVER (PARTITION BY link, transmissions ORDER BY switches), 1)),
    fixed(CASE WHEN link <> 'unlimited' THEN NULL
        WHEN switches = 1 THEN (
            SELECT ms FROM thesis_rtt
            WHERE profile = 'bmv2-vm' AND rate = 'unlimited' AND x = transmissions - 1
        )
        WHEN switches = 2 AND transmissions = 2 THEN 1.66 END, 2)
FROM switches_rtt ORDER BY link, transmissions, switches;

-- table: TCP throughput: one against two switches
SELECT rate(link), printf('%d', transmissions), printf('%d', switches), printf('%d', n), certain(shared_tcp.mbps, half, 3),
    width(half), fixed(iif(switches = 2, thesis.mbps, NULL), 2)
FROM shared_tcp LEFT JOIN thesis_tcp AS thesis USING (link, switches, transmissions)
ORDER BY link, transmissions, switches;

-- table: One computer for switch and hosts
SELECT iif(slower = 1, 'as fitted', printf('%g times slower', slower)), printf('%d', shared.switches), printf('%d', shared.x),
    certain(rtt_min_ms, min_half, 3), certain(rtt_avg_ms, avg_half, 3), certain(above_ms, above_half, 3),
    plain(iif(shared.switches = 2, iif(shared.x = 0, 1.66, NULL), thesis.ms))
FROM shared_points AS shared LEFT JOIN thesis_rtt AS thesis
    ON thesis.profile = 'bmv2-vm' AND thesis.rate = 'unlimited' AND thesis.x = shared.x
ORDER BY shared.run;

-- table: Hold: packet A waits until packet B has passed
SELECT profile, bound, printf('%d', count(*)), printf('%d', sum(within)), printf('%d', sum(b_first)),
    printf('%d', sum(late)), printf('%d', sum(sent) - sum(received)),
    iif(min(others_in_order), 'unchanged', 'changed'), fixed(avg(held.mean), 2), fixed(max(held.largest), 2),
    fixed(avg(passes_per_pair), 2), fixed(avg(capacity_percent), 2)
FROM hold JOIN held USING (run) GROUP BY profile, bound ORDER BY min(run);

-- table: Hold: the cost for other traffic
SELECT profile, plain(mbps), printf('%d', held), fixed(goodput_mbps, 3), fixed(loss_percent, 2), fixed(delay_mean_ms, 3),
    fixed(delay_max_ms, 3), printf('%d', reordered), fixed(held_passes_per_s, 0), fixed(capacity_percent, 3),
    printf('%d', held_lost), printf('%d', b_first)
FROM hold_price ORDER BY run;

-- table: Target delay: accuracy
SELECT profile, "cross", way, plain(d_ms), printf('%d', count(*)), fixed(avg(delay_ms), 4), fixed(max(error_ms), 4),
    fixed(max(passes), 2), printf('%d', sum(NOT in_reach)), fixed(max(passes) FILTER (WHERE in_reach), 2)
FROM delayed GROUP BY run ORDER BY run;

-- table: Target delay: its cost
SELECT way, plain(mbps), plain(d_ms), fixed(goodput_mbps, 3), fixed(loss_percent, 2), fixed(delay_mean_ms, 3),
    fixed(delay_max_ms, 3), fixed(passes_per_packet, 2)
FROM target_price ORDER BY run;

-- table: Thresholds: tail latency in a service chain
SELECT profile, plain(load), flow, policy, printf('%d', n), printf('%d', sent), share(in_time, sent), fixed(p50, 1),
    fixed(p99, 1), fixed(p999, 1), fixed(largest, 1), share(sent - received, sent)
FROM tails WHERE drop_ms IS NOT NULL ORDER BY profile, load, flow, run;

-- table: Thresholds: the cost for other traffic
SELECT profile, plain(load), policy, fixed(p50, 1), fixed(p99, 1), share(sent - received, sent),
    fixed(avg(cross_delay_ms), 1), share(sum(cross_sent) - sum(cross_received), sum(cross_sent)),
    printf('%d', sum(prioritized)), printf('%d', sum(old_before_queue)), printf('%d', sum(old_after_queue)),
    share(sum(control_reordered) + sum(video_reordered), sum(control_received) + sum(video_received))
FROM thresholds JOIN tails USING (profile, load, policy) WHERE flow = 'bulk'
GROUP BY profile, load, policy ORDER BY min(thresholds.run);
