// SPDX-License-Identifier: Apache-2.0
//
// What the documentation's examples take for granted: the program around them.

import Logging
import Winnow
import WinnowTesting

/// Stands for `…`.
func more() {}

let log = Log("net")
let (host, address, name, user) = ("example.org", "192.0.2.1", "Alice", "alice")
let (card, path) = ("4111", "/tmp/model")
let (text, port, id, length, code) = ("any text", 80, 7, 1_000, Int32(98))
let optional: Int? = nil
let (flags, ratio, elapsed, isExpected) = (UInt8(3), 0.5, 12.25, true)
let error: any Error = CancellationError()

func connect() async {}
func noisy() {}
func expensive() -> Int { 1 }
func handle(_ request: String) async throws {}
let request = "GET /"

let goodFile = "good"
func decode(_ file: String) async throws {}

struct Model {
    init(_ path: String) throws {}
}

let records = RecordingSink()
let formatter = TextFormatter()
typealias MyFormatter = LogfmtFormatter

/// What a sink of one's own writes to.
final class Server: Sendable {
    init() throws {}
    let port = 1
    let lines: [[UInt8]] = []
    func start() throws {}
    func stop() {}
    func pause() {}
    func resume() {}
}

final class MySink: Sink {
    init(port: Int) {}
    func write(_ record: borrowing Record) throws(SinkError) {}
    func flush() throws(SinkError) {}
    func reopen() throws(SinkError) {}
}

let provider = Logger.MetadataProvider { [:] }

/// An attribute of metadata that says who may read a value.
enum Sensitivity: Int64, Logger.MetadataValueAttributes.Attribute {
    case sensitive
}
