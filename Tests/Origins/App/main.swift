// SPDX-License-Identifier: Apache-2.0

// Prints whose calls the shapes of calls are, one a line: SHAPE=ORIGIN, with `~` behind a guess.
//
//     App [SHARED-OBJECT:FUNCTION...]      and asks the functions of the shared objects
//     App cost ROUNDS                      asks so often, and prints nothing

import Dispatch
import Glibc
import NoisyC
import NoisyCxx
import NoisySwift
import OriginProbe
import WinnowCore

struct Shapes {
    @inline(never)
    static func show(_ shape: String, _ origin: String) {
        print("\(shape)=\(origin)")
    }

    @inline(never)
    static func own() -> String {
        String(cString: origin_probe())
    }
}

func showSwift() async {
    Shapes.show("plain", noisyOrigin())
    Shapes.show("generic", noisyOriginOfGeneric(1))
    Shapes.show("closure", noisyOriginOfClosure())
    let closure = noisyClosure()
    Shapes.show("escaping", closure())
    Shapes.show("async", await noisyOriginOfAsync())
    Shapes.show("extension", 1.originOfExtension())
    let existential: any Noisy =
        CommandLine.argc
            == 1000 ? Stranger() : 1
    Shapes.show("witness", existential.origin())
    Shapes.show("string", "text".noisyOrigin())
    Shapes.show("array", [1].noisyOrigin())
    var stream = NoisyStream()
    print("text", to: &stream)
    Shapes.show("stream", stream.origin)
    var origin = ""
    _ = NoisyObject { origin = $0 }
    Shapes.show("deinit", origin)
}

struct Stranger: Noisy {
    func origin() -> String { "" }
}

func showC() {
    Shapes.show("c", String(cString: noisyc_origin()))
    Shapes.show("c-static", String(cString: noisyc_origin_of_static()))
    Shapes.show("c-jump", String(cString: noisyc_origin_by_jump()))
    Shapes.show("c-libc", String(cString: noisyc_origin_through_libc()))
    Shapes.show("c-dispatch", String(cString: noisyc_origin_through_dispatch()))
    Shapes.show("c-signal", String(cString: noisyc_origin_through_signal()))
    Shapes.show("cxx-method", String(cString: noisycxx_origin_of_method()))
    Shapes.show("cxx-template", String(cString: noisycxx_origin_of_template()))
    Shapes.show("cxx-lambda", String(cString: noisycxx_origin_of_lambda()))
    Shapes.show("cxx-library", String(cString: noisycxx_origin_through_library()))
}

func showShared(_ argument: String) {
    let parts = argument.split(separator: ":").map(String.init)
    guard let object = dlopen(parts[0], RTLD_NOW), let symbol = dlsym(object, parts[1]) else {
        fatalError(String(cString: dlerror()))
    }
    typealias Probe = @convention(c) () -> UnsafePointer<CChar>
    typealias Function = @convention(c) (Probe) -> UnsafePointer<CChar>
    let function = unsafeBitCast(symbol, to: Function.self)
    Shapes.show(parts[1], String(cString: function(origin_probe)))
}

if CommandLine.argc == 3 && CommandLine.arguments[1] == "cost" {
    for _ in 0..<(Int(CommandLine.arguments[2]) ?? 0) { _ = origin_probe_number() }
} else {
    await showSwift()
    showC()
    Shapes.show("own", Shapes.own())
    Shapes.show("through-winnow", askInWinnow())
    let origin = String(cString: origin_probe())
    Shapes.show("main", origin)
    for argument in CommandLine.arguments.dropFirst() { showShared(argument) }
}
