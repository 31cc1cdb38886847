private import OrderedCollections

extension PropertyList {
  /// What becomes of two different values at the same path.
  public enum MergeRule: Hashable, Sendable, CaseIterable {
    /// The value that was there stays.
    case keepOurs
    /// The other value takes its place.
    case takeTheirs
    /// It is an error, and nothing is merged.
    case fail
  }

  /// What becomes of two arrays at the same path.
  public enum ArrayMergeRule: Hashable, Sendable, CaseIterable {
    /// They are values like others: if they differ, the rule for conflicts decides.
    case asValues
    /// The elements of the other come behind those that are there.
    case append
    /// The elements of the other that are not there yet come behind those that are.
    case union
  }

  /// Puts the entries of another dictionary into this one, and so on in the dictionaries that both have at a path.
  ///
  /// Keys keep their order; new ones come behind them, in the order of the other. Values that are equal are no
  /// conflict. Where the two values are no dictionaries, the rules are for them.
  ///
  /// - Parameters:
  ///   - conflicts: which of two different values counts.
  ///   - arrays: what becomes of two arrays.
  /// - Throws: ``PropertyListError/Kind/conflict`` with the path of the first conflict in the order of `other`, under
  ///   ``MergeRule/fail`` only. Nothing is changed then.
  /// - Complexity: O(*n*) in the size of `other`, and in those dictionaries of this value that another value shares.
  public mutating func merge(
    _ other: PropertyList, conflicts: MergeRule, arrays: ArrayMergeRule = .asValues
  ) throws(PropertyListError) {
    if conflicts == .fail {
      // A run over a copy, so that a conflict leaves this value as it was.
      var trial = self
      try trial.mergeInPlace(other, conflicts, arrays)
      self = trial
    } else {
      try mergeInPlace(other, conflicts, arrays)
    }
  }

  private mutating func mergeInPlace(
    _ other: PropertyList, _ conflicts: MergeRule, _ arrays: ArrayMergeRule
  ) throws(PropertyListError) {
    guard case .dictionary(let theirs) = other, let ours = takeDictionary() else {
      do throws(PropertyListError) {
        return try mergeValue(other, conflicts, arrays)
      } catch {
        throw error.located(at: [])
      }
    }
    // The dictionaries around the current one, each without it.
    var outer: [MergeFrame] = []
    var current = MergeFrame(ours: ours, theirs: theirs)
    while true {
      while current.next < current.theirs.count {
        let (key, value) = current.theirs.elements[current.next]
        current.next += 1
        guard current.ours[key] != nil else {
          current.ours[key] = value
          continue
        }
        var mine = current.ours.updateValue(.null, forKey: key) ?? .null
        if case .dictionary(let inner) = value, let entries = mine.takeDictionary() {
          outer.append(current)
          current = MergeFrame(ours: entries, theirs: inner)
          continue
        }
        do throws(PropertyListError) {
          try mine.mergeValue(value, conflicts, arrays)
        } catch {
          throw error.located(at: (outer + [current]).map { .key($0.theirs.keys[$0.next - 1]) })
        }
        current.ours[key] = mine
      }
      guard var parent = outer.popLast() else { break }
      parent.ours[parent.theirs.keys[parent.next - 1]] = .dictionary(current.ours)
      current = parent
    }
    self = .dictionary(current.ours)
  }

  /// Merges a value that is not, together with this one, a pair of dictionaries.
  private mutating func mergeValue(
    _ other: PropertyList, _ conflicts: MergeRule, _ arrays: ArrayMergeRule
  ) throws(PropertyListError) {
    if arrays != .asValues, kind == .array, case .array(let theirs) = other {
      guard arrays == .union else {
        array?.append(contentsOf: theirs)
        return
      }
      var known = Set(array ?? [])
      array?.append(contentsOf: theirs.filter { known.insert($0).inserted })
      return
    }
    switch conflicts {
    case .keepOurs: break
    case .takeTheirs: self = other
    case .fail:
      guard self == other else {
        throw PropertyListError(.conflict, "two different values: \(summary) here, \(other.summary) there")
      }
    }
  }
}

/// Two dictionaries that are being merged.
private struct MergeFrame {
  var ours: OrderedDictionary<String, PropertyList>
  let theirs: OrderedDictionary<String, PropertyList>
  var next = 0
}
