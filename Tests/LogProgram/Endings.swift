// SPDX-License-Identifier: Apache-2.0

import Glibc
import Winnow

// What a program does that ends while others log, or that does not end after all.

/// A page that may not be touched until a fault is mended.
// SAFETY: set before the first fault, by the thread that has it.
private nonisolated(unsafe) var page: UnsafeMutableRawPointer?

/// Has faults be mended from now on, as a program does that keeps its memory elsewhere.
func mendFaults() {
    unsafe page = mmap(nil, 4_096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_sigaction = { _, _, _ in
        unsafe mprotect(page, 4_096, PROT_READ | PROT_WRITE)
    }
    action.sa_flags = SA_SIGINFO
    unsafe sigaction(SIGSEGV, &action, nil)
}

func fault(times: Int) {
    for _ in 0..<times {
        unsafe mprotect(page, 4_096, PROT_NONE)
        unsafe page?.storeBytes(of: 1, as: UInt8.self)
    }
}

/// Ends the process, by two threads at a time where that is asked for.
func end(_ how: String) {
    if how == "_exit" { _exit(0) }
    if how == "exits" {
        var thread = pthread_t()
        unsafe pthread_create(&thread, nil, { _ in exit(0) }, nil)
    }
    exit(0)
}

/// Goes on until the stack has no more room.
func overflow(_ depth: Int) -> Int {
    unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { bytes in
        unsafe bytes[0] = UInt8(truncatingIfNeeded: depth)
        return unsafe overflow(depth + 1) + Int(bytes[0])
    }
}

func logAndOverflow() {
    log.notice("last")
    print(overflow(0))
}

func overflowOnThread() {
    var thread = pthread_t()
    unsafe pthread_create(
        &thread,
        nil,
        { _ in
            logAndOverflow()
            return nil
        },
        nil
    )
    pthread_join(thread, nil)
}

/// Logs on threads of its own for as long as the program runs.
func logEndlessly(threads: Int) {
    for _ in 0..<threads {
        var thread = pthread_t()
        unsafe pthread_create(
            &thread,
            nil,
            { _ in
                while true {
                    log.notice("on and on")
                    log.error("and on")
                }
            },
            nil
        )
    }
}

/// Becomes a daemon, whose threads log until it exits at a random moment within a twentieth of a second.
func becomeDaemon(threads: Int) {
    print("daemon \(daemon(1, 1))")
    log.notice("a daemon")
    logEndlessly(threads: threads)
    usleep(.random(in: 0..<50_000))
    exit(0)
}

/// Logs from a thread that is being cancelled, which it is at the first function that can be.
func logFromCancelledThread() {
    var thread = pthread_t()
    unsafe pthread_create(
        &thread,
        nil,
        { _ in
            pthread_cancel(pthread_self())
            log.notice("cancelled")
            pthread_testcancel()
            fatalError("the thread was not cancelled")
        },
        nil
    )
    pthread_join(thread, nil)
}

/// A sink that is asleep for so many seconds within its first record, and keeps nothing.
private final class SleepingSink: Sink {
    private let seconds: UInt32

    init(_ seconds: UInt32) {
        self.seconds = seconds
    }

    func write(_ record: borrowing Record) throws(SinkError) {
        guard record.sequence == 1 else { return }
        var rest = seconds
        while rest > 0 { rest = sleep(rest) }
    }
}

/// Starts the log with deferred delivery to such a sink, to which no record waits for room, and to
/// a file where one is given.
func startWithSleepingSink(_ seconds: Int, file: String?) {
    do {
        let files = file.map { [Winnow.Route.file($0)] } ?? []
        let routes = files + [.sink(SleepingSink(UInt32(seconds)))]
        try Winnow.start(.init(routes: routes, delivery: .deferred(overflow: .drop)))
    } catch {
        print("error: \(error)")
    }
}

/// A sink that never returns.
private final class HangingSink: Sink {
    func write(_ record: borrowing Record) throws(SinkError) {
        while true { pause() }
    }
}

/// Starts the log with a file of JSON lines and a sink that never returns from its first error.
func startWithHangingSink(beside file: String) {
    do {
        let sink = Winnow.Route.sink(HangingSink(), levels: .error)
        try Winnow.start(.init(routes: [.file(file, format: .json), sink]))
    } catch {
        print("error: \(error)")
    }
}

/// Forks while another thread logs the first record, with which the log starts; the child logs one
/// as well.
func forkWhileStarting() {
    var thread = pthread_t()
    unsafe pthread_create(
        &thread,
        nil,
        { _ in
            log.notice("parent")
            return nil
        },
        nil
    )
    usleep(300_000)
    let child = fork_()
    if child == 0 {
        alarm(600)
        log.notice("child")
        exit(0)
    }
    var status: Int32 = 0
    unsafe waitpid(child, &status, 0)
    pthread_join(thread, nil)
    print("child \(status)")
}

/// The library that a program uses which is none of Winnow's.
// SAFETY: dlopen(3) returns the same handle to all threads.
private nonisolated(unsafe) let openSSL = unsafe dlopen("libssl.so.3", RTLD_NOW)

/// Initializes OpenSSL, as the first call of a program does: OpenSSL registers its end at exit then.
func useOpenSSL() {
    typealias Function = @convention(c) (UInt64, UnsafeRawPointer?) -> Int32
    guard let function = unsafe dlsym(openSSL, "OPENSSL_init_ssl") else { return }
    _ = unsafe unsafeBitCast(function, to: Function.self)(0, nil)
}

func cleanUpOpenSSL() {
    typealias Function = @convention(c) () -> Void
    guard let function = unsafe dlsym(openSSL, "OPENSSL_cleanup") else { return }
    unsafe unsafeBitCast(function, to: Function.self)()
}

/// Takes memory until the process is killed for it.
func takeMemory() {
    let byteCount = 1 << 20
    while true {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 1, count: byteCount)
    }
}

/// Replaces the process by this program with an argument, without a fork.
func replaceProcess(by argument: String) {
    var arguments = unsafe [strdup(CommandLine.arguments[0]), strdup(argument), nil]
    _ = unsafe execv("/proc/self/exe", &arguments)
}
