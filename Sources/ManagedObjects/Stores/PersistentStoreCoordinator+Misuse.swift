internal import FoundationEssentials
internal import SystemFiles

/// Errors that no call can throw.
extension PersistentStoreCoordinator {
  /// A function that is called with an error that no call can throw and that a program must not miss: changes that
  /// ``PersistentContainer/perform(_:)`` discards because they were not saved, a failure of a context that
  /// ``ManagedObjectContext/autosaves``, and the first use of an object whose context was released. By default, the
  /// error is printed to standard error.
  ///
  /// ```swift
  /// container.coordinator.misuseHandler = { error in log.error("\(error)") }
  /// ```
  ///
  /// The function is called in the task in which the error occurs. Other errors that cannot be thrown are only in
  /// ``ManagedObjectContext/misuse``.
  public var misuseHandler: @Sendable (ManagedObjectError) -> Void {
    get { state.withLock { $0.misuseHandler } }
    set { state.withLock { $0.misuseHandler = newValue } }
  }

  @Sendable static func printMisuse(_ error: ManagedObjectError) {
    // A failure of standard error cannot be reported.
    try? FileOutput.standardError.write(Data("managed objects: \(error)\n".utf8))
  }
}
