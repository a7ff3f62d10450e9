// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore

/// The rules of a filter for statements.
struct StatementRuleTests {
    /// What is let through of a statement in line 40 of `Net/NetClient.swift`, whose first literal is
    /// `timeout after `, at debug.
    static let rules: [(filter: String, isLetThrough: Bool)] = [
        ("notice", false),
        ("@NetClient.swift=debug", true),
        ("@Net*.swift=debug", true),
        ("@*=debug", true),
        ("@Client.swift=debug", false),
        ("@netclient.swift=debug", false),
        ("@Net?lient.swift=debug", true),
        ("@NetClient.swift=info", false),
        ("@NetClient.swift=debug|error", true),
        // With the module.
        ("@Net/NetClient.swift=debug", true),
        ("@N*/*=debug", true),
        ("@Net/*Client.swift=debug", true),
        ("@Web/NetClient.swift=debug", false),
        // Lines.
        ("@NetClient.swift:40=debug", true),
        ("@NetClient.swift:41=debug", false),
        ("@NetClient.swift:1-40=debug", true),
        ("@NetClient.swift: 40 - 80 =debug", true),
        ("@NetClient.swift:41-80=debug", false),
        // Categories.
        ("net@*=debug", true),
        ("net.http@*=debug", true),
        ("net.*@*=debug", true),
        ("db@*=debug", false),
        ("*@*=debug", true),
        // Texts.
        ("@*~timeout after =debug", false),
        ("@*~timeout*=debug", true),
        ("@*~*after%20=debug", true),
        ("@*~*TIMEOUT*=debug", false),
        ("@*:40~*out*=debug", true),
        ("@*:41~*out*=debug", false),
        ("@*~timeout%2A=debug", false),
        // Rules stand above entries, and the last that matches applies.
        ("debug,@*=notice", false),
        ("notice,net=debug,@NetClient.swift=off", false),
        ("@*=notice,@NetClient.swift=debug", true),
        ("@NetClient.swift=debug,@*=notice", false),
        ("@NetClient.swift=debug,@*~*other*=off", true),
        ("debug,@*~*timeout*=off,@*~*other*=debug", false),
    ]

    @Test(arguments: rules)
    func `a statement is let through as the last rule for it says`(
        filter: String,
        isLetThrough: Bool
    ) {
        let filter = Filter(filter)
        #expect(filter.problems == [])
        #expect(verdict(filter) == (isLetThrough ? .letThrough : .heldBack))
        // As a text it means the same.
        let again = Filter(filter.description)
        #expect(again.problems == [] && again.description == filter.description)
        #expect(verdict(again) == verdict(filter))
    }

    /// What is decided before the text is known, and the same with what is known of it then.
    @Test(arguments: [
        ("@*~*timeout*=debug", FilterStack.Verdict.byText),
        ("@*~*other*=debug", .byText),
        ("debug,@*~*timeout*=debug", .letThrough),
        ("debug,@*~*other*=off", .byText),
        ("@*=debug,@*~*other*=debug", .letThrough),
        ("@*~*other*=debug,@*=error", .heldBack),
        ("@*:50~*timeout*=debug", .heldBack),
    ])
    func `a text decides only where it makes a difference`(
        filter: String,
        verdict: FilterStack.Verdict
    ) {
        #expect(self.verdict(Filter(filter), text: nil) == verdict)
    }

    @Test(arguments: [
        ("db=debug", true), ("debug", true), ("net=error", false), ("@Net*=error", false),
        ("@Other.swift=debug", true), ("error", false), ("net.http@*:40=off", false),
    ])
    func `what others have set stands above the program's rules, where it says something`(
        above: String,
        isLetThrough: Bool
    ) {
        let stack = FilterStack(own: "@NetClient.swift=debug", above: Filter(above), taken: .all)
        #expect((verdict(stack) == .letThrough) == isLetThrough)
    }

