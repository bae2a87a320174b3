/* Copies frames between two interfaces, with as little as possible around the system calls.
 *
 * usage: copy_loop LEFT RIGHT
 *
 * recvmmsg and sendmmsg on packet sockets, each frame with its virtio-net header, so that large
 * frames pass whole (packet(7)). It is the bound for a switch that moves frames by system calls. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Frames at a time; the longest frame, behind its virtio-net header; bytes of a socket's queue. */
enum { BATCH = 64, LONGEST = 65536 + 128, WAITING = 8 << 20 };

static void must(int succeeded, const char *what) {
    if (!succeeded) {
        perror(what);
        exit(1);
    }
}

static int opened(const char *interface) {
    int one = 1, waiting = WAITING, file = socket(AF_PACKET, SOCK_RAW, 0);
    must(file >= 0, "socket");
    must(setsockopt(file, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) == 0, "PACKET_IGNORE_OUTGOING");
    must(setsockopt(file, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) == 0, "PACKET_VNET_HDR");
    must(setsockopt(file, SOL_SOCKET, SO_RCVBUF, &waiting, sizeof waiting) == 0, "SO_RCVBUF");
    must(setsockopt(file, SOL_SOCKET, SO_SNDBUF, &waiting, sizeof waiting) == 0, "SO_SNDBUF");
    struct sockaddr_ll place = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(interface)};
    must(place.sll_ifindex != 0, interface);
    must(bind(file, (struct sockaddr *)&place, sizeof place) == 0, interface);
    return file;
}

/* Copies a batch; returns how many frames there were. */
static int copy(int from, int to) {
    static char memory[BATCH][LONGEST];
    struct iovec parts[BATCH];
    struct mmsghdr frames[BATCH] = {0};
    for (int at = 0; at < BATCH; at++) {
        parts[at] = (struct iovec){memory[at], LONGEST};
        frames[at].msg_hdr.msg_iov = &parts[at];
        frames[at].msg_hdr.msg_iovlen = 1;
    }
    int count = recvmmsg(from, frames, BATCH, MSG_DONTWAIT, NULL);
    for (int at = 0; at < count; at++)
        parts[at].iov_len = frames[at].msg_len;
    for (int sent = 0; sent < count;) {
        int more = sendmmsg(to, frames + sent, (unsigned)(count - sent), 0);
        /* A frame that the kernel refuses is lost. */
        sent += more > 0 ? more : 1;
    }
    return count;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: copy_loop LEFT RIGHT\n");
        return 2;
    }
    struct pollfd files[2] = {{opened(words[1]), POLLIN, 0}, {opened(words[2]), POLLIN, 0}};
    for (;;)
        /* Both ways each time. */
        if ((copy(files[0].fd, files[1].fd) > 0) + (copy(files[1].fd, files[0].fd) > 0) == 0)
            poll(files, 2, -1);
}
