internal import ManagedObjects
internal import PropertyLists

/// Hands out the findings of a check, up to a number of each kind, and counts all.
final class FindingLog {
  private(set) var summary = StoreCheckSummary()
  /// The identifier of the store, for the names of objects.
  var storeIdentifier = ""
  private let limit: Int
  private let body: (StoreFinding) -> Void

  /// - Parameter limit: the most findings of a kind that are handed out.
  init(limit: Int, _ body: @escaping (StoreFinding) -> Void) {
    self.limit = limit
    self.body = body
  }

  /// Counts a finding, and hands it out unless there were too many of its kind.
  ///
  /// - Parameter complete: fills in the location.
  func report(
    _ code: StoreFinding.Code, _ message: @autoclosure () -> String, _ complete: (inout StoreFinding) -> Void = { _ in }
  ) {
    let count = summary.counts[code, default: 0] + 1
    summary.counts[code] = count
    guard count <= limit else { return }
    summary.reportedCount += 1
    // Names of tables and entities can have any characters.
    var finding = StoreFinding(code, message().printable())
    complete(&finding)
    if let entity = finding.entity, let number = finding.number, !storeIdentifier.isEmpty {
      finding.objectURI = ObjectURI(storeIdentifier: storeIdentifier, entityName: entity, number: number).text
    }
    body(finding)
  }
}
