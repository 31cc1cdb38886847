private import OrderedCollections
@_spi(Archives) public import PropertyLists

extension PropertyList {
  /// Makes the changes to this value that have made another value of the one that both come from.
  ///
  /// Dictionaries are merged entry by entry, at every level: what only one of the two has changed, added or removed
  /// since the base is taken from it, and what both have changed alike is no conflict. All other values, arrays too,
  /// are taken as a whole. The order of keys does not count as a change; keys keep their order, and new ones come
  /// behind them.
  ///
  /// - Parameters:
  ///   - other: the other value.
  ///   - base: what both were before.
  ///   - conflicts: what becomes of an entry that both have changed, and not alike.
  /// - Throws: ``PropertyListError/Kind/conflict`` with the path of the first conflict, under ``MergeRule/fail`` only.
  ///   Nothing is changed then.
  /// - Complexity: O(*n*) in the sizes of the three values.
  public mutating func merge(
    _ other: PropertyList, since base: PropertyList, conflicts: MergeRule
  ) throws(PropertyListError) {
    var merge = ThreeWayMerge(conflicts)
    self = try merge.merged(base: base, ours: self, theirs: other) ?? .null
  }
}

/// Merges three values. It keeps its own stack, so that the depth of a value costs no stack of the thread.
private struct ThreeWayMerge {
  private let conflicts: PropertyList.MergeRule
  /// The dictionaries that are being merged, from the root on.
  private var open: [Frame] = []

  /// A value of one of the three, with its signature.
  private struct Signed {
    let value: PropertyList
    let signatures: ValueSignatures
    /// The index of its signature.
    let index: Int

    var hash: UInt64 { signatures[index].hash }
  }

  /// A value of one of the three that may be missing.
  private typealias Side = Signed?

  /// The entries of a side, none if it is no dictionary.
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

    /// Notes the value of the key that was begun last.
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
      // The value of the key that was begun last is there, unless it is a dictionary that is still open.
      // It changes in place: a second owner of the frame would make a copy of all entries for each of them.
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
    /// The value; nil if there is to be none.
    case done(PropertyList?)
    /// It is a dictionary, which has been opened.
    case opened
  }

  /// Decides about a value, or begins with it if it is a dictionary that both have changed.
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
        .conflict, "changed on both sides: \(Self.name(ours)) here, \(Self.name(theirs)) there",
        keyPath: PropertyListKeyPath(open.map { .key($0.keys[$0.next - 1]) }))
    }
  }

  private static func name(_ side: Side) -> String { side?.value.summary ?? "removed" }
}
