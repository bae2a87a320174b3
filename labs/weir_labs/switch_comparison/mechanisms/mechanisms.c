/* What makes a software switch fast: seven ways to do the same work on packets in memory.
 *
 * usage: mechanisms WAY MILLISECONDS UPDATES_PER_SECOND
 *
 *   completion   one thread does all four steps with each packet
 *   batches      four threads do one step each, and hand 64 packets at once on through bounded queues
 *   pipeline     the same, but they hand on each packet
 *   snapshot     readers look up in one of two copies of a table; a writer changes the other copy,
 *                exchanges them, and waits until nobody reads the old one
 *   locked       readers and the writer share one copy behind a lock of readers and writers
 *   pool         packets' memory comes from a list of free buffers of one size
 *   allocation   packets' memory comes from malloc, of each packet's own size
 *
 * It prints, in one line: packets; nanoseconds by the clock; nanoseconds of processor time; context
 * switches; updates; resident memory at the end, and for the last two ways its growth in the second
 * half of the time, in kilobytes; a checksum, so that no work is left out. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 4, FLOWS = 1024, SLOTS = 4096, QUEUE = 1024, HEADER = 64, WAITING = 1024, BATCH = 64, READERS = 2 };
enum { SHORTEST = 64, LONGEST = 9014, BUFFER = 9216 };
#define SECOND 1000000000ull

static atomic_bool ended;
static uint64_t until, half;
static long resident_half;

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static uint64_t mix(uint64_t value) {
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdull;
    value ^= value >> 33;
    return value;
}

static void must(int condition, const char *what) {
    if (!condition) {
        perror(what);
        exit(1);
    }
}

static long resident_kb(void) {
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    must(file != NULL && fscanf(file, "%ld %ld", &all, &resident) == 2, "/proc/self/statm");
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The table: destination addresses to ports, with open addressing. */
typedef struct {
    uint64_t keys[SLOTS];
    _Atomic uint32_t ports[SLOTS];
} table_t;

static uint64_t address_of(uint64_t flow) {
    return 0x080000000000ull + flow + 1;
}

static uint32_t slot_of(const table_t *table, uint64_t key) {
    uint32_t slot = mix(key) % SLOTS;
    while (table->keys[slot] != key && table->keys[slot] != 0)
        slot = (slot + 1) % SLOTS;
    return slot;
}

static void fill(table_t *table) {
    for (uint64_t flow = 0; flow < FLOWS; flow++) {
        uint32_t slot = slot_of(table, address_of(flow));
        table->keys[slot] = address_of(flow);
        table->ports[slot] = (uint32_t)flow % 8;
    }
}

static uint32_t look_up(table_t *table, uint64_t key) {
    return atomic_load_explicit(&table->ports[slot_of(table, key)], memory_order_relaxed);
}

/* Packets, and the four steps of a switch. */
typedef struct {
    uint8_t bytes[HEADER];
    uint64_t key;
    uint32_t port;
    uint32_t sum;
} packet_t;

static table_t only_table;

static void receive(packet_t *packet, uint64_t number) {
    uint64_t address = address_of(mix(number) % FLOWS);
    memcpy(packet->bytes, &address, 6);
    packet->bytes[12] = 8;
    packet->bytes[14] = 0x45;
    packet->bytes[22] = 64;
}

static void ingress(packet_t *packet) {
    packet->key = 0;
    memcpy(&packet->key, packet->bytes, 6);
    packet->port = look_up(&only_table, packet->key);
}

static void egress(packet_t *packet) {
    packet->bytes[22]--;
    uint32_t sum = 0;
    for (int at = 14; at < 34; at += 2)
        sum += (uint32_t)packet->bytes[at] << 8 | packet->bytes[at + 1];
    packet->sum = ~((sum & 0xffff) + (sum >> 16));
}

static uint64_t transmit(const packet_t *packet) {
    return packet->port + packet->sum;
}

static uint64_t completion(uint64_t *checksum) {
    static packet_t packets[QUEUE];
    uint64_t number = 0;
    while (clock_ns(CLOCK_MONOTONIC) < until)
        for (int more = 0; more < BATCH; more++, number++) {
            packet_t *packet = &packets[number % QUEUE];
            receive(packet, number);
            ingress(packet);
            egress(packet);
            *checksum += transmit(packet);
        }
    return number;
}

