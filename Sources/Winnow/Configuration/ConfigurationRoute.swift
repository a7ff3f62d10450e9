// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowFormatters
public import WinnowSinks

extension Winnow {
    /// A destination of records, and the levels that go there.
    ///
    /// A record must pass the filter first: a route never lets through what the filter rejects.
    ///
    /// A value: MT-Safe, AS-Unsafe heap. Making one opens nothing.
    public struct Route: Sendable {
        package enum Destination: Sendable {
            case journald
            case syslog(path: String)
            case network(any NetworkDestination)
            case file(path: String)
            case stream(StandardStream)
            case sink(any Sink)
        }

        /// Who made the route: what is wrong with it is the program's fault or the environment's.
        package enum Origin: Sendable { case code, environment, defaults }

        package var destination: Destination
        /// What a sink of the program's own is called; nil where that is its type.
        package var name: String?
        /// The levels that the route lets through.
        public var levels: LevelSet
        /// Whether the environment states the levels explicitly.
        package var saysLevels = false
        package var format: Format?
        /// A formatter of the program's own, in place of a format.
        package var formatter: (any Formatter)?
        package var color = Color.auto
        package var facility: Facility?
        /// The most bytes of a record, for which its texts are cut; nil is no bound.
        package var recordByteCount: Int?
        package var rotation: FileRotation?
        package var origin = Origin.code
        /// Whether stderr takes the records of a daemon of this machine that is not there.
        package var mayFallBack = true

        package init(_ destination: Destination, levels: LevelSet, origin: Origin = .code) {
            self.destination = destination
            self.levels = levels
            self.origin = origin
        }
    }
}

extension Winnow.Route {
    /// The journal of this machine, with all fields; stderr if there is no journal.
    ///
    /// - Parameters:
    ///   - levels: The levels that the route lets through.
    ///   - recordByteCount: The most bytes of an entry, from 1 024, for which longer texts are cut: see
    ///     ``BoundedFormatter``. Nil means 384 KiB, which journald stores whatever its configuration.
    /// - Returns: The route.
    public static func journald(
        levels: LevelSet = .all,
        recordByteCount: Int? = nil
    ) -> Winnow.Route {
        var route = Winnow.Route(.journald, levels: levels)
        route.recordByteCount = recordByteCount
        return route
    }

    /// The syslog daemon of this machine; stderr if there is none.
    ///
    /// - Parameters:
    ///   - levels: The levels that the route lets through.
    ///   - facility: The facility of its records; nil stands for the configuration's.
    ///   - path: The path of the daemon's socket.
    ///   - recordByteCount: The most bytes of a message, from 1 024, for which longer texts are cut: see
    ///     ``BoundedFormatter``. Nil means no bound.
    /// - Returns: The route.
    public static func syslog(
        levels: LevelSet = .all,
        facility: Facility? = nil,
        path: String = defaultSyslogPath,
        recordByteCount: Int? = nil
    ) -> Winnow.Route {
        var route = Winnow.Route(.syslog(path: path), levels: levels)
        route.recordByteCount = recordByteCount
        route.facility = facility
        return route
    }

    /// A file to which records are appended; if it is missing, it is created with mode 0640.
    ///
    /// - Parameters:
    ///   - path: The path of the file, whose folder must exist; a relative path starts at the working
    ///     directory at the time when the log starts.
    ///   - levels: The levels that the route lets through.
    ///   - format: The format of its records; nil means that of the configuration.
    ///   - formatter: A formatter of your own in place of a format; `WINNOW_FORMAT` overrides it as well.
    ///   - recordByteCount: The most bytes of a line, from 1 024, for which longer texts are cut: see
    ///     ``BoundedFormatter``. Nil means no bound.
    ///   - rotation: When the file is rotated, and how many old files are kept; nil means never.
    /// - Returns: The route.
    public static func file(
        _ path: String,
        levels: LevelSet = .all,
        format: Winnow.Format? = nil,
        formatter: (any Formatter)? = nil,
        recordByteCount: Int? = nil,
        rotate rotation: FileRotation? = nil
    ) -> Winnow.Route {
        var route = Winnow.Route(.file(path: path), levels: levels).writing(format, formatter)
        route.recordByteCount = recordByteCount
        route.rotation = rotation
        return route
    }

