// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// The literals of a process that is dead, as they stand in the files of its program and its libraries.
///
/// What it returns lies in memory of its own, for as long as it is there.
@safe
package final class RecordedLiterals {
    // SAFETY: each text is kept until the end, and never written again.
    /// What stands in the place of a literal that cannot be read, as its file is gone or is another one by now.
    package static let unknown: StaticString = "<unknown literal>"
    /// The bytes of all literals together: those of a program are less, and a damaged file may name any.
    private static let greatestByteCount = 64 << 20

    private let images: [RecordedImage]
    /// The files of the images by their index, nil for those that cannot be read.
    private var files: [Int: ImageFile?] = [:]
    private var known: [UInt64: EncodedLiteral] = [:]
    private var texts: [UnsafeMutableRawBufferPointer] = unsafe []
    private var byteCount = 0

    package init(of images: [RecordedImage]) {
        self.images = images
    }

    deinit {
        unsafe texts.forEach { unsafe $0.deallocate() }
    }

    /// Returns the literal that another of the process was: UTF-8, or ``unknown``.
    package func literal(for recorded: EncodedLiteral) -> EncodedLiteral {
        let count = Int(recorded.word &>> 48)
        guard count > 0 else { return EncodedLiteral(word: 0) }
        if let literal = known[recorded.word] { return literal }
        let address = recorded.word & 0xFFFF_FFFF_FFFF
        let literal = text(at: address, count: count).map(keep) ?? EncodedLiteral(Self.unknown)
        known[recorded.word] = literal
        return literal
    }

    private func text(at address: UInt64, count: Int) -> ArraySlice<UInt8>? {
        guard byteCount + count <= Self.greatestByteCount else { return nil }
        for (index, image) in images.enumerated() {
            guard let segment = image.segments.first(where: { $0.addresses.contains(address) }),
                UInt64(count) < segment.addresses.upperBound - address
            else { continue }
            let offset = segment.offset &+ (address - segment.addresses.lowerBound)
            let text = file(at: index)?.read(at: offset, count: count + 1)
            // The compiler writes a zero behind each: other bytes are another literal, or a part of one and more.
            return text.flatMap { $0.firstIndex(of: 0) == count ? $0.dropLast() : nil }
        }
        return nil
    }

    private func file(at index: Int) -> ImageFile? {
        if let file = files[index] { return file }
        let file = ImageFile(of: images[index])
        files[index] = file
        return file
    }

    /// Keeps a text, and returns where it lies then.
    private func keep(_ text: ArraySlice<UInt8>) -> EncodedLiteral {
        let place = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
        unsafe place.copyBytes(from: text)
        unsafe UTF8Repair.repair(place)
        unsafe texts.append(place)
        byteCount += text.count
        return EncodedLiteral(
            word: UInt64(UInt(bitPattern: place.baseAddress)) | UInt64(text.count) &<< 48
        )
    }
}
