// SPDX-License-Identifier: Apache-2.0

import Effects
import SharedX
import Winnow

// Each context in which a statement may stand, with the arguments that differ most.

@inline(never)
func genericDebug<Value: Sendable>(_ log: Log, _ value: Value) {
    log.debug("probeX_debug_generic_one_text \(value) \(effect("probeX_debug_generic_one_part"))")
    log.debug(
        "probeX_debug_generic_eight_text",
        ("probeX_debug_generic_eight_name1", effect("probeX_debug_generic_eight_value1")),
        ("probeX_debug_generic_eight_name2", effect("probeX_debug_generic_eight_value2")),
        ("probeX_debug_generic_eight_name3", effect("probeX_debug_generic_eight_value3")),
        ("probeX_debug_generic_eight_name4", effect("probeX_debug_generic_eight_value4")),
        ("probeX_debug_generic_eight_name5", effect("probeX_debug_generic_eight_value5")),
        ("probeX_debug_generic_eight_name6", effect("probeX_debug_generic_eight_value6")),
        ("probeX_debug_generic_eight_name7", effect("probeX_debug_generic_eight_value7")),
        ("probeX_debug_generic_eight_name8", effect("probeX_debug_generic_eight_value8"))
    )
    log.debug(
        "probeX_debug_generic_all_text",
        error: failure("probeX_debug_generic_all_error"),
        errno: code("probeX_debug_generic_all_errno"),
        messageID: MessageID(stringLiteral: effect("probeX_debug_generic_all_id")),
        ("probeX_debug_generic_all_name1", effect("probeX_debug_generic_all_value1")),
        ("probeX_debug_generic_all_name2", effect("probeX_debug_generic_all_value2"))
    )
    log.debug(
        "probeX_debug_generic_list_text",
        fields: ["probeX_debug_generic_list_name": effect("probeX_debug_generic_list_value")]
    )
}

@inline(never)
func asyncDebug(_ log: Log) async {
    log.debug("probeX_debug_async_one_text \(effect("probeX_debug_async_one_part"))")
    await Task.yield()
    log.debug(
        "probeX_debug_async_all_text",
        error: failure("probeX_debug_async_all_error"),
        errno: code("probeX_debug_async_all_errno"),
        messageID: MessageID(stringLiteral: effect("probeX_debug_async_all_id")),
        ("probeX_debug_async_all_name1", effect("probeX_debug_async_all_value1")),
        ("probeX_debug_async_all_name2", effect("probeX_debug_async_all_value2"))
    )
    log.debug(
        "probeX_debug_async_list_text",
        fields: ["probeX_debug_async_list_name": effect("probeX_debug_async_list_value")]
    )
}

actor ActorDebug {
    var calls = 0

    @inline(never)
    func call(_ log: Log) {
        calls += 1
        log.debug("probeX_debug_actor_one_text \(calls) \(effect("probeX_debug_actor_one_part"))")
        log.debug(
            "probeX_debug_actor_all_text",
            error: failure("probeX_debug_actor_all_error"),
            errno: code("probeX_debug_actor_all_errno"),
            messageID: MessageID(stringLiteral: effect("probeX_debug_actor_all_id")),
            ("probeX_debug_actor_all_name1", effect("probeX_debug_actor_all_value1")),
            ("probeX_debug_actor_all_name2", effect("probeX_debug_actor_all_value2"))
        )
        log.debug(
            "probeX_debug_actor_list_text",
            fields: ["probeX_debug_actor_list_name": effect("probeX_debug_actor_list_value")]
        )
    }
}

@inline(never)
func closureDebug(_ log: Log) {
    let captured = CommandLine.arguments.count
    perform {
        log.debug(
            "probeX_debug_closure_one_text \(captured) \(effect("probeX_debug_closure_one_part"))"
        )
        log.debug(
            "probeX_debug_closure_all_text",
            error: failure("probeX_debug_closure_all_error"),
            errno: code("probeX_debug_closure_all_errno"),
            messageID: MessageID(stringLiteral: effect("probeX_debug_closure_all_id")),
            ("probeX_debug_closure_all_name1", effect("probeX_debug_closure_all_value1")),
            ("probeX_debug_closure_all_name2", effect("probeX_debug_closure_all_value2"))
        )
        log.debug(
            "probeX_debug_closure_list_text",
            fields: ["probeX_debug_closure_list_name": effect("probeX_debug_closure_list_value")]
        )
    }
}

