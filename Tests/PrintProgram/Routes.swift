// SPDX-License-Identifier: Apache-2.0

import NoisyC
import NoisyCxx
import NoisySwift

/// A way to print.
struct Route {
    let name: String
    /// The module that prints.
    let module: String
    /// Prints a line; returns whether what was called returned what it should.
    let body: (String) -> Bool

    /// Prints the name, and accounts for it.
    func run() {
        let isRight = body("<\(name)>")
        account("\(isRight ? "right" : "wrong") \(module) \(name)")
    }
}

/// The ways of all noisy modules; the last ones change the process for good.
enum Routes {
    static var all: [Route] { swift + c + cxx }

    private static var swift: [Route] {
        NoisyRoute.allCases.map { route in
            Route(name: route.rawValue, module: "NoisySwift") {
                route.print($0)
                return true
            }
        }
    }

    private static var c: [Route] {
        var routes: [Route] = []
        while let route = unsafe noisyc_route_at(routes.count)?.pointee {
            let name = unsafe String(cString: route.name)
            routes.append(Route(name: name, module: "NoisyC") { unsafe route.print($0) })
        }
        return routes
    }

    private static var cxx: [Route] {
        var routes: [Route] = []
        while let name = unsafe noisycxx_route_at(routes.count) {
            let index = routes.count
            let text = unsafe String(cString: name)
            routes.append(
                Route(name: text, module: "NoisyCxx") { unsafe noisycxx_print_by(index, $0) }
            )
        }
        return routes
    }
}
