internal import PropertyLists

/// A list of tables that are searched in order.
@safe
struct SearchedTables: ~Copyable, Sendable {
  /// The tables. This property keeps them alive for `references`.
  let tables: [DomainTable]
  /// The tables without reference counting, which would make reading slower.
  ///
  /// Memory-safe: the tables live as long as this value, and the references are only used in its methods.
  private let references: [Unmanaged<DomainTable>]

  init(_ tables: [DomainTable]) {
    self.tables = tables
    unsafe references = tables.map { unsafe Unmanaged.passUnretained($0) }
  }

  /// Returns the result of `body` for the first value for a key; `.some(nil)` if the key has no value; nil if a table
  /// is being changed.
  @inline(__always)
  func read<Result>(_ key: TableKey, _ claim: borrowing ReadClaim, _ body: (PropertyList) -> Result) -> Result?? {
    for index in unsafe references.indices {
      let result = unsafe references[index]._withUnsafeGuaranteedRef { $0.read(key, claim, body) }
      guard case .some(nil) = result else { return result }
    }
    return .some(nil)
  }
}
