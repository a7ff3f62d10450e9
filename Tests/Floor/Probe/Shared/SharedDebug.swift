// SPDX-License-Identifier: Apache-2.0

public import Effects
public import Winnow

// Statements in functions whose bodies other modules see.

/// Every kind of argument.
@inlinable
public func inlinableDebug(_ log: Log) {
    log.debug("probeX_debug_inlinable_one_text \(effect("probeX_debug_inlinable_one_part"))")
    log.debug(
        "probeX_debug_inlinable_eight_text",
        ("probeX_debug_inlinable_eight_name1", effect("probeX_debug_inlinable_eight_value1")),
        ("probeX_debug_inlinable_eight_name2", effect("probeX_debug_inlinable_eight_value2")),
        ("probeX_debug_inlinable_eight_name3", effect("probeX_debug_inlinable_eight_value3")),
        ("probeX_debug_inlinable_eight_name4", effect("probeX_debug_inlinable_eight_value4")),
        ("probeX_debug_inlinable_eight_name5", effect("probeX_debug_inlinable_eight_value5")),
        ("probeX_debug_inlinable_eight_name6", effect("probeX_debug_inlinable_eight_value6")),
        ("probeX_debug_inlinable_eight_name7", effect("probeX_debug_inlinable_eight_value7")),
        ("probeX_debug_inlinable_eight_name8", effect("probeX_debug_inlinable_eight_value8"))
    )
    log.debug(
        "probeX_debug_inlinable_all_text",
        error: failure("probeX_debug_inlinable_all_error"),
        errno: code("probeX_debug_inlinable_all_errno"),
        messageID: MessageID(stringLiteral: effect("probeX_debug_inlinable_all_id")),
        ("probeX_debug_inlinable_all_name1", effect("probeX_debug_inlinable_all_value1")),
        ("probeX_debug_inlinable_all_name2", effect("probeX_debug_inlinable_all_value2"))
    )
    log.debug(
        "probeX_debug_inlinable_list_text",
        fields: ["probeX_debug_inlinable_list_name": effect("probeX_debug_inlinable_list_value")]
    )
}

/// The same in a function that is always inlined.
@inlinable
@inline(always)
public func inlinableAlwaysDebug(_ log: Log) {
    log.debug("probeX_debug_always_one_text \(effect("probeX_debug_always_one_part"))")
    log.debug(
        "probeX_debug_always_all_text",
        error: failure("probeX_debug_always_all_error"),
        errno: code("probeX_debug_always_all_errno"),
        messageID: MessageID(stringLiteral: effect("probeX_debug_always_all_id")),
        ("probeX_debug_always_all_name1", effect("probeX_debug_always_all_value1")),
        ("probeX_debug_always_all_name2", effect("probeX_debug_always_all_value2"))
    )
}

/// The same in a generic function.
@inlinable
public func inlinableGenericDebug<Value: Sendable>(_ log: Log, _ value: Value) {
    log.debug(
        "probeX_debug_inlinablegeneric_one_text \(value) \(effect("probeX_debug_inlinablegeneric_one_part"))"
    )
    log.debug(
        "probeX_debug_inlinablegeneric_all_text",
        error: failure("probeX_debug_inlinablegeneric_all_error"),
        errno: code("probeX_debug_inlinablegeneric_all_errno"),
        messageID: MessageID(stringLiteral: effect("probeX_debug_inlinablegeneric_all_id")),
        (
            "probeX_debug_inlinablegeneric_all_name1",
            effect("probeX_debug_inlinablegeneric_all_value1")
        ),
        (
            "probeX_debug_inlinablegeneric_all_name2",
            effect("probeX_debug_inlinablegeneric_all_value2")
        )
    )
}

/// A generic type, whose code is made for each type of its value.
public struct SharedBoxDebug<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    /// Creates a box.
    public init(value: Value) { self.value = value }

    /// Notes the value.
    @inlinable
    public func note(_ log: Log) {
        log.debug("probeX_debug_box_one_text \(value) \(effect("probeX_debug_box_one_part"))")
    }
}
