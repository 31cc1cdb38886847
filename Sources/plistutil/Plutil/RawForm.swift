import PropertyLists

/// What `-extract` prints as `raw`.
enum RawForm {
  static func text(of node: PropertyListDocument.Node) throws(PlutilError) -> String {
    try PlutilError.of { () throws(PropertyListError) in
      switch node.kind {
      case .array: return String(node.count)
      case .dictionary:
        var keys: [String] = []
        for position in 0..<node.count { keys.append(try node.entry(at: position).key) }
        return keys.sorted(by: NaturalOrder.precedes).joined(separator: "\n")
      case .real: return FixedPoint.text(node.real ?? 0)
      default: return try PropertyList(node).rawText ?? ""
      }
    }
  }
}
