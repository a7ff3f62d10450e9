// SPDX-License-Identifier: Apache-2.0

import Effects
import Winnow

// Each kind of argument, by each way to call. The functions are not inlined, so that their calls are
// found under their names.

@inline(never)
func methodDebug(_ log: Log) {
    log.debug("probeX_debug_method_static_text")
    log.debug("probeX_debug_method_one_text \(effect("probeX_debug_method_one_part"))")
    log.debug(
        "probeX_debug_method_as_text \(effect("probeX_debug_method_as_part"), as: "probeX_debug_method_as_name")"
    )
    log.debug(
        "probeX_debug_method_pair_text",
        ("probeX_debug_method_pair_name", effect("probeX_debug_method_pair_value"))
    )
    log.debug(
        "probeX_debug_method_two_text",
        ("probeX_debug_method_two_name1", effect("probeX_debug_method_two_value1")),
        ("probeX_debug_method_two_name2", effect("probeX_debug_method_two_value2"))
    )
    log.debug(
        "probeX_debug_method_eight_text",
        ("probeX_debug_method_eight_name1", effect("probeX_debug_method_eight_value1")),
        ("probeX_debug_method_eight_name2", effect("probeX_debug_method_eight_value2")),
        ("probeX_debug_method_eight_name3", effect("probeX_debug_method_eight_value3")),
        ("probeX_debug_method_eight_name4", effect("probeX_debug_method_eight_value4")),
        ("probeX_debug_method_eight_name5", effect("probeX_debug_method_eight_value5")),
        ("probeX_debug_method_eight_name6", effect("probeX_debug_method_eight_value6")),
        ("probeX_debug_method_eight_name7", effect("probeX_debug_method_eight_value7")),
        ("probeX_debug_method_eight_name8", effect("probeX_debug_method_eight_value8"))
    )
    log.debug(
        "probeX_debug_method_list_text",
        fields: ["probeX_debug_method_list_name": effect("probeX_debug_method_list_value")]
    )
    log.debug(
        "probeX_debug_method_sequence_text",
        fields: [
            Field("probeX_debug_method_sequence_name", effect("probeX_debug_method_sequence_value"))
        ]
    )
    log.debug(
        "probeX_debug_method_both_text",
        ("probeX_debug_method_both_name1", effect("probeX_debug_method_both_value1")),
        fields: ["probeX_debug_method_both_name2": effect("probeX_debug_method_both_value2")]
    )
    log.debug(
        "probeX_debug_method_dictionary_text",
        fields: [
            "probeX_debug_method_dictionary_name": effect("probeX_debug_method_dictionary_value")
        ] as [String: String]
    )
    log.debug(
        "probeX_debug_method_default_text \(String?.none, default: effect("probeX_debug_method_default_part"))"
    )
    log.debug("probeX_debug_method_error_text", error: failure("probeX_debug_method_error_error"))
    log.debug("probeX_debug_method_errno_text", errno: code("probeX_debug_method_errno_errno"))
    log.debug(
        "probeX_debug_method_id_text",
        messageID: MessageID(stringLiteral: effect("probeX_debug_method_id_id"))
    )
}

@inline(never)
func staticDebug() {
    Log.debug("probeX_debug_static_static_text")
    Log.debug("probeX_debug_static_one_text \(effect("probeX_debug_static_one_part"))")
    Log.debug(
        "probeX_debug_static_pair_text",
        ("probeX_debug_static_pair_name", effect("probeX_debug_static_pair_value"))
    )
    Log.debug(
        "probeX_debug_static_list_text",
        fields: ["probeX_debug_static_list_name": effect("probeX_debug_static_list_value")]
    )
    Log.debug(
        "probeX_debug_static_id_text",
        messageID: MessageID(stringLiteral: effect("probeX_debug_static_id_id"))
    )
}

@inline(never)
func constantDebug(_ log: Log) {
    log.log(.debug, "probeX_debug_constant_one_text \(effect("probeX_debug_constant_one_part"))")
    log.log(
        .debug,
        "probeX_debug_constant_eight_text",
        ("probeX_debug_constant_eight_name1", effect("probeX_debug_constant_eight_value1")),
        ("probeX_debug_constant_eight_name2", effect("probeX_debug_constant_eight_value2")),
        ("probeX_debug_constant_eight_name3", effect("probeX_debug_constant_eight_value3")),
        ("probeX_debug_constant_eight_name4", effect("probeX_debug_constant_eight_value4")),
        ("probeX_debug_constant_eight_name5", effect("probeX_debug_constant_eight_value5")),
        ("probeX_debug_constant_eight_name6", effect("probeX_debug_constant_eight_value6")),
        ("probeX_debug_constant_eight_name7", effect("probeX_debug_constant_eight_value7")),
        ("probeX_debug_constant_eight_name8", effect("probeX_debug_constant_eight_value8"))
    )
    log.log(
        .debug,
        "probeX_debug_constant_list_text",
        fields: ["probeX_debug_constant_list_name": effect("probeX_debug_constant_list_value")]
    )
}

@inline(never)
func staticConstantDebug() {
    Log.log(
        .debug,
        "probeX_debug_staticconstant_one_text \(effect("probeX_debug_staticconstant_one_part"))"
    )
}

/// A message that is made elsewhere, when it is asked for.
private var messageDebug: LogMessage {
    "probeX_debug_stored_computed_text \(effect("probeX_debug_stored_computed_part"))"
}

@inline(never)
func storedDebug(_ log: Log) {
    log.debug(messageDebug)
    // What is used by a statement only is used, whatever the floor.
    let onlyLogged = CommandLine.arguments.count
    var counter = 0
    counter += onlyLogged
    let frozen = counter
    let message: LogMessage = "message"
    log.debug(message, ("probeX_debug_stored_only_name", onlyLogged + frozen))
    guard log.isEnabled(.debug) else { return }
    print("effect", "probeX_debug_stored_enabled_block")
}

/// Statements of loggers that are limited, or carry fields.
@inline(never)
func limitedDebug(_ log: Log, _ bound: Log) {
    log.once.debug("probeX_debug_limited_once_text \(effect("probeX_debug_limited_once_part"))")
    log.every(2).debug(
        "probeX_debug_limited_number_text",
        ("probeX_debug_limited_number_name", effect("probeX_debug_limited_number_value"))
    )
    log.every(.seconds(9)).debug(
        "probeX_debug_limited_time_text",
        error: failure("probeX_debug_limited_time_error")
    )
    Log.once.log(
        .debug,
        "probeX_debug_limited_log_text",
        errno: code("probeX_debug_limited_log_errno")
    )
    bound.debug("probeX_debug_limited_bound_text \(effect("probeX_debug_limited_bound_part"))")
}

@inline(never)
func intervalDebug(_ log: Log) async {
    log.interval(
        "probeX_debug_interval_sync_text \(effect("probeX_debug_interval_sync_part"))",
        level: .debug
    ) {
        perform {}
    }
    await log.interval("probeX_debug_interval_async_text", level: .debug) { await Task.yield() }
    Log.interval("probeX_debug_interval_static_text", level: .debug) { perform {} }
}
