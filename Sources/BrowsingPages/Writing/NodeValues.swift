internal import FoundationEssentials
package import PropertyLists

/// Writes values of property lists to a page, within a budget.
///
/// Does not recurse, so that a deeply nested value cannot overflow the stack.
package struct NodeValues {
  /// For each UID of an archive: the index of its object's group in ``PageHead/groups``; -1 for a null object. Empty if
  /// the values are not in an archive.
  package var groups: [Int32]
  /// The number of values and bytes that may still be written.
  private var budget: WorkBudget
  private let depthLimit: Int

  package init(groups: [Int32] = [], budget: Int, limits: ParsingLimits = ParsingLimits()) {
    self.groups = groups
    self.budget = WorkBudget(budget)
    depthLimit = limits.effectiveDepth
  }

  package static var limitExceeded: PropertyListError {
    PropertyListError(.limitExceeded, "the objects expand to more values and bytes than the limits allow")
  }

  /// Subtracts values and bytes from the budget. Throws if not enough is left.
  package mutating func spend(_ size: Int) throws(PropertyListError) {
    guard budget.spend(size) else { throw Self.limitExceeded }
  }

  /// Writes a value and all values inside it. A value that cannot be read is written as an error.
  ///
  /// - Throws: ``PropertyListError/Kind/limitExceeded``, after ending all containers that were begun.
  package mutating func write(_ root: PropertyListDocument.Node, to page: inout PageWriter) throws(PropertyListError) {
    var frames: [(node: PropertyListDocument.Node, next: Int)] = []
    do throws(PropertyListError) { try begin(root, &frames, &page) } catch { try tolerate(error, frames.count, &page) }
    while let (node, next) = frames.last {
      guard next < node.count else {
        frames.removeLast()
        page.end()
        continue
      }
      frames[frames.count - 1].next += 1
      do throws(PropertyListError) {
        if node.kind == .dictionary {
          let (key, value) = try entry(next, of: node, &page)
          page.key(key)
          try begin(value, &frames, &page)
        } else {
          try begin(node.child(at: next), &frames, &page)
        }
      } catch {
        try tolerate(error, frames.count, &page)
      }
    }
  }

  /// Writes an error instead of a value. If the budget is exhausted, also ends all open containers, and throws the
  /// error.
  private mutating func tolerate(
    _ error: PropertyListError, _ depth: Int, _ page: inout PageWriter
  ) throws(PropertyListError) {
    page.unreadable(error.message)
    if budget.isExhausted {
      for _ in 0..<depth { page.end() }
      throw error
    }
    // An error message takes more space in the page than a value.
    _ = budget.spend(min(64, budget.remaining))
  }

  /// Returns the key and value of a dictionary's entry. If the entry cannot be read, writes its position instead of the
  /// key, and throws.
  private mutating func entry(
    _ position: Int, of node: PropertyListDocument.Node, _ page: inout PageWriter
  ) throws(PropertyListError) -> (String, PropertyListDocument.Node) {
    do throws(PropertyListError) {
      let (key, value) = try node.entry(at: position)
      try spend(key.utf8.count)
      return (key, value)
    } catch {
      page.key("\(position)")
      throw error
    }
  }

  private mutating func begin(
    _ node: PropertyListDocument.Node, _ frames: inout [(node: PropertyListDocument.Node, next: Int)],
    _ page: inout PageWriter
  ) throws(PropertyListError) {
    try spend(1)
    guard node.kind == .array || node.kind == .dictionary else { return try scalar(node, to: &page) }
    guard frames.count < depthLimit else {
      throw PropertyListError(.nestedTooDeeply, "arrays and dictionaries are nested more than \(depthLimit) deep")
    }
    if node.kind == .array { page.beginArray() } else { page.beginDictionary() }
    frames.append((node, 0))
  }

  private mutating func scalar(_ node: PropertyListDocument.Node, to page: inout PageWriter) throws(PropertyListError) {
    switch node.kind {
    case .boolean: page.boolean(node.boolean ?? false)
    case .integer: integer(node, to: &page)
    case .real where node.isFloat: page.float(Float(node.real ?? 0))
    case .real: page.real(node.real ?? 0)
    case .date: page.date(node.date?.timeIntervalSinceReferenceDate ?? 0)
    case .uid: reference(node.uid?.value ?? 0, to: &page)
    case .string:
      let text = try node.string ?? ""
      try spend(text.utf8.count)
      page.text(text)
    case .data:
      let bytes = node.data ?? Data()
      try spend(bytes.count)
      page.data(bytes.bytes)
    case .null, .array, .dictionary: page.null()
    }
  }

  private func integer(_ node: PropertyListDocument.Node, to page: inout PageWriter) {
    guard let integer = node.integer else { return page.null() }
    if let value = Int64(exactly: integer) { page.integer(value) } else { page.number(integer.description) }
  }

  private func reference(_ uid: UInt32, to page: inout PageWriter) {
    if groups.isEmpty { return page.number("UID \(uid)") }
    guard uid < groups.count else { return page.unreadable("object \(uid), which is outside the object table") }
    let group = groups[Int(uid)]
    if group < 0 { page.null() } else { page.reference(group: Int(group), key: Int64(uid)) }
  }
}

extension PageWriter {
  /// Writes data of a store, with the archive or property list that is nested in it.
  ///
  /// - Parameter opened: the nested archive or property list that `Unwrapper` found in the data; nil if it found none.
  package mutating func data(_ bytes: RawSpan, opened: (kind: String, contents: PropertyListDocument)?) {
    guard let (kind, contents) = opened else { return data(bytes) }
    data(bytes, kind: kind) { page in
      // The budget keeps the page readable: nested data is not shown completely if it is large.
      var values = NodeValues(budget: 1 << 16)
      try? values.write(contents.root, to: &page)
    }
  }
}
