import SystemFiles
import TestSupport
import Testing

/// System calls on the files of the folder.
extension TemporaryFolder {
  /// Makes all calls of a kind fail during a function.
  @discardableResult
  func failing<Result>(
    _ kind: SystemCall, with code: Int32, during body: () throws -> Result
  ) rethrows -> Result {
    try Interception.ofCalls(in: url.path, { $0.call == kind ? code : nil }, during: body)
  }

  /// Calls a function before each call of a kind.
  ///
  /// - Parameters:
  ///   - code: The error code with which these calls fail, or nil to make them.
  ///   - change: Gets the number of calls of the kind before this one.
  @discardableResult
  func before<Result>(
    _ kind: SystemCall, failing code: Int32? = nil, _ change: @escaping @Sendable (Int) throws -> Void,
    during body: () throws -> Result
  ) rethrows -> Result {
    let recorded = RecordedCalls()
    let decision: Interception.Decision = { call in
      guard call.call == kind else { return nil }
      do { try change(recorded.note(call)) } catch { Issue.record(error) }
      return code
    }
    return try Interception.ofCalls(in: url.path, decision, during: body)
  }

  /// Returns the calls of some kinds that a function makes.
  func calls(of kinds: [SystemCall], during body: () throws -> Void) rethrows -> [Interception.Call] {
    let recorded = RecordedCalls()
    let decision: Interception.Decision = { call in
      if kinds.contains(call.call) { _ = recorded.note(call) }
      return nil
    }
    try Interception.ofCalls(in: url.path, decision, during: body)
    return recorded.calls
  }
}