/* A bounded queue between two threads, as a mutex and two conditions make it; in each place are the
 * packets that are handed on together, by the first of them. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    packet_t *places[QUEUE];
    unsigned first, count;
} queue_t;

static queue_t queues[STEPS];
static unsigned together;

static void push(queue_t *queue, packet_t *packet) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == QUEUE)
        pthread_cond_wait(&queue->emptied, &queue->lock);
    queue->places[(queue->first + queue->count++) % QUEUE] = packet;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

static packet_t *pop(queue_t *queue) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0)
        pthread_cond_wait(&queue->filled, &queue->lock);
    packet_t *packet = queue->places[queue->first];
    queue->first = (queue->first + 1) % QUEUE;
    queue->count--;
    pthread_cond_signal(&queue->emptied);
    pthread_mutex_unlock(&queue->lock);
    return packet;
}

static void *middle(void *which) {
    uintptr_t step = (uintptr_t)which;
    packet_t *packet;
    do {
        packet = pop(&queues[step]);
        for (unsigned at = 0; packet != NULL && at < together; at++)
            if (step == 1)
                ingress(&packet[at]);
            else
                egress(&packet[at]);
        push(&queues[step + 1], packet);
    } while (packet != NULL);
    return NULL;
}

static void *last(void *checksum) {
    packet_t *packet;
    /* Used packets go back to the first thread. */
    while ((packet = pop(&queues[STEPS - 1])) != NULL) {
        for (unsigned at = 0; at < together; at++)
            *(uint64_t *)checksum += transmit(&packet[at]);
        push(&queues[0], packet);
    }
    return NULL;
}

static uint64_t pipeline(uint64_t *checksum) {
    static packet_t packets[QUEUE];
    pthread_t threads[STEPS - 1];
    for (int step = 0; step < STEPS; step++) {
        pthread_mutex_init(&queues[step].lock, NULL);
        pthread_cond_init(&queues[step].filled, NULL);
        pthread_cond_init(&queues[step].emptied, NULL);
    }
    for (unsigned place = 0; place < QUEUE; place += together)
        push(&queues[0], &packets[place]);
    for (uintptr_t step = 1; step < STEPS - 1; step++)
        must(pthread_create(&threads[step - 1], NULL, middle, (void *)step) == 0, "thread");
    must(pthread_create(&threads[STEPS - 2], NULL, last, checksum) == 0, "thread");
    uint64_t number = 0;
    while (number % BATCH != 0 || clock_ns(CLOCK_MONOTONIC) < until) {
        packet_t *packet = pop(&queues[0]);
        for (unsigned at = 0; at < together; at++)
            receive(&packet[at], number++);
        push(&queues[1], packet);
    }
    push(&queues[1], NULL);
    for (int step = 0; step < STEPS - 1; step++)
        pthread_join(threads[step], NULL);
    return number;
}

/* Tables that are read and changed at the same time. */
static table_t copies[2];
static _Atomic(table_t *) active;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int is_locked;

typedef struct {
    _Alignas(128) atomic_uint_fast64_t begun;
    uint64_t packets, checksum;
} reader_t;

static reader_t readers[READERS];

static void *read_table(void *which) {
    reader_t *self = which;
    uint64_t number = (uint64_t)(self - readers) << 32, sum = 0;
    for (;;) {
        /* Odd: this thread reads; even: it does not. */
        atomic_fetch_add_explicit(&self->begun, 1, memory_order_seq_cst);
        table_t *table = atomic_load_explicit(&active, memory_order_seq_cst);
        for (int more = 0; more < BATCH; more++, number++) {
            uint64_t key = address_of(mix(number) % FLOWS);
            if (is_locked) {
                pthread_rwlock_rdlock(&lock);
                sum += look_up(&copies[0], key);
                pthread_rwlock_unlock(&lock);
            } else {
                sum += look_up(table, key);
            }
        }
        atomic_fetch_add_explicit(&self->begun, 1, memory_order_seq_cst);
        self->packets += BATCH;
        if (atomic_load_explicit(&ended, memory_order_relaxed))
            break;
    }
    self->checksum = sum;
    return NULL;
}

static void change(table_t *table, uint64_t number) {
    table->ports[slot_of(table, address_of(number % FLOWS))] = (uint32_t)(number % 8);
}

