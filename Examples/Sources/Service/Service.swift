// SPDX-License-Identifier: Apache-2.0

// Shows an HTTP service that logs through Winnow, and whose framework logs through swift-log.
//
// It stops on SIGTERM and SIGINT. With `--port 0`, the default, the system chooses the port.

import Hummingbird
import Logging
import NoisyNet
import Winnow
import WinnowSwiftLog

@main
struct Service {
    static let log = Log("service")

    static func main() async {
        // From here on the framework's own records come to Winnow: label → category.
        LoggingSystem.bootstrap(WinnowLogHandler.init(label:))
        NoisyNet.warmUp()

        let application = Application(
            router: router(),
            configuration: .init(
                address: .hostname("127.0.0.1", port: port(of: CommandLine.arguments))
            ),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                log.notice("serving on port \(port, as: "port")")
            },
            logger: Logger(label: "hummingbird")
        )
        do {
            try await application.runService()
            log.notice("stopped")
        } catch {
            log.critical("cannot serve", error: error)
        }
    }

    static func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: RequestLevel())
        router.add(middleware: RequestLogging())
        router.get("health") { _, _ in "ok\n" }
        router.get("hello/{name}") { _, context in
            let name = try context.parameters.require("name")
            log.debug("greeting \(name, as: "name")")
            return "Hello, \(name)!\n"
        }
        router.get("fail") { _, _ -> String in
            throw StorageFailure(volume: "/var/lib/service")
        }
        return router
    }

    static func port(of arguments: [String]) -> Int {
        guard let option = arguments.firstIndex(of: "--port"),
            let value = arguments.dropFirst(option + 1).first, let port = Int(value)
        else { return 0 }
        return port
    }
}

/// What goes wrong where the service is asked to fail.
struct StorageFailure: Error, CustomStringConvertible {
    let volume: String

    var description: String { "volume \(volume) is read-only" }
}
