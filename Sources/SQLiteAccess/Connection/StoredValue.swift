package import FoundationEssentials

/// The type of a value in a database, as SQLite's type code: https://sqlite.org/c3ref/c_blob.html
@usableFromInline package struct StorageClass: Equatable {
  @usableFromInline let code: Int32

  @inlinable init(code: Int32) { self.code = code }

  // The operator is not synthesized, so that other modules can inline it.
  @inlinable package static func == (first: Self, second: Self) -> Bool { first.code == second.code }

  @inlinable package static var null: StorageClass { StorageClass(code: 5) }
  @inlinable package static var integer: StorageClass { StorageClass(code: 1) }
  @inlinable package static var real: StorageClass { StorageClass(code: 2) }
  @inlinable package static var text: StorageClass { StorageClass(code: 3) }
  @inlinable package static var blob: StorageClass { StorageClass(code: 4) }
}

/// A value that SQLite returns in a row, or passes to a function.
package protocol StoredValue {
  var kind: StorageClass { get }
  var integer: Int64 { get }
  var real: Double { get }
  var text: String { get }
  var data: Data { get }
}
