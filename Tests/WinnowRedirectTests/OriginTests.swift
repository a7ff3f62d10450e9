// SPDX-License-Identifier: Apache-2.0

import CWinnowRedirect
import Dispatch
import NoisyC
import NoisyCxx
import NoisySwift
import OriginProbe
import Testing

/// Returns the name in a C string.
private func name(_ text: UnsafePointer<CChar>) -> String {
    unsafe String(cString: text)
}

struct OriginTests {
    @Test func `Swift code is its module's`() async {
        #expect(noisyOrigin() == "NoisySwift")
        #expect(noisyOriginOfGeneric(1) == "NoisySwift")
        #expect(noisyOriginOfGeneric("text") == "NoisySwift")
        #expect(noisyOriginOfClosure() == "NoisySwift")
        #expect(await noisyOriginOfAsync() == "NoisySwift")
    }

    @Test func `a closure is the module's that it stands in, whoever calls it`() {
        let closure = noisyClosure()
        #expect(closure() == "NoisySwift")
        #expect(DispatchQueue(label: "origin").sync(execute: closure) == "NoisySwift")
        #expect([1].map { _ in unsafe name(origin_probe()) } == ["WinnowRedirectTests"])
    }

    @Test func `an extension is the module's that has it, not the type's`() {
        #expect(1.originOfExtension() == "NoisySwift")
        #expect("text".noisyOrigin() == "NoisySwift")
        #expect([1].noisyOrigin() == "NoisySwift")
        let existential: any Noisy = 1
        #expect(existential.origin() == "NoisySwift")
    }

    @Test func `what the runtime calls is stepped over`() {
        var stream = NoisyStream()
        print("text", to: &stream)
        #expect(stream.origin == "NoisySwift")
        var origin = ""
        _ = NoisyObject { origin = $0 }
        #expect(origin == "NoisySwift")
        #expect(unsafe name(noisyc_origin_through_dispatch()) == "NoisyC")
    }

    @Test func `C code is its target's`() {
        #expect(unsafe name(noisyc_origin()) == "NoisyC")
        #expect(unsafe name(noisyc_origin_of_static()) == "NoisyC")
        #expect(unsafe name(noisyc_origin_through_libc()) == "NoisyC")
        #expect(unsafe name(noisyc_call(origin_probe)) == "NoisyC")
    }

    @Test func `a function that jumps to the one that prints is seen by its call`() {
        #expect(unsafe name(noisyc_origin_by_jump()) == "NoisyC")
    }

    @Test func `C++ code is its target's`() {
        #expect(unsafe name(noisycxx_origin_of_method()) == "NoisyCxx")
        #expect(unsafe name(noisycxx_origin_of_template()) == "NoisyCxx")
        #expect(unsafe name(noisycxx_origin_of_lambda()) == "NoisyCxx")
        #expect(unsafe name(noisycxx_origin_through_library()) == "NoisyCxx")
    }

    @Test func `this module is the origin of its own calls`() {
        #expect(unsafe name(origin_probe()) == "WinnowRedirectTests")
    }
}
