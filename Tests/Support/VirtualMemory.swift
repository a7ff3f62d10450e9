// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Returns the virtual memory of the process, in bytes; 0 where the system does not tell.
package func virtualByteCount() -> Int {
    guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var pages = 0
    _ = unsafe withUnsafeMutablePointer(to: &pages) { pointer in
        unsafe withVaList([pointer]) { unsafe vfscanf(file, "%ld", $0) }
    }
    return pages * 4_096
}

/// Returns how many mappings the process has.
package func mappingCount() -> Int {
    guard let file = unsafe fopen("/proc/self/maps", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var count = 0
    while case let byte = unsafe fgetc(file), byte != EOF { count += byte == 10 ? 1 : 0 }
    return count
}
