// SPDX-License-Identifier: Apache-2.0

/// The log of this process: its configuration, its start, its state.
///
/// You don't have to start anything: the first record starts the log from the environment.
public enum Winnow {}
