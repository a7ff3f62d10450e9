// SPDX-License-Identifier: Apache-2.0

#if Redirect
@_exported public import WinnowRedirect

/// The type `Redirect` by another name, for programs that have a `Redirect` of their own.
public typealias WinnowRedirection = Redirect

/// The redirect, qualified.
extension Winnow {
    /// The type `Redirect`, qualified.
    public typealias Redirect = WinnowRedirection
    /// The type `RedirectRule`, qualified.
    public typealias RedirectRule = WinnowRedirect.RedirectRule
    /// The type `RedirectAction`, qualified.
    public typealias RedirectAction = WinnowRedirect.RedirectAction
    /// The type `RedirectOptions`, qualified.
    public typealias RedirectOptions = WinnowRedirect.RedirectOptions
    /// The type `RedirectStatus`, qualified.
    public typealias RedirectStatus = WinnowRedirect.RedirectStatus
    /// The type `RedirectError`, qualified.
    public typealias RedirectError = WinnowRedirect.RedirectError
    /// The type `LineOrigin`, qualified.
    public typealias LineOrigin = WinnowRedirect.LineOrigin
    /// The type `CapturedLine`, qualified.
    public typealias CapturedLine = WinnowRedirect.CapturedLine
    /// The type `PrintedStream`, qualified.
    public typealias PrintedStream = WinnowRedirect.PrintedStream
}
#endif
