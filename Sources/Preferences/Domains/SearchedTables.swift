internal import PropertyLists

/// Tables that are searched one after another.
@safe
struct SearchedTables: ~Copyable, Sendable {
  /// Keeps the tables alive.
  let tables: [DomainTable]
  /// Sound: the tables live as long as this value, and references are only used within its methods.
  private let references: [Unmanaged<DomainTable>]

  init(_ tables: [DomainTable]) {
    self.tables = tables
    unsafe references = tables.map { unsafe Unmanaged.passUnretained($0) }
  }

  /// What `body` makes of the first value for a key, `.some(nil)` if there is none; nil if a table is being changed
  /// just now.
  @inline(__always)
  func read<Result>(_ key: TableKey, _ claim: borrowing ReadClaim, _ body: (PropertyList) -> Result) -> Result?? {
    for index in unsafe references.indices {
      let result = unsafe references[index]._withUnsafeGuaranteedRef { $0.read(key, claim, body) }
      guard case .some(nil) = result else { return result }
    }
    return .some(nil)
  }
}