@Lines
func builderDebug(_ log: Log) -> [String] {
    "first"
    log.debug("probeX_debug_builder_one_text \(effect("probeX_debug_builder_one_part"))")
    if CommandLine.arguments.count > 0 {
        log.debug(
            "probeX_debug_builder_all_text",
            error: failure("probeX_debug_builder_all_error"),
            errno: code("probeX_debug_builder_all_errno"),
            messageID: MessageID(stringLiteral: effect("probeX_debug_builder_all_id")),
            ("probeX_debug_builder_all_name1", effect("probeX_debug_builder_all_value1")),
            ("probeX_debug_builder_all_name2", effect("probeX_debug_builder_all_value2"))
        )
        log.debug(
            "probeX_debug_builder_list_text",
            fields: ["probeX_debug_builder_list_name": effect("probeX_debug_builder_list_value")]
        )
    }
}

extension Handle {
    @inline(never)
    consuming func consumeDebug(_ log: Log) {
        log.debug(
            "probeX_debug_noncopyable_one_text \(number) \(effect("probeX_debug_noncopyable_one_part"))"
        )
        log.debug(
            "probeX_debug_noncopyable_all_text",
            error: failure("probeX_debug_noncopyable_all_error"),
            errno: code("probeX_debug_noncopyable_all_errno"),
            messageID: MessageID(stringLiteral: effect("probeX_debug_noncopyable_all_id")),
            ("probeX_debug_noncopyable_all_name1", effect("probeX_debug_noncopyable_all_value1")),
            ("probeX_debug_noncopyable_all_name2", effect("probeX_debug_noncopyable_all_value2"))
        )
    }

    @inline(never)
    static func borrowDebug(_ log: Log, _ handle: borrowing Handle) {
        log.debug(
            "probeX_debug_borrow_one_text \(handle.number) \(effect("probeX_debug_borrow_one_part"))"
        )
        log.debug(
            "probeX_debug_borrow_list_text",
            fields: ["probeX_debug_borrow_list_name": effect("probeX_debug_borrow_list_value")]
        )
    }
}

@inline(never)
func throwingDebug(_ log: Log) throws(Failure) {
    defer {
        log.debug("probeX_debug_throwing_one_text \(effect("probeX_debug_throwing_one_part"))")
    }
    if CommandLine.arguments.isEmpty { throw failure("no program") }
    log.debug(
        "probeX_debug_throwing_all_text",
        error: failure("probeX_debug_throwing_all_error"),
        errno: code("probeX_debug_throwing_all_errno"),
        messageID: MessageID(stringLiteral: effect("probeX_debug_throwing_all_id")),
        ("probeX_debug_throwing_all_name1", effect("probeX_debug_throwing_all_value1")),
        ("probeX_debug_throwing_all_name2", effect("probeX_debug_throwing_all_value2"))
    )
}

func runDebug(_ log: Log, _ bound: Log) async {
    methodDebug(log)
    staticDebug()
    constantDebug(log)
    staticConstantDebug()
    storedDebug(log)
    limitedDebug(log, bound)
    await intervalDebug(log)
    genericDebug(log, 1)
    genericDebug(log, ["text"])
    await asyncDebug(log)
    await ActorDebug().call(log)
    closureDebug(log)
    _ = builderDebug(log)
    Handle(number: 1).consumeDebug(log)
    Handle.borrowDebug(log, Handle(number: 1))
    do { try throwingDebug(log) } catch { print(error) }
    callerOfSharedDebug(log)
}

@inline(never)
func callerOfSharedDebug(_ log: Log) {
    inlinableDebug(log)
    inlinableGenericDebug(log, 1)
    inlinableAlwaysDebug(log)
    SharedBoxDebug(value: 1).note(log)
}
