/* A path in user space, for kernels without netem.
 *
 * Each pair has two tap interfaces, a<i> and b<i>. Frames from a to b pass one bottleneck that all
 * pairs share: a rate and a drop-tail queue. Then they may be lost at random, and then each pair's
 * delay follows. Frames from b to a are only delayed. Weir's links count in the same way: the rate
 * applies to the frame as captured, and the limit counts the frames behind the one being sent.
 *
 * usage: emulator RATE_BIT_S LIMIT_FRAMES LOSS SEED DELAY_US[,DELAY_US...]
 *
 * A rate of 0 means no bottleneck. It prints "ready", and then a line every 100 ms: time of
 * CLOCK_MONOTONIC in us, frames that entered the queue, the sum of their waiting times in us, frames
 * dropped, frames lost at random, and the time in us for which the emulator stood still.
 *
 * If this process does not get the processor in time, its own clock is paused: the path is late
 * as a whole, and the pause does not become a burst. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS = 16, SLOTS = 1 << 14, FRAME = 1600, BURST = 64, TIMER = 1000 };
#define SECOND 1000000000ull
#define MILLISECOND 1000000ull
#define STATISTICS (100 * MILLISECOND)
/* Later than this counts as a pause of the machine. */
#define TOLERANCE (MILLISECOND / 5)

struct frame {
    uint64_t due;
    uint16_t length;
    uint8_t bytes[FRAME];
};

/* A delay line: frames leave in the order in which they came. */
struct line {
    int out;
    uint64_t delay;
    uint32_t first, next;
    struct frame *slots;
};

struct bottleneck {
    double rate;
    uint32_t limit;
    double loss;
    uint64_t free_at;
    double fraction;
    /* When the frames that are waiting or being sent will have been sent. */
    uint64_t *ends;
    uint32_t first, next;
};

static volatile sig_atomic_t stopped;
static uint64_t paused;
static struct { uint64_t from, entered, waited, dropped, lost, paused; } count;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

/* The path's time. */
static uint64_t now(void)
{
    return monotonic() - paused;
}

static int open_tap(char side, int pair)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);

    if (fd < 0)
        fail("/dev/net/tun");
    snprintf(request.ifr_name, IFNAMSIZ, "%c%d", side, pair);
    if (ioctl(fd, TUNSETIFF, &request) < 0)
        fail(request.ifr_name);
    return fd;
}

static struct line new_line(int out, uint64_t delay)
{
    struct line line = {.out = out, .delay = delay, .slots = calloc(SLOTS, sizeof(struct frame))};

    if (!line.slots)
        fail("memory");
    return line;
}

/* When a frame will have passed the bottleneck, or 0 if it is dropped. */
static uint64_t pass(struct bottleneck *b, uint64_t t, int length)
{
    uint64_t start;
    double duration;

    while (b->first != b->next && b->ends[b->first % SLOTS] <= t)
        b->first++;
    if (b->next - b->first > b->limit) {
        count.dropped++;
        return 0;
    }
    if (b->free_at <= t)
        b->fraction = 0;
    start = b->free_at > t ? b->free_at : t;
    duration = length * 8e9 / b->rate + b->fraction;
    b->free_at = start + (uint64_t)duration;
    b->fraction = duration - (uint64_t)duration;
    b->ends[b->next++ % SLOTS] = b->free_at;
    count.entered++;
    count.waited += start - t;
    return b->free_at;
}

static void arrive(int fd, struct line *line, struct bottleneck *b)
{
    for (int i = 0; i < BURST; i++) {
        struct frame *frame = &line->slots[line->next % SLOTS];
        int length;
        uint64_t at;

        if (line->next - line->first >= SLOTS) {
            fprintf(stderr, "more than %d frames in flight\n", SLOTS);
            exit(1);
        }
        length = read(fd, frame->bytes, FRAME);
        if (length <= 0)
            return;
        at = now();
        if (b && b->rate > 0) {
            at = pass(b, at, length);
            if (!at)
                continue;
        }
        if (b && b->loss > 0 && drand48() < b->loss) {
            count.lost++;
            continue;
        }
        frame->due = at + line->delay;
        frame->length = length;
        line->next++;
    }
}

