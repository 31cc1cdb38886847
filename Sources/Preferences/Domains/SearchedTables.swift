internal import PropertyLists

/// Tables that are searched one after another.
@safe struct SearchedTables: Sendable {
  /// Keeps the tables alive.
  private let tables: [DomainTable]
  /// Sound: the tables live as long as this value, and references are only used within its methods.
  private let references: [Unmanaged<DomainTable>]

  init(_ tables: [DomainTable]) {
    self.tables = tables
    unsafe references = tables.map { unsafe Unmanaged.passUnretained($0) }
  }

  /// What `body` makes of the first value for a key; nil if there is none.
  @inline(__always)
  func read<Result>(_ key: TableKey, _ body: (PropertyList) -> Result) -> Result? {
    for index in unsafe references.indices {
      let result = unsafe references[index]._withUnsafeGuaranteedRef { $0.read(key, body) }
      if let result { return result }
    }
    return nil
  }
}
