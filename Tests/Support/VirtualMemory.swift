// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Returns the virtual memory of the process, in bytes; 0 where the system does not tell.
package func virtualByteCount() -> Int { memoryPageCounts().virtual * 4_096 }

/// Returns the memory that the process occupies, in bytes; 0 where the system does not tell.
package func residentByteCount() -> Int { memoryPageCounts().resident * 4_096 }

private func memoryPageCounts() -> (virtual: Int, resident: Int) {
    guard let file = unsafe fopen("/proc/self/statm", "r") else { return (0, 0) }
    defer { unsafe fclose(file) }
    var (virtual, resident) = (0, 0)
    _ = unsafe withUnsafeMutablePointer(to: &virtual) { first in
        unsafe withUnsafeMutablePointer(to: &resident) { second in
            unsafe withVaList([first, second]) { unsafe vfscanf(file, "%ld %ld", $0) }
        }
    }
    return (virtual, resident)
}

/// Returns how many mappings the process has.
package func mappingCount() -> Int {
    guard let file = unsafe fopen("/proc/self/maps", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var count = 0
    while case let byte = unsafe fgetc(file), byte != EOF { count += byte == 10 ? 1 : 0 }
    return count
}