static uint64_t leave(struct line *line, uint64_t t)
{
    while (line->first != line->next) {
        struct frame *frame = &line->slots[line->first % SLOTS];

        if (frame->due > t)
            return frame->due;
        if (write(line->out, frame->bytes, frame->length) < 0 && errno != EAGAIN && errno != EIO)
            fail("write");
        line->first++;
    }
    return UINT64_MAX;
}

static void print_statistics(uint64_t t)
{
    printf("%llu,%llu,%llu,%llu,%llu,%llu\n", (unsigned long long)t / 1000,
           (unsigned long long)count.entered, (unsigned long long)count.waited / 1000,
           (unsigned long long)count.dropped, (unsigned long long)count.lost,
           (unsigned long long)count.paused / 1000);
    memset(&count, 0, sizeof count);
    count.from = t;
}

int main(int argc, char **argv)
{
    struct bottleneck bottleneck = {.ends = calloc(SLOTS, sizeof(uint64_t))};
    struct line lines[2 * PAIRS];
    int fds[2 * PAIRS], pairs = 0, epoll = epoll_create1(0);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct sched_param priority = {.sched_priority = 50};
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = TIMER}, events[2 * PAIRS + 1];

    if (argc != 6) {
        fprintf(stderr, "usage: emulator RATE LIMIT LOSS SEED DELAY_US[,DELAY_US...]\n");
        return 2;
    }
    bottleneck.rate = atof(argv[1]);
    bottleneck.limit = atoi(argv[2]);
    bottleneck.loss = atof(argv[3]);
    srand48(atol(argv[4]));
    epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event);
    for (char *delay = strtok(argv[5], ","); delay && pairs < PAIRS; delay = strtok(NULL, ","), pairs++) {
        int a = 2 * pairs, b = a + 1;

        fds[a] = open_tap('a', pairs);
        fds[b] = open_tap('b', pairs);
        lines[a] = new_line(fds[b], atof(delay) * 1000);
        lines[b] = new_line(fds[a], atof(delay) * 1000);
        for (int i = a; i <= b; i++) {
            event.data.u32 = i;
            epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event);
        }
    }
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_TIMERSLACK, 1);
    if (sched_setscheduler(0, SCHED_FIFO, &priority))
        perror("real-time priority");
    puts("ready");
    fflush(stdout);
    count.from = monotonic();
    while (!stopped) {
        uint64_t due = UINT64_MAX, t = now(), woken, late;
        struct itimerspec wake = {0};
        int ready;

        for (int i = 0; i < 2 * pairs; i++) {
            uint64_t next = leave(&lines[i], t);

            due = next < due ? next : due;
        }
        if (due != UINT64_MAX) {
            wake.it_value.tv_sec = (due + paused) / SECOND;
            wake.it_value.tv_nsec = (due + paused) % SECOND;
        }
        timerfd_settime(timer, TFD_TIMER_ABSTIME, &wake, NULL);
        t = now();
        ready = epoll_wait(epoll, events, 2 * PAIRS + 1, 100);
        woken = now();
        due = due > t ? due : t;
        late = woken > due ? woken - due : 0;
        if (ready > 0 && late > TOLERANCE && due != UINT64_MAX) {
            paused += late;
            count.paused += late;
        }
        for (int i = 0; i < ready; i++) {
            uint32_t which = events[i].data.u32;

            if (which == TIMER) {
                uint64_t expirations;

                if (read(timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN)
                    fail("timer");
            } else {
                arrive(fds[which], &lines[which], which % 2 ? NULL : &bottleneck);
            }
        }
        if (monotonic() - count.from >= STATISTICS)
            print_statistics(monotonic());
    }
    print_statistics(monotonic());
    return 0;
}
