// SPDX-License-Identifier: Apache-2.0

// Shows rules on a library of the system: libxml2, which prints what it finds wrong with a page on
// standard error, each time with the piece of the page and a mark below it.
//
// With `--rules` its messages are logged as warnings, and the rest of what it prints is dropped.

import CLibXML2
import Winnow

@main
struct ReadPage {
    static let log = Log("page")

    static func main() throws {
        if CommandLine.arguments.contains("--rules") { try applyRules() }
        guard let path = CommandLine.arguments.dropFirst().first,
            let page = htmlReadFile(path, nil, 0)
        else {
            log.error("cannot read the page")
            return
        }
        defer { xmlFreeDoc(page) }
        let links = linkCount(in: xmlDocGetRootElement(page))
        log.notice("\(links, as: "links") links in \(path, as: "path")")
        print(links)
    }

    /// Of libxml2 one line in three says something.
    static func applyRules() throws {
        try Redirect.start(rules: [
            .contains(" error : ", .log(.warning)).from("xml2"),
            .origin("xml2", .drop),
        ])
    }

    static func linkCount(in first: xmlNodePtr?) -> Int {
        var count = 0
        var next = first
        while let node = next {
            if let name = node.pointee.name, String(cString: name) == "a" { count += 1 }
            count += linkCount(in: node.pointee.children)
            next = node.pointee.next
        }
        return count
    }
}
