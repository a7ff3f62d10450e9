// SPDX-License-Identifier: Apache-2.0

#if Redirect
internal import CWinnow
internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline
internal import WinnowRedirect

/// Logs what third-party code printed.
final class RedirectReceiver: LineReceiver {
    /// The logger of the last line: many lines of one origin come in a row.
    // SAFETY: read and written only on the one thread that processes lines.
    private nonisolated(unsafe) var last: (category: String, log: Log)?
    // SAFETY: as above.
    private nonisolated(unsafe) var clock = StampClock()

    func log(_ text: UnsafeRawBufferPointer, as form: LineForm, line: LineFacts) {
        let statement = Statement(log: logger(of: form.category), level: form.level.rawValue)
        guard statement.isLetThrough, let call = statement.open(at: nil, saying: "") else { return }
        var message = unsafe LogMessage(verbatimBytes: text)
        statement.adopt(&message, for: call)
        message.encoder.appendFields(fields(of: line, in: form.category))
        unsafe Pipeline.close(message.encoder, at: line.time, by: &clock)
    }

    func report(_ text: String, fields: [Field]) {
        News.announce(text, level: .warning, fields: fields)
    }

    private func logger(of category: String) -> Log {
        if let last = unsafe last, last.category == category { return last.log }
        let log = Log(category)
        unsafe last = (category, log)
        return log
    }

    private func fields(of line: LineFacts, in category: String) -> [Field] {
        var fields = [Field("stream", .string(line.stream == .stdout ? "stdout" : "stderr"))]
        if category != line.origin.name {
            fields.append(Field("origin", .string(line.origin.name)))
        }
        if line.threadID != 0 { fields.append(Field("thread", .integer(Int64(line.threadID)))) }
        if line.origin.isApproximate { fields.append(Field("origin_is_approximate", .bool(true))) }
        if line.ending != .newline {
            fields.append(Field("line_break", .string("\(line.ending)")))
        }
        if line.repeated > 0 { fields.append(Field("repeated", .unsigned(line.repeated))) }
        return fields
    }
}
#endif
