internal import ManagedObjects
internal import PropertyLists

/// Counts the findings of a check, and passes a limited number of each kind to the caller of the check.
final class FindingLog {
  private(set) var summary = StoreCheckSummary()
  /// The identifier of the store, for the object URIs of findings.
  var storeIdentifier = ""
  private let limit: Int
  private let body: (StoreFinding) -> Void

  /// - Parameter limit: The maximum number of reported findings of each kind.
  init(limit: Int, _ body: @escaping (StoreFinding) -> Void) {
    self.limit = limit
    self.body = body
  }

  /// Counts a finding. Passes it to the caller of the check, unless the limit for its code is reached.
  ///
  /// - Parameter complete: Sets the location of the finding: its object, property, table or column.
  func report(
    _ code: StoreFinding.Code, _ message: @autoclosure () -> String, _ complete: (inout StoreFinding) -> Void = { _ in }
  ) {
    let count = summary.counts[code, default: 0] + 1
    summary.counts[code] = count
    guard count <= limit else { return }
    summary.reportedCount += 1
    // Names of tables and entities can contain any characters.
    var finding = StoreFinding(code, message().printable())
    complete(&finding)
    if let entity = finding.entity, let number = finding.number, !storeIdentifier.isEmpty {
      finding.objectURI = ObjectURI(storeIdentifier: storeIdentifier, entityName: entity, number: number).text
    }
    body(finding)
  }
}