static void exchange(uint64_t from, uint64_t to) {
    table_t *old = atomic_load(&active), *other = old == &copies[0] ? &copies[1] : &copies[0];
    for (uint64_t number = from; number < to; number++)
        change(other, number);
    atomic_store_explicit(&active, other, memory_order_seq_cst);
    for (int reader = 0; reader < READERS; reader++) {
        uint64_t begun = atomic_load(&readers[reader].begun);
        while (begun % 2 == 1 && atomic_load(&readers[reader].begun) == begun)
            sched_yield();
    }
    for (uint64_t number = from; number < to; number++)
        change(old, number);
}

static uint64_t tables(uint64_t *checksum, uint64_t rate, uint64_t *updates) {
    pthread_t threads[READERS];
    fill(&copies[0]);
    fill(&copies[1]);
    active = &copies[0];
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), now;
    for (int reader = 0; reader < READERS; reader++)
        must(pthread_create(&threads[reader], NULL, read_table, &readers[reader]) == 0, "thread");
    while ((now = clock_ns(CLOCK_MONOTONIC)) < until) {
        /* As many as are due since the last time. */
        uint64_t due = (now - begin) * rate / SECOND;
        if (is_locked) {
            for (uint64_t number = *updates; number < due; number++) {
                pthread_rwlock_wrlock(&lock);
                change(&copies[0], number);
                pthread_rwlock_unlock(&lock);
            }
        } else if (due > *updates) {
            exchange(*updates, due);
        }
        *updates = due;
        struct timespec pause = {0, 100000};
        nanosleep(&pause, NULL);
    }
    atomic_store(&ended, 1);
    uint64_t packets = 0;
    for (int reader = 0; reader < READERS; reader++) {
        pthread_join(threads[reader], NULL);
        packets += readers[reader].packets;
        *checksum += readers[reader].checksum;
    }
    return packets;
}

/* Memory of packets, some of which wait while others come and go. */
static uint64_t memory(uint64_t *checksum, int pooled) {
    static uint8_t *waiting[WAITING], *spare[WAITING + 1];
    int left = 0;
    if (pooled)
        for (; left < WAITING + 1; left++)
            must((spare[left] = malloc(BUFFER)) != NULL, "memory");
    uint64_t number = 0, now;
    while ((now = clock_ns(CLOCK_MONOTONIC)) < until) {
        if (resident_half == 0 && now >= half)
            resident_half = resident_kb();
        for (int more = 0; more < BATCH; more++, number++) {
            uint64_t chance = mix(number);
            size_t length = SHORTEST + chance % (LONGEST - SHORTEST);
            uint8_t *bytes = pooled ? spare[--left] : malloc(length);
            must(bytes != NULL, "memory");
            memset(bytes, (int)chance, HEADER);
            bytes[length - 1] = 1;
            /* It waits in place of one that leaves. */
            uint8_t **place = &waiting[chance >> 32 & (WAITING - 1)];
            if (*place != NULL) {
                *checksum += **place;
                if (pooled)
                    spare[left++] = *place;
                else
                    free(*place);
            }
            *place = bytes;
        }
    }
    return number;
}

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "usage: mechanisms WAY MILLISECONDS UPDATES_PER_SECOND\n");
        return 2;
    }
    const char *way = words[1];
    uint64_t checksum = 0, packets = 0, updates = 0;
    fill(&only_table);
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), busy = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t length = strtoull(words[2], NULL, 10) * (SECOND / 1000);
    half = begin + length / 2;
    until = begin + length;
    is_locked = strcmp(way, "locked") == 0;
    together = strcmp(way, "batches") == 0 ? BATCH : 1;
    if (strcmp(way, "completion") == 0)
        packets = completion(&checksum);
    else if (strcmp(way, "pipeline") == 0 || strcmp(way, "batches") == 0)
        packets = pipeline(&checksum);
    else if (strcmp(way, "snapshot") == 0 || is_locked)
        packets = tables(&checksum, strtoull(words[3], NULL, 10), &updates);
    else if (strcmp(way, "pool") == 0 || strcmp(way, "allocation") == 0)
        packets = memory(&checksum, strcmp(way, "pool") == 0);
    else {
        fprintf(stderr, "mechanisms: there is no way \"%s\"\n", way);
        return 2;
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    long resident = resident_kb();
    printf("%llu %llu %llu %ld %llu %ld %ld %llu\n", (unsigned long long)packets,
           (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - begin),
           (unsigned long long)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - busy), used.ru_nvcsw + used.ru_nivcsw,
           (unsigned long long)updates, resident, resident_half == 0 ? 0 : resident - resident_half,
           (unsigned long long)checksum);
    return 0;
}
