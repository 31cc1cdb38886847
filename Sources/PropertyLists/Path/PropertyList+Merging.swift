private import OrderedCollections

extension PropertyList {
  /// The result of merging two different values at the same path.
  public enum MergeRule: Hashable, Sendable, CaseIterable {
    /// Keeps the value of this property list.
    case keepOurs
    /// Uses the value of the other property list.
    case takeTheirs
    /// Throws an error, and merges nothing.
    case fail
  }

  /// The result of merging two arrays at the same path.
  public enum ArrayMergeRule: Hashable, Sendable, CaseIterable {
    /// Treats arrays like other values: if they differ, the rule for conflicts applies.
    case asValues
    /// Appends the elements of the other array.
    case append
    /// Appends the elements of the other array that are not in this one, each once.
    case union
  }

  /// Merges the entries of another dictionary into this one, recursively for dictionaries at the same path.
  ///
  /// Keys keep their order; new ones follow, in the order of the other dictionary. Equal values are not a conflict. The
  /// rules apply to all pairs of values except two dictionaries, which are always merged.
  ///
  /// ```swift
  /// var settings: PropertyList = ["editor": ["fontSize": 12, "wraps": true], "recent": ["a.txt"]]
  /// let imported: PropertyList = ["editor": ["fontSize": 14], "recent": ["b.txt", "a.txt"], "theme": "dark"]
  /// try settings.merge(imported, conflicts: .takeTheirs, arrays: .union)
  /// // ["editor": ["fontSize": 14, "wraps": true], "recent": ["a.txt", "b.txt"], "theme": "dark"]
  /// ```
  ///
  /// - Parameters:
  ///   - conflicts: What to do with two different values at the same path.
  ///   - arrays: What to do with two arrays at the same path.
  /// - Throws: ``PropertyListError/Kind/conflict`` if two values differ and `conflicts` is ``MergeRule/fail``. The
  ///   error has the path of the first conflict in the order of `other`, and nothing is changed.
  /// - Complexity: O(*n*) in the size of `other` and of those dictionaries and arrays of this value that are shared
  ///   with other values and are therefore copied. With ``ArrayMergeRule/union``, also in the size of the arrays of
  ///   this value that are combined with arrays of `other`.
  public mutating func merge(
    _ other: PropertyList, conflicts: MergeRule, arrays: ArrayMergeRule = .asValues
  ) throws(PropertyListError) {
    // Checked before anything changes. A trial merge of a copy would take time proportional to this value.
    if conflicts == .fail { try checkConflicts(with: other, arrays) }
    mergeInPlace(other, conflicts, arrays)
  }

  /// Throws ``PropertyListError/Kind/conflict`` if merging another value would need a choice between two values.
  private func checkConflicts(with other: PropertyList, _ arrays: ArrayMergeRule) throws(PropertyListError) {
    guard case .dictionary(let ours) = self, case .dictionary(let theirs) = other else {
      do { return try checkConflict(with: other, arrays) } catch { throw error.located(at: []) }
    }
    var frames = [MergeFrame(ours: ours, theirs: theirs)]
    while !frames.isEmpty {
      let top = frames.count - 1
      guard frames[top].next < frames[top].theirs.count else {
        frames.removeLast()
        continue
      }
      let (key, value) = frames[top].theirs.elements[frames[top].next]
      frames[top].next += 1
      guard let mine = frames[top].ours[key] else { continue }
      if case .dictionary(let inner) = value, case .dictionary(let entries) = mine {
        frames.append(MergeFrame(ours: entries, theirs: inner))
        continue
      }
      do { try mine.checkConflict(with: value, arrays) } catch {
        throw error.located(at: frames.map { .key($0.theirs.keys[$0.next - 1]) })
      }
    }
  }

  /// Throws ``PropertyListError/Kind/conflict`` if two values differ, unless both are arrays that the rule `arrays`
  /// combines. The caller ensures that not both are dictionaries.
  private func checkConflict(with other: PropertyList, _ arrays: ArrayMergeRule) throws(PropertyListError) {
    if arrays != .asValues, kind == .array, other.kind == .array { return }
    guard self == other else {
      throw PropertyListError(.conflict, "two different values: \(summary) in ours, \(other.summary) in theirs")
    }
  }

  /// Merges another value into this one. With ``MergeRule/fail``, the caller has checked for conflicts.
  private mutating func mergeInPlace(_ other: PropertyList, _ conflicts: MergeRule, _ arrays: ArrayMergeRule) {
    guard case .dictionary(let theirs) = other, kind == .dictionary else { return mergeValue(other, conflicts, arrays) }
    // The dictionaries around the current one. Each lacks the value that is being merged.
    var outer: [MergeFrame] = []
    // The dictionary is moved out of this value only here, so that it has no second reference. In a build without
    // optimization, a second reference would make each change copy the dictionary.
    var current = MergeFrame(ours: takeDictionary() ?? [:], theirs: theirs)
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
        mine.mergeValue(value, conflicts, arrays)
        current.ours[key] = mine
      }
      guard var parent = outer.popLast() else { break }
      parent.ours[parent.theirs.keys[parent.next - 1]] = .dictionary(current.ours)
      current = parent
    }
    self = .dictionary(current.ours)
  }

  /// Merges another value into this one by the rules. The caller ensures that not both are dictionaries.
  private mutating func mergeValue(_ other: PropertyList, _ conflicts: MergeRule, _ arrays: ArrayMergeRule) {
    if arrays != .asValues, kind == .array, case .array(let theirs) = other {
      guard arrays == .union else {
        array?.append(contentsOf: theirs)
        return
      }
      var known = Set(array ?? [])
      array?.append(contentsOf: theirs.filter { known.insert($0).inserted })
      return
    }
    if conflicts == .takeTheirs { self = other }
  }
}

/// Two dictionaries that are being merged.
private struct MergeFrame {
  var ours: OrderedDictionary<String, PropertyList>
  let theirs: OrderedDictionary<String, PropertyList>
  var next = 0
}
