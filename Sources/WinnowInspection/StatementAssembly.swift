// SPDX-License-Identifier: Apache-2.0

/// Puts the records of a table together: which texts belong to which statement.
///
/// A record says where its code is. The code of a statement is its begin, its texts and its end, in
/// this order, and one statement may stand within another one's message. Where the optimizer moves
/// a part elsewhere, mostly the begin behind the end as it turns a loop around, what is left over
/// is matched within its function.
struct StatementAssembly {
    /// A begin, by its index among the records, and the texts of its message.
    struct Parts {
        let begin: Int
        var texts: [Int] = []
    }

    private(set) var statements: [Parts] = []
    /// The texts of no statement: a message that is made outside of one.
    private(set) var looseTexts: [Int] = []

    /// An end whose begin is not before it.
    private struct Orphan {
        /// Where it is in the order of the function's begins: how many come before it.
        let position: Int
        let texts: [Int]
    }

    /// The begins of the function, in the order of the code.
    private var begins: [Parts] = []
    /// The begins without an end until now, as indices of `begins`.
    private var open: [Int] = []
    private var orphans: [Orphan] = []
    /// Texts with no begin before them.
    private var texts: [Int] = []
    /// How many begins may still be looked at for ends without one: a build leaves a few of those in a
    /// function, and a table with nothing else would take the square of its length.
    private var budget: Int

    /// - Parameters:
    ///   - records: The records, sorted by the addresses of their code.
    ///   - functionStarts: Where functions begin, ascending; without any, all is one function.
    init(_ records: [StatementRecord], functionStarts: [UInt64]) {
        budget = 65_536 + 32 * records.count
        var next = 0
        for (index, record) in records.enumerated() {
            if next < functionStarts.count, functionStarts[next] <= record.code {
                endFunction(records)
                while next < functionStarts.count, functionStarts[next] <= record.code {
                    next += 1
                }
            }
            add(record.kind, index)
        }
        endFunction(records)
    }

    private mutating func add(_ kind: StatementRecord.Kind, _ index: Int) {
        switch kind {
        case .begin:
            looseTexts += texts
            texts = []
            open.append(begins.count)
            begins.append(Parts(begin: index))
        case .text:
            if let last = open.last {
                begins[last].texts.append(index)
            } else {
                texts.append(index)
            }
        case .end:
            if open.popLast() == nil {
                orphans.append(Orphan(position: begins.count, texts: texts))
                texts = []
            }
        }
    }

    private mutating func endFunction(_ records: [StatementRecord]) {
        looseTexts += texts
        texts = []
        for orphan in orphans {
            adopt(orphan, records)
        }
        statements += begins
        begins = []
        open = []
        orphans = []
    }

    /// Gives the texts of an end without a begin to the begin without an end that follows it.
    ///
    /// What stands between the two may be off by one: of two loops that both are turned around, the
    /// texts of the second lie between the begin of the first and its own. Texts and begins keep the
    /// order of the source, so the begins are taken by their lines.
    private mutating func adopt(_ orphan: Orphan, _ records: [StatementRecord]) {
        budget -= open.count
        guard budget > 0, let index = open.firstIndex(where: { $0 >= orphan.position }) else {
            looseTexts += orphan.texts
            return
        }
        let last = open.remove(at: index)
        let chain = orphan.position..<last + 1
        budget -= chain.count
        var groups = [orphan.texts]
        groups += begins[chain].dropLast().map(\.texts)
        // A begin without an end may have been given loose texts.
        looseTexts += begins[last].texts
        let byLine = chain.sorted {
            (records[begins[$0].begin].number, $0) < (records[begins[$1].begin].number, $1)
        }
        for (index, texts) in zip(byLine, groups) {
            begins[index].texts = texts
        }
    }
}
