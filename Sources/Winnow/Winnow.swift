// SPDX-License-Identifier: Apache-2.0

/// The log of this process: its configuration, its start, its state.
///
/// Nothing needs to be started: the first record starts the log from the environment.
public enum Winnow {}
