// SPDX-License-Identifier: Apache-2.0

internal import CWinnowInspection

/// The functions of a program: where they begin, and what they are called.
struct FunctionNames {
    /// A function that has a symbol.
    private struct Symbol {
        let address: UInt64
        let size: UInt64
        let name: Int
    }

    /// The bytes of a symbol that are read at most; of one that is longer the address says more.
    private static let longestSymbol = 4_096

    /// By their addresses.
    private var symbols: [Symbol] = []
    private var names: [UInt8] = []

    /// Reads the symbols: those for the linker and debuggers, or if they are stripped the
    /// exported ones.
    init<Source: ByteSource>(_ image: ELFImage<Source>) throws(InspectionProblem) {
        typealias Kind = ELFImage<Source>.Section.Kind
        let table =
            image.sections.first { $0.kind == Kind.symbols }
            ?? image.sections.first { $0.kind == Kind.dynamicSymbols }
        guard let table, image.sections.indices.contains(Int(table.link)) else { return }
        names = try image.bytes(of: image.sections[Int(table.link)])
        let bytes = try image.bytes(of: table)
        for start in stride(from: 0, to: bytes.count - bytes.count % 24, by: 24) {
            let section: UInt16 = bytes.integer(at: start + 6)
            // STT_FUNC, and defined here.
            guard bytes[start + 4] & 0xF == 2, section != 0 else { continue }
            symbols.append(
                Symbol(
                    address: bytes.integer(at: start + 8),
                    size: bytes.integer(at: start + 16),
                    name: Int(bytes.integer(at: start, as: UInt32.self))
                )
            )
        }
        symbols.sort { ($0.address, $0.size, $0.name) < ($1.address, $1.size, $1.name) }
    }

    /// Returns the name of the function that an address lies in, as people want to read it.
    func name(at address: UInt64) -> String? {
        var low = 0
        var high = symbols.count
        while low < high {
            let middle = (low + high) / 2
            if symbols[middle].address <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let symbol = symbols[low - 1]
        guard symbol.size == 0 || address - symbol.address < symbol.size,
            let name = names.text(at: symbol.name, limit: Self.longestSymbol), !name.isEmpty
        else { return nil }
        return FunctionName.short(Self.demangled(name))
    }

    private static func demangled(_ symbol: String) -> String {
        // SAFETY: the call reads `count` bytes, and its result is freed here and not used after.
        let name = unsafe cwinnow_inspection_demangle(symbol, symbol.utf8.count)
        guard let name = unsafe name else { return symbol }
        defer { unsafe cwinnow_inspection_free(name) }
        return unsafe String(cString: name)
    }
}
