// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Winnow

/// Logs every request: one record with its method, path, status and duration.
struct RequestLogging<Context: RequestContext>: RouterMiddleware {
    private let log = Log("service.http")

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let method = request.method.rawValue
        let path = request.uri.path
        do {
            let response = try await next(request, context)
            logAnswer(response.status, method, path, since: start, context)
            return response
        } catch let error as any HTTPResponseError {
            // What the framework answers with a status of its own, such as 404.
            logAnswer(error.status, method, path, since: start, context)
            throw error
        } catch {
            log.error(
                "\(method, as: "method") \(path, as: "path") failed",
                error: error,
                ("status", 500),
                ("duration_ms", milliseconds(since: start)),
                ("request.id", context.id)
            )
            throw error
        }
    }

    private func logAnswer(
        _ status: HTTPResponse.Status,
        _ method: String,
        _ path: String,
        since start: ContinuousClock.Instant,
        _ context: Context
    ) {
        log.notice(
            "\(method, as: "method") \(path, as: "path") \(status.code, as: "status")",
            ("duration_ms", milliseconds(since: start)),
            ("request.id", context.id)
        )
    }

    private func milliseconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .milliseconds(1)
    }
}