    /// The standard error of the process.
    ///
    /// - Parameters:
    ///   - levels: The levels that the route lets through.
    ///   - format: The format of its records; nil means that of the configuration.
    ///   - formatter: A formatter of your own in place of a format; `WINNOW_FORMAT` overrides it as well.
    ///   - color: Whether text is colored, unless a formatter of your own makes it.
    ///   - recordByteCount: The most bytes of a line, from 1 024, for which longer texts are cut: see
    ///     ``BoundedFormatter``. Nil means no bound.
    /// - Returns: The route.
    public static func stderr(
        levels: LevelSet = .all,
        format: Winnow.Format? = nil,
        formatter: (any Formatter)? = nil,
        color: Winnow.Color = .auto,
        recordByteCount: Int? = nil
    ) -> Winnow.Route {
        var route = Winnow.Route(.stream(.stderr), levels: levels).writing(format, formatter, color)
        route.recordByteCount = recordByteCount
        return route
    }

    /// The standard output of the process, for containers and pipelines.
    ///
    /// What the program prints goes there too, and its order with the records is not kept: in a pipe
    /// or file, `print` collects its lines in a buffer, and a record is written at once.
    ///
    /// - Parameters:
    ///   - levels: The levels that the route lets through.
    ///   - format: The format of its records; nil means that of the configuration.
    ///   - formatter: A formatter of your own in place of a format; `WINNOW_FORMAT` overrides it as well.
    ///   - color: Whether text is colored, unless a formatter of your own makes it.
    ///   - recordByteCount: The most bytes of a line, from 1 024, for which longer texts are cut: see
    ///     ``BoundedFormatter``. Nil means no bound.
    /// - Returns: The route.
    public static func stdout(
        levels: LevelSet = .all,
        format: Winnow.Format? = nil,
        formatter: (any Formatter)? = nil,
        color: Winnow.Color = .auto,
        recordByteCount: Int? = nil
    ) -> Winnow.Route {
        var route = Winnow.Route(.stream(.stdout), levels: levels).writing(format, formatter, color)
        route.recordByteCount = recordByteCount
        return route
    }

    /// The same route with the form of its records.
    private func writing(
        _ format: Winnow.Format?,
        _ formatter: (any Formatter)?,
        _ color: Winnow.Color = .auto
    ) -> Winnow.Route {
        var route = self
        route.format = format
        route.formatter = formatter
        route.color = color
        return route
    }

    /// A sink of the program's own.
    ///
    /// - Parameters:
    ///   - sink: The sink; the log calls it on one thread at a time.
    ///   - name: What it is called in ``Winnow/status`` and in reports of losses; nil means its type. If
    ///     several routes have one name, they are numbered.
    ///   - levels: The levels that the route lets through.
    /// - Returns: The route.
    public static func sink(
        _ sink: any Sink,
        name: String? = nil,
        levels: LevelSet = .all
    ) -> Winnow.Route {
        var route = Winnow.Route(.sink(sink), levels: levels)
        route.name = name
        return route
    }

    /// The socket of the syslog daemon.
    ///
    /// Source: syslog(3).
    public static let defaultSyslogPath = "/dev/log"
}

extension Winnow.Route {
    /// Whether another route brings the same records to the same destination, which nobody wants.
    func isDoubled(by other: Winnow.Route) -> Bool {
        description == other.description && !levels.isDisjoint(with: other.levels)
    }
}

extension Winnow.Route: CustomStringConvertible {
    /// The destination as `WINNOW_SINKS` names it: `journald`, `file:/var/log/app.log`.
    public var description: String {
        switch destination {
        case .journald: "journald"
        case .syslog(Winnow.Route.defaultSyslogPath): "syslog"
        case .syslog(let path): "syslog:\(path)"
        case .network(let server): server.description
        case .file(let path): "file:\(path)"
        case .stream(let stream): stream.rawValue
        case .sink(let sink): name ?? "\(type(of: sink))"
        }
    }
}
