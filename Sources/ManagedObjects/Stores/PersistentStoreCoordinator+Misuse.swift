internal import FoundationEssentials
internal import SystemFiles

/// Errors that no call can throw.
extension PersistentStoreCoordinator {
  /// A function that is called with each serious error that cannot be thrown: ``PersistentContainer/perform(_:)``
  /// discarded unsaved changes, an automatic save failed (``ManagedObjectContext/autosaves``), or an object was used
  /// after its context was released. By default, the error is printed to standard error.
  ///
  /// ```swift
  /// container.coordinator.misuseHandler = { error in log.error("\(error)") }
  /// ```
  ///
  /// The function is called in the task that caused the error. Other errors that cannot be thrown are only in
  /// ``ManagedObjectContext/misuse``.
  public var misuseHandler: @Sendable (ManagedObjectError) -> Void {
    get { state.withLock { $0.misuseHandler } }
    set { state.withLock { $0.misuseHandler = newValue } }
  }

  @Sendable static func printMisuse(_ error: ManagedObjectError) {
    // If writing to standard error fails, the error cannot be reported.
    try? FileOutput.standardError.write(Data("managed objects: \(error)\n".utf8))
  }
}