    @Test func `no rule lets through what no sink takes, or is for what is no statement`() {
        let own: Filter = "notice,net=debug,@*=info"
        #expect(verdict(FilterStack(own: "@*=debug", above: nil, taken: .upTo(.info))) == .heldBack)
        let stack = FilterStack(own: own, above: nil, taken: .all)
        #expect(verdict(stack) == .heldBack)
        #expect(verdict(stack, file: "") == .letThrough)
        #expect(stack.levels(for: "net".utf8.span) == .all)
        #expect(stack.levelsOfRules(for: "net".utf8.span) == .upTo(.info))
        #expect(
            FilterStack(own: "db@*=debug", above: nil, taken: .all)
                .levelsOfRules(for: "net".utf8.span) == nil
        )
    }

    static let problems: [(filter: String, problem: String)] = [
        ("@=debug", "'@=debug': a file is missing, such as Net.swift or * at character 2"),
        ("@:40=debug", "'@:40=debug': a file is missing, such as Net.swift or * at character 2"),
        (
            "@a.swift:x=debug",
            "'@a.swift:x=debug': lines are one, such as 40, or a range, such as 40-80 at character 10"
        ),
        (
            "@a.swift:80-40=debug",
            "'@a.swift:80-40=debug': lines are one, such as 40, or a range, such as 40-80 at character 10"
        ),
        (
            "@a.swift:=debug",
            "'@a.swift:=debug': lines are one, such as 40, or a range, such as 40-80 at character 10"
        ),
        (
            "@a.swift:40-99999999999999999999=debug",
            "'@a.swift:40-99999999999999999999=debug': lines are one, such as 40, or a range, such as "
                + "40-80 at character 10"
        ),
        (
            "@a.swift=debgu",
            "'@a.swift=debgu': unknown level 'debgu' at character 10; did you mean 'debug'?"
        ),
        (
            "@a.swift:40",
            "'@a.swift:40': unknown level '@a.swift:40' at character 1; did you mean '@a.swift:40=debug'?"
        ),
        (
            "n*t@a.swift=debug",
            "'n*t@a.swift=debug': '*' stands alone or in '.*' at the end at character 1"
        ),
        (
            "@a%zz=debug",
            "'@a%zz=debug': an escape is '%' and two hexadecimal digits, and '%' itself '%25' at character 4"
        ),
    ]

    @Test(arguments: problems)
    func `what is wrong with a rule is told`(filter: String, problem: String) {
        #expect(
            Filter("info,\(filter)").problems.map(\.reason) == Filter(filter).problems.map(\.reason)
        )
        #expect(Filter(filter).problems.map(\.description) == [problem])
        #expect(Filter(filter).isEmpty)
    }

    @Test func `the text of a filter has its rules in their order, behind all else`() {
        let filter: Filter = "@b.swift:1-2=debug,net=info,x%40y@a%2Cb~t?*%3D=off,error"
        #expect(filter.description == "error,net=info,@b.swift:1-2=debug,x%40y@a%2Cb~t?*%3D=off")
        #expect(filter.levelsOfAny == .all)
        #expect(Filter("net=info,@b.swift=debug").ownText == "net=info,@b.swift=debug")
    }

    @Test func `a pattern of many stars takes no long time`() {
        let filter = Filter("@" + String(repeating: "*a", count: 500) + "=debug")
        let stack = FilterStack(own: filter, above: nil, taken: .all)
        #expect(verdict(stack, file: String(repeating: "a", count: 5_000) + "b") == .heldBack)
    }

    private func verdict(
        _ filter: Filter,
        text: String? = "timeout after "
    ) -> FilterStack.Verdict {
        verdict(FilterStack(own: filter, above: nil, taken: .all), text: text)
    }

    private func verdict(
        _ stack: FilterStack,
        file: String = "Net/NetClient.swift",
        text: String? = "timeout after "
    ) -> FilterStack.Verdict {
        let (category, file) = ("net.http", file)
        let (name, path) = (category.utf8.span, file.utf8.span)
        guard let text else {
            return stack.verdict(on: .debug, category: name, file: path, line: 40, text: nil)
        }
        return stack.verdict(on: .debug, category: name, file: path, line: 40, text: text.utf8.span)
    }
}
