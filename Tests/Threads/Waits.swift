// SPDX-License-Identifier: Apache-2.0

import Glibc

// What a program does that waits in a system call until somebody ends it.

/// A pipe that nobody writes to.
private func emptyPipe() -> Int32 {
    var ends: [Int32] = [0, 0]
    unsafe pipe(&ends)
    return ends[0]
}

/// One end of a pair of sockets to which nobody sends anything, with a limit to how long it is waited for.
private func silentSocket() -> Int32 {
    var ends: [Int32] = [0, 0]
    unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    unsafe setsockopt(
        ends[0],
        SOL_SOCKET,
        SO_RCVTIMEO,
        &limit,
        socklen_t(MemoryLayout<timeval>.size)
    )
    return ends[0]
}

private func receive() {
    var byte: UInt8 = 0
    unsafe recv(silentSocket(), &byte, 1, 0)
}

private func readFrom(_ descriptor: Int32) {
    var byte: UInt8 = 0
    unsafe print("read \(read(descriptor, &byte, 1))")
}

private func pollOne() {
    var wait = pollfd(fd: emptyPipe(), events: Int16(POLLIN), revents: 0)
    unsafe poll(&wait, 1, 60_000)
}

private func selectNone() {
    var time = timeval(tv_sec: 60, tv_usec: 0)
    unsafe select(0, nil, nil, nil, &time)
}

/// epoll_create1(2) and epoll_wait(2), which Swift's overlay lacks.
@_silgen_name("epoll_create1")
private func epollCreate(_ flags: Int32) -> Int32
@_silgen_name("epoll_wait")
private func epollWait(
    _ epoll: Int32,
    _ events: UnsafeMutableRawPointer,
    _ count: Int32,
    _ milliseconds: Int32
) -> Int32

private func waitForEvent() {
    unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { event in
        guard let event = event.baseAddress else { return }
        _ = unsafe epollWait(epollCreate(0), event, 1, 60_000)
    }
}

private func sleepNanoseconds() {
    var time = timespec(tv_sec: 60, tv_nsec: 0)
    unsafe nanosleep(&time, nil)
}

private func suspendForSignal() {
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigsuspend(&none)
}

private func waitForSignal() {
    var one = sigset_t()
    unsafe sigemptyset(&one)
    unsafe sigaddset(&one, SIGCHLD)
    unsafe sigwaitinfo(&one, nil)
}

private func waitForSemaphore() {
    let set = semget(IPC_PRIVATE, 1, 0o600)
    var operation = sembuf(sem_num: 0, sem_op: -1, sem_flg: 0)
    unsafe semop(set, &operation, 1)
}

private func waitForSemaphoreInTime() {
    var semaphore = sem_t()
    unsafe sem_init(&semaphore, 0, 0)
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    time.tv_sec += 60
    unsafe sem_timedwait(&semaphore, &time)
}

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32

private func waitForChild() {
    let child = fork_()
    if child == 0 {
        sleep(60)
        _exit(0)
    }
    var status: Int32 = 0
    unsafe waitpid(child, &status, 0)
}

/// The calls of signal(7) that a handler interrupts, and what is made again behind it and waits for others.
private let waits: [String: @Sendable () -> Void] = [
    "pause": { pause() },
    "sleep": { sleep(60) },
    "usleep": { usleep(60_000_000) },
    "nanosleep": { sleepNanoseconds() },
    "poll": { pollOne() },
    "select": { selectNone() },
    "epoll_wait": { waitForEvent() },
    "sigsuspend": { suspendForSignal() },
    "sigwaitinfo": { waitForSignal() },
    "semop": { waitForSemaphore() },
    "sem_timedwait": { waitForSemaphoreInTime() },
    "recv": { receive() },
    "read": { readFrom(STDIN_FILENO) },
    "waitpid": { waitForChild() },
]

/// Says how far the program has come, in the file `come` of the folder that it runs in: where a redirect does not
/// see it.
private func note(_ word: String) {
    let file = open("come", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    unsafe write(file, "\(word)\n", word.utf8.count + 1)
    close(file)
}

/// Waits in the call, and notes that the program went on.
private func waitAndGoOn(_ call: String) {
    note("waits")
    waits[call]?()
    note("went on")
    _exit(3)
}

/// Waits in the call, on the main thread or, where a comma and a word follow it, on a thread that alone takes
/// signals.
func waitInCall(_ value: String) {
    let words = value.split(separator: ",").map(String.init)
    guard words.count > 1 else { return waitAndGoOn(value) }
    var all = sigset_t()
    unsafe sigfillset(&all)
    var thread = pthread_t()
    let call = unsafe Unmanaged.passRetained(CallName(words[0])).toOpaque()
    unsafe pthread_create(
        &thread,
        nil,
        { call in
            guard let call = unsafe call else { return nil }
            unsafe waitAndGoOn(Unmanaged<CallName>.fromOpaque(call).takeRetainedValue().name)
            return nil
        },
        call
    )
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    pthread_join(thread, nil)
}

private final class CallName: Sendable {
    let name: String

    init(_ name: String) {
        self.name = name
    }
}
