// SPDX-License-Identifier: Apache-2.0

import Effects
import Winnow

/// Calls every statement of the module.
public func run() async {
    let log = Log("probeX")
    let bound = log.with(("bound", 1))
    await runEmergency(log, bound)
    await runAlert(log, bound)
    await runCritical(log, bound)
    await runError(log, bound)
    await runWarning(log, bound)
    await runNotice(log, bound)
    await runInfo(log, bound)
    await runDebug(log, bound)
    Level.allCases.forEach { runtime(log, $0) }
    print("effect probeX_runtime_maximum_\(Level.staticMaximum + 1)")
}

/// Statements whose level is known only at run time: their text stays, what they do does not.
@inline(never)
func runtime(_ log: Log, _ level: Level) {
    log.log(level, "probeX_runtime_text_\(effect("probeX_runtime_part", of: level.rawValue))")
    Log.log(
        level,
        "probeX_runtime_static_text_\(level.rawValue)",
        ("probeX_runtime_static_name", effect("probeX_runtime_static_value", of: level.rawValue))
    )
    if log.isEnabled(level) { print("effect probeX_runtime_enabled_\(level.rawValue)") }
}
