import PropertyLists

/// Checks for values that readers of strings files do not accept. This tool writes such values only with the option
/// `--coerce`, in a form that it can read back.
extension PropertyListWritingOptions {
  /// Throws if a strings file would have a container or data as a value of its root dictionary.
  func checkStrings(in root: PropertyListDocument.Node) throws(PropertyListError) {
    guard isForStrings, root.kind == .dictionary else { return }
    for position in 0..<root.count {
      let (key, value) = try root.entry(at: position)
      try Self.check(value.kind, of: key)
    }
  }

  /// Does the same as ``checkStrings(in:)-(PropertyListDocument.Node)`` for a `PropertyList`.
  func checkStrings(in root: PropertyList) throws(PropertyListError) {
    guard isForStrings, case .dictionary(let entries) = root else { return }
    for (key, value) in entries { try Self.check(value.kind, of: key) }
  }

  private var isForStrings: Bool { openStepDialect == .strings && coercion != .reversible }

  private static func check(_ kind: PropertyList.Kind, of key: String) throws(PropertyListError) {
    guard kind.isContainer || kind == .data else { return }
    throw PropertyListError(
      .notRepresentable, "expected text as a value of a strings file, found \(KindName(kind).name)",
      keyPath: PropertyListKeyPath([.key(key)]))
  }
}
