// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks

/// What a sink of Winnow's says that it is, so that the pipeline need not cast it.
@Suite(.timeLimit(.minutes(30)))
struct SinkKindTests {
    @Test func `a sink says whether it takes batches and whether it is called directly`() throws {
        let folder = TemporaryFolder()
        let (reader, writer) = Descriptor.pipe()
        defer {
            close(reader)
            close(writer)
        }
        let sinks: [any BuiltInSink] = [
            try FileSink(path: folder.file("app.log"), formatter: PlainFormatter()),
            StreamSink(descriptor: writer, formatter: PlainFormatter()),
            SyslogSink(path: folder.file("syslog"), formatter: PlainFormatter()),
            JournalSink(path: folder.file("journal"), identifier: "app", facility: .user),
            makeNetworkSink(.tcp("127.0.0.1", port: 1)),
            InMemorySink(),
        ]
        for sink in sinks {
            #expect((sink.batchSink != nil) == (sink is any BatchSink))
            #expect((sink.directSink != nil) == (sink is any DirectSink))
        }
        #expect(sinks.filter { $0.batchSink != nil }.count == 2)
        #expect(sinks.filter { $0.directSink != nil }.count == 2)
    }
}
