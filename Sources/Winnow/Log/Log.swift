// SPDX-License-Identifier: Apache-2.0

public import CWinnow
public import WinnowCore
internal import WinnowPipeline

/// A logger: a category under which records are logged.
///
/// ```swift
/// let log = Log("net")
/// log.notice("listening on \(host):\(port, as: "port")")
/// log.error("bind failed", errno: code, ("port", port))
///
/// Log.error("no category")
/// ```
/// A logger is a small value that you can keep, copy and share. Dots separate the components of its
/// name, `net.http`, and `WINNOW_LOG` sets levels by them. You don't have to start anything first:
/// the first record starts the log as the environment says.
///
/// A category takes some 200 bytes until the process ends. Make its name from the source and not from
/// data, which belongs into fields. From 4,096 categories on, the log says so once.
///
/// In a module that is isolated to the main actor by default, write `nonisolated let log = Log("net")`, so that
/// other code can log too. A global `log` hides the function of the C library in its module, which is then
/// `Glibc.log(x)` or `Foundation.log(x)`.
///
/// `with` returns the same logger with fields of its own; `once` and `every` return one whose
/// statements are rate-limited.
///
/// Every method is MT-Safe and AS-Unsafe.
@frozen
@safe
public struct Log: @unchecked Sendable {
    // SAFETY: the cell lives as long as the program; its mask is atomic, the rest never changes.
    @usableFromInline let cell: UnsafeMutablePointer<cwinnow_cell>
    /// The code of the rate limit, 0 for none: one of `LimitedSite`.
    @usableFromInline var limit: Int64
    /// The fields of its own.
    @usableFromInline var context: LogContext?

    /// Creates a logger for a category; the empty category is that of the static methods.
    ///
    /// Loggers with the same name are the same. The first one with a name costs an allocation, the
    /// others a look-up under a lock: keep a logger instead of creating it at each call. MT-Safe,
    /// AS-Unsafe.
    public init(_ category: String) {
        unsafe self.init(cell: Pipeline.category(named: category).pointer)
    }

    @export(implementation)
    @inline(always)
    init(cell: UnsafeMutablePointer<cwinnow_cell>) {
        unsafe self.cell = unsafe cell
        limit = 0
        context = nil
    }

    /// The logger of the static methods.
    @export(implementation) static var unnamed: Log {
        @inline(always) get { unsafe Log(cell: cwinnow_category_default()) }
    }

    /// The name of the category.
    public var category: String {
        unsafe String(decoding: cell.name, as: UTF8.self)
    }

    /// Whether the filter lets a level through, whatever the floor of the calling module.
    @export(implementation)
    @inline(always)
    func letsThrough(_ level: Level) -> Bool {
        let mask = unsafe cwinnow_category_mask(cell)
        let isSet = mask & (1 &<< UInt32(level.literal)) != 0
        if _fastPath(mask & UInt32(CWINNOW_MASK_UNRESOLVED) == 0) { return isSet }
        return unsafe Startup.isEnabled(cell, level)
    }
}

extension Log: CustomStringConvertible {
    /// The logger by its category: `Log("net.http")`.
    public var description: String { "Log(\"\(category)\")" }
}
