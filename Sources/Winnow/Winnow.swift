// SPDX-License-Identifier: Apache-2.0

/// The logging system as a whole.
public enum Winnow {}
