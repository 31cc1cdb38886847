private import OrderedCollections
@_spi(Archives) public import PropertyLists

extension PropertyList {
  /// Merges another value into this one: applies the changes that lead from their common ancestor, `base`, to the other
  /// value.
  ///
  /// Dictionaries are merged entry by entry, at every level: a change, addition or removal that only one side made is
  /// applied, and the same change on both sides is not a conflict. All other values, including arrays, are merged as a
  /// whole. A changed order of keys is ignored. The keys of this value keep their order, and new keys follow.
  ///
  /// - Parameters:
  ///   - other: The other value.
  ///   - base: The common ancestor of both.
  ///   - conflicts: The treatment of an entry that both sides have changed in different ways.
  /// - Throws: ``PropertyListError/Kind/conflict`` with the path of the first conflict, only with
  ///   ``PropertyList/MergeRule/fail``. Nothing is changed in that case.
  /// - Complexity: O(*n*) in the sizes of the three values.
  public mutating func merge(
    _ other: PropertyList, since base: PropertyList, conflicts: MergeRule
  ) throws(PropertyListError) {
    var merge = ThreeWayMerge(conflicts)
    self = try merge.merged(base: base, ours: self, theirs: other) ?? .null
  }
}

/// A merge of three values. It does not recurse, so that deeply nested values cannot overflow the stack.
private struct ThreeWayMerge {
  private let conflicts: PropertyList.MergeRule
  /// The dictionaries that are being merged, beginning at the root.
  private var open: [Frame] = []

  /// A value of one of the three sides, with its signature.
  private struct Signed {
    let value: PropertyList
    let signatures: ValueSignatures
    /// The index of the value in `signatures`.
    let index: Int

    var hash: UInt64 { signatures[index].hash }
  }

  /// A value of one side, or nil if it is missing.
  private typealias Side = Signed?

  /// The entries of one side. Empty if its value is not a dictionary.
  private struct Entries {
    private var entries: OrderedDictionary<String, PropertyList> = [:]
    private var children: [Int] = []
    private let signatures: ValueSignatures?

    init(_ side: Side) {
      signatures = side?.signatures
      guard let side, case .dictionary(let entries) = side.value else { return }
      self.entries = entries
      children = side.signatures.children(of: side.index)
    }

    subscript(key: String) -> Side {
      guard let signatures, let position = entries.index(forKey: key) else { return nil }
      return Signed(value: entries.values[position], signatures: signatures, index: children[position])
    }
  }

  private struct Frame {
    let base: Entries
    let ours: Entries
    let theirs: Entries
    let keys: [String]
    var next = 0
    var merged: OrderedDictionary<String, PropertyList> = [:]

    /// Stores the value of the last key whose merge has begun.
    mutating func finish(_ value: PropertyList) {
      guard next > 0 else { return }
      merged[keys[next - 1]] = value
    }
  }

  init(_ conflicts: PropertyList.MergeRule) { self.conflicts = conflicts }

  mutating func merged(
    base: PropertyList, ours: PropertyList, theirs: PropertyList
  ) throws(PropertyListError) -> PropertyList? {
    func signed(_ value: PropertyList) -> Signed {
      Signed(value: value, signatures: ValueSignatures(of: value, [.ignoresSpelling, .ignoresKeyOrder]), index: 0)
    }
    var result = try begin(signed(base), signed(ours), signed(theirs))
    while let last = open.indices.last {
      // Stores the value of the last key, unless it is a dictionary that is still open. Changes the frame in place,
      // because a second reference to it would make each change copy all entries.
      if case .done(let value?) = result { open[last].finish(value) }
      guard open[last].next < open[last].keys.count else {
        result = .done(.dictionary(open.removeLast().merged))
        continue
      }
      let key = open[last].keys[open[last].next]
      open[last].next += 1
      result = try begin(open[last].base[key], open[last].ours[key], open[last].theirs[key])
    }
    if case .done(let value) = result { return value }
    return nil
  }

  private enum Result {
    /// The merged value, or nil if the key is removed.
    case done(PropertyList?)
    /// The value is a dictionary, which has been added to ``open``. Its entries are merged next.
    case opened
  }

  /// Merges the three values of one key. A dictionary that both sides have changed is only opened.
  private mutating func begin(_ base: Side, _ ours: Side, _ theirs: Side) throws(PropertyListError) -> Result {
    if ours?.hash == theirs?.hash || theirs?.hash == base?.hash { return .done(ours?.value) }
    if ours?.hash == base?.hash { return .done(theirs?.value) }
    if case .dictionary(let first)? = ours?.value, case .dictionary(let second)? = theirs?.value {
      let keys = first.keys.elements + second.keys.filter { first[$0] == nil }
      open.append(Frame(base: Entries(base), ours: Entries(ours), theirs: Entries(theirs), keys: keys))
      return .opened
    }
    switch conflicts {
    case .keepOurs: return .done(ours?.value)
    case .takeTheirs: return .done(theirs?.value)
    case .fail:
      throw PropertyListError(
        .conflict, "changed on both sides: \(Self.name(ours)) in ours, \(Self.name(theirs)) in theirs",
        keyPath: PropertyListKeyPath(open.map { .key($0.keys[$0.next - 1]) }))
    }
  }

  private static func name(_ side: Side) -> String { side?.value.summary ?? "removed" }
}
