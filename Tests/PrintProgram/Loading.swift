// SPDX-License-Identifier: Apache-2.0

import Glibc
import Winnow

/// Shared objects that are loaded while the program runs.
enum Loading {
    private typealias Noise = @convention(c) () -> Void

    /// Loads the object, calls its `noise`, and unloads it.
    ///
    /// Three times, as it comes to the same addresses then.
    static func run(_ path: String) {
        for _ in 0..<3 {
            guard let object = unsafe dlopen(path, RTLD_NOW) else {
                return unsafe account("error \(String(cString: dlerror()))")
            }
            unsafe noise("noise", of: object)?()
            unsafe account("closed \(dlclose(object))")
        }
    }

    /// Loads and unloads the object again and again beside lines that the worker has to look at, and
    /// so looks at the tables.
    static func repeatedly(_ path: String) {
        let thread = StartedThread {
            for _ in 0..<300 {
                guard let object = unsafe dlopen(path, RTLD_NOW) else { return }
                unsafe dlclose(object)
            }
        }
        for number in 0..<300 {
            print("line \(number)")
            usleep(700)
        }
        thread.join()
        account("loaded")
    }

    private static func noise(_ name: String, of object: UnsafeMutableRawPointer) -> Noise? {
        unsafe dlsym(object, name).map { unsafe unsafeBitCast($0, to: Noise.self) }
    }

    /// Loads the object, each function of which is resolved when it is called first, and has 16
    /// threads call `noise0` to `noise15` while the redirect starts; then once more, on this thread.
    static func race(_ path: String) {
        guard let object = unsafe dlopen(path, RTLD_LAZY) else {
            return unsafe account("error \(String(cString: dlerror()))")
        }
        let bodies = (0..<16).compactMap { unsafe noise("noise\($0)", of: object) }
        let ready = Semaphore()
        let threads = bodies.map { body in
            StartedThread {
                ready.wait()
                body()
            }
        }
        for _ in threads { ready.signal() }
        start("log")
        threads.forEach { $0.join() }
        // The worker looks at the tables for the last time a tenth of a second later. Nothing says that
        // it has, and what is printed meanwhile would have it look.
        usleep(3_000_000)
        print("second")
        bodies.forEach { $0() }
    }
}
