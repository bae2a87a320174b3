/* Copies frames between two interfaces, with as little as possible around the system calls.
 *
 * usage: copy_loop LEFT RIGHT BATCH THREADS
 *
 * recvmmsg and sendmmsg on packet sockets, each frame with its virtio-net header, so that large
 * frames pass whole (packet(7)). It is the bound for a switch that moves frames by system calls.
 *
 *   BATCH     frames at a time, 1 to 64: of a system call, and of a handover
 *   THREADS   1: a thread receives and sends; 2: it hands over what it receives, and another sends
 *
 * All else is the same: as many buffers, used in turn, and both interfaces each time. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* The most frames at a time; all buffers; the longest frame, behind its virtio-net header; bytes of
 * a socket's queue. */
enum { MOST = 64, BUFFERS = 256, LONGEST = 65536 + 128, WAITING = 8 << 20 };

static char memory[BUFFERS][LONGEST];

/* Frames that were received together, and the socket that sends them. */
typedef struct {
    struct iovec parts[MOST];
    int count, to;
} batch_t;

static batch_t batches[BUFFERS];
static unsigned frames, places;

/* Batches between the two threads, the oldest one at `first`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static unsigned first, waiting;

static void must(int succeeded, const char *what) {
    if (!succeeded) {
        perror(what);
        exit(1);
    }
}

static int opened(const char *interface) {
    int one = 1, queue = WAITING, file = socket(AF_PACKET, SOCK_RAW, 0);
    must(file >= 0, "socket");
    must(setsockopt(file, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) == 0, "PACKET_IGNORE_OUTGOING");
    must(setsockopt(file, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) == 0, "PACKET_VNET_HDR");
    must(setsockopt(file, SOL_SOCKET, SO_RCVBUF, &queue, sizeof queue) == 0, "SO_RCVBUF");
    must(setsockopt(file, SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue) == 0, "SO_SNDBUF");
    struct sockaddr_ll place = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(interface)};
    must(place.sll_ifindex != 0, interface);
    must(bind(file, (struct sockaddr *)&place, sizeof place) == 0, interface);
    return file;
}

/* Receives the waiting frames into a batch; returns whether there were any. */
static int receive(batch_t *batch, int from, int to) {
    struct mmsghdr headers[MOST] = {0};
    for (unsigned at = 0; at < frames; at++) {
        batch->parts[at] = (struct iovec){memory[(unsigned)(batch - batches) * frames + at], LONGEST};
        headers[at].msg_hdr.msg_iov = &batch->parts[at];
        headers[at].msg_hdr.msg_iovlen = 1;
    }
    batch->to = to;
    batch->count = recvmmsg(from, headers, frames, MSG_DONTWAIT, NULL);
    for (int at = 0; at < batch->count; at++)
        batch->parts[at].iov_len = headers[at].msg_len;
    return batch->count > 0;
}

static void transmit(batch_t *batch) {
    struct mmsghdr headers[MOST] = {0};
    for (int at = 0; at < batch->count; at++) {
        headers[at].msg_hdr.msg_iov = &batch->parts[at];
        headers[at].msg_hdr.msg_iovlen = 1;
    }
    for (int sent = 0; sent < batch->count;) {
        int more = sendmmsg(batch->to, headers + sent, (unsigned)(batch->count - sent), 0);
        /* A frame that the kernel refuses is lost. */
        sent += more > 0 ? more : 1;
    }
}

/* Waits until a place is free for the next batch, and returns the place. */
static batch_t *spare(void) {
    pthread_mutex_lock(&lock);
    while (waiting == places)
        pthread_cond_wait(&emptied, &lock);
    batch_t *batch = &batches[(first + waiting) % places];
    pthread_mutex_unlock(&lock);
    return batch;
}

static void hand_over(void) {
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static void *sender(void *nothing) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (waiting == 0)
            pthread_cond_wait(&filled, &lock);
        batch_t *batch = &batches[first];
        pthread_mutex_unlock(&lock);
        transmit(batch);
        pthread_mutex_lock(&lock);
        first = (first + 1) % places;
        waiting--;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return nothing;
}

int main(int count, char **words) {
    int threads = count == 5 ? atoi(words[4]) : 0;
    frames = count == 5 ? (unsigned)atoi(words[3]) : 0;
    if (frames < 1 || frames > MOST || threads < 1 || threads > 2) {
        fprintf(stderr, "usage: copy_loop LEFT RIGHT BATCH THREADS\n");
        return 2;
    }
    places = BUFFERS / frames;
    struct pollfd files[2] = {{opened(words[1]), POLLIN, 0}, {opened(words[2]), POLLIN, 0}};
    pthread_t other;
    if (threads == 2)
        must(pthread_create(&other, NULL, sender, NULL) == 0, "thread");
    unsigned turn = 0;
    for (;;) {
        int received = 0;
        /* Both ways each time. */
        for (int way = 0; way < 2; way++) {
            batch_t *batch = threads == 2 ? spare() : &batches[turn % places];
            if (!receive(batch, files[way].fd, files[1 - way].fd))
                continue;
            received = 1;
            if (threads == 2)
                hand_over();
            else
                transmit(batch);
            turn++;
        }
        if (!received)
            poll(files, 2, -1);
    }
}
