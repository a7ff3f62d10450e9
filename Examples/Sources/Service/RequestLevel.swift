// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Winnow

/// Lets a request say how much the service logs for it: `Log-Level: debug`.
///
/// Whoever may send the header can fill the log: the proxy in front of a service removes it from what comes
/// from outside.
struct RequestLevel<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let field = request.headers.first { $0.name.canonicalName == "log-level" }
        guard let level = field.flatMap({ Level(parsing: $0.value) }) else {
            return try await next(request, context)
        }
        return try await Log.withLevel(level, "service, hummingbird") {
            try await next(request, context)
        }
    }
}
