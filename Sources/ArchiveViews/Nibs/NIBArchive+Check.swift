internal import KeyedArchiving
public import Nibs

extension NIBArchive {
  /// Finds all defects and peculiarities of the archive.
  ///
  /// ```swift
  /// for finding in nib.check() where finding.severity == .error { print(finding) }
  /// // object 12, value 40: the reference to object 99 is out of range: the number of objects is 20
  /// ```
  ///
  /// - Returns: an empty array for an archive in the form of Apple's coder. Otherwise the findings about the archive as
  ///   a whole, then those about each object. If there are thousands of findings, only the first ones are returned.
  /// - Complexity: O(*n*) in the size of the archive. If the ranges of values overlap too much, the check ends early,
  ///   with a finding that says so.
  public func check() -> [Finding] {
    var checker = NIBArchiveChecker(self)
    return checker.check()
  }
}

/// Finds all defects and peculiarities of an archive; see `NIBArchive.check()`.
///
/// It checks each table once. Then it translates the archive to a keyed archive, and checks the references with the
/// checker of keyed archives.
private struct NIBArchiveChecker {
  private let nib: NIBArchive
  private var findings: [NIBArchive.Finding] = []
  /// The number of findings that may still be added. It is limited because a finding takes some hundred bytes of
  /// memory, but the defective row may take only two bytes of the file.
  private var room: Int

  init(_ nib: NIBArchive) {
    self.nib = nib
    room = 4096 + nib.bytes.count / 16
  }

  mutating func check() -> [NIBArchive.Finding] {
    checkFile()
    checkObjects()
    checkValues()
    checkKeys()
    checkClasses()
    checkReferences()
    // The findings are sorted by object. Those about one object stay in the order they were found.
    return findings.enumerated().sorted { left, right in
      let (first, second) = (sortKey(of: left.element), sortKey(of: right.element))
      return first == second ? left.offset < right.offset : first < second
    }.map(\.element)
  }

  private func sortKey(of finding: NIBArchive.Finding) -> Int {
    finding.kind == .limitExceeded ? .max : finding.object ?? -1
  }

  private mutating func report(
    _ kind: NIBArchive.Finding.Kind, _ message: @autoclosure () -> String, object: Int? = nil, value: Int? = nil
  ) {
    room -= 1
    if room > 0 {
      findings.append(NIBArchive.Finding(kind, message(), object: object, value: value))
    } else if room == 0 {
      findings.append(NIBArchive.Finding(.limitExceeded, "more findings were omitted"))
    }
  }

  private mutating func checkFile() {
    let count = nib.trailingBytes.count
    if count > 0 { report(.trailingBytes, "\(count) byte\(count == 1 ? "" : "s") after the last table") }
    if nib.isFromFile, let data = try? nib.data(), data != nib.bytes {
      report(.otherLayout, "the tables are not laid out as the coder writes them")
    }
    guard !nib.objectTable.isEmpty else { return report(.noRoot, "there are no objects, so there is no root") }
    if let name = nib.objects[0].className, name != "NSObject" {
      report(.rootClass, "expected a root of class \"NSObject\", found class \(name.quoted)", object: 0)
    }
  }

  private mutating func checkObjects() {
    let nib = nib
    let layouts = nib.classNames.map { FoundationLayout(className: $0.name) }
    let keys = ValueKeys(nib)
    for (index, row) in nib.objectTable.enumerated() {
      if row.classIndex >= nib.classNames.count {
        report(
          .missingClass,
          "class index \(row.classIndex) is out of range: the number of classes is \(nib.classNames.count)",
          object: index)
      }
      if row.values.upperBound > nib.valueTable.count {
        report(
          .missingValues,
          "\(row.valueCount) values from index \(row.firstValue) are out of range: "
            + "the number of values is \(nib.valueTable.count)",
          object: index)
      }
      let values = row.values.clamped(to: nib.valueTable.indices)
      let layout = row.classIndex < layouts.count ? layouts[Int(row.classIndex)] : nil
      if let layout, layout.isCollection, keys.isMarkedInline(values) {
        if let reason = keys.findingOfElements(values, inPairs: layout.form == .dictionary) {
          report(.invalidCollection, reason, object: index)
        }
      } else if let value = keys.firstRepeat(in: values) {
        report(.duplicateKey, "duplicate key \((nib.values[value].key ?? "").quoted)", object: index, value: value)
      }
    }
  }

  private mutating func checkValues() {
    let nib = nib
    var owners = ValueOwners(count: nib.valueTable.count)
    for (index, row) in nib.objectTable.enumerated() {
      owners.add(index, of: row.values.clamped(to: nib.valueTable.indices))
    }
    for (index, row) in nib.valueTable.enumerated() {
      let object = owners[index]
      if row.keyIndex >= nib.keys.count {
        report(
          .missingKey, "key index \(row.keyIndex) is out of range: the number of keys is \(nib.keys.count)",
          object: object, value: index)
      }
      if row.type == .object, row.payload >= UInt64(nib.objectTable.count) {
        report(
          .danglingReference,
          "the reference to object \(row.payload) is out of range: the number of objects is \(nib.objectTable.count)",
          object: object, value: index)
      }
      if object == nil { report(.unusedValue, "no object uses this value", value: index) }
    }
  }

  private mutating func checkKeys() {
    var isUsed = [Bool](repeating: false, count: nib.keys.count)
    for row in nib.valueTable where row.keyIndex < isUsed.count { isUsed[Int(row.keyIndex)] = true }
    var texts = IndexedTexts()
    for (index, key) in nib.keys.enumerated() {
      if !isUsed[index] { report(.unusedKey, "key \(index), \(key.quoted), is not used") }
      let count = texts.texts.count
      if texts.index(of: key) < count { report(.duplicateName, "key \(index), \(key.quoted), is a duplicate") }
    }
  }

  private mutating func checkClasses() {
    let count = nib.classNames.count
    var isUsed = [Bool](repeating: false, count: count)
    for row in nib.objectTable where row.classIndex < count { isUsed[Int(row.classIndex)] = true }
    var texts = IndexedTexts()
    for (index, name) in nib.classNames.enumerated() {
      for fallback in name.fallbackIndices {
        if fallback < count { isUsed[fallback] = true }
        if fallback >= count || fallback == index {
          report(
            .invalidFallback,
            "the class \(name.name.quoted) has the fallback \(fallback), which is "
              + (fallback == index ? "the class itself" : "not one of the \(count) classes"))
        }
      }
      let known = texts.texts.count
      if texts.index(of: name.name) < known {
        report(.duplicateName, "class \(index), \(name.name.quoted), is a duplicate")
      }
    }
    for (index, name) in nib.classNames.enumerated() where !isUsed[index] {
      report(.unusedClass, "class \(index), \(name.name.quoted), is not used")
    }
  }

  /// Reports unreachable objects, reference cycles that no reader can decode, and objects with missing or invalid
  /// contents for their class.
  private mutating func checkReferences() {
    let archive: KeyedArchive
    do { archive = try nib.keyedArchive() } catch { return report(.limitExceeded, error.message) }
    let reported = Set(findings.lazy.filter { $0.kind == .invalidCollection }.compactMap(\.object))
    for finding in archive.check() {
      // Findings about other UIDs are left out: the root is the top of the keyed archive, and the classes were checked
      // as a table.
      guard let object = finding.uid.map({ Int($0.value) }), object > 0, object < nib.objectTable.count else {
        if finding.kind == .limitExceeded { report(.limitExceeded, finding.message) }
        continue
      }
      switch finding.kind {
      case .unreachableObject: report(.unreachableObject, "the object cannot be reached from the root", object: object)
      case .circularCollection: report(.circularCollection, finding.message, object: object)
      case .invalidContents where !reported.contains(object): report(.invalidContents, finding.message, object: object)
      default: break
      }
    }
  }
}

/// A search for repeated keys, and for keys of elements, in a range of values. It takes constant time for any range,
/// because it uses arrays that were computed for all values in advance.
private struct ValueKeys {
  private let nib: NIBArchive
  private let inlinedKeys: Set<UInt32>
  /// For each index, the number of values before it whose key marks them as elements of a collection.
  private var elementCounts: [Int] = [0]
  /// For each value, a pair of values with the same key, among this value and all earlier values: the pair whose first
  /// value has the greatest index. `first` is the index of that value, and `value` the index of the other one. Both are
  /// -1 if all keys differ. Elements of collections do not count.
  private var latestRepeats: [(value: Int, first: Int)] = []

  init(_ nib: NIBArchive) {
    self.nib = nib
    var texts = IndexedTexts()
    let numbers = nib.keys.map { texts.index(of: $0) }
    func indices(of key: String) -> Set<UInt32> {
      Set(nib.keys.indices.lazy.filter { nib.keys[$0] == key }.map { UInt32($0) })
    }
    inlinedKeys = indices(of: NIBArchive.inlinedKey)
    let elementKeys = indices(of: NIBArchive.elementKey)
    var last = [Int](repeating: -1, count: texts.texts.count)
    var latest = (value: -1, first: -1)
    for (value, row) in nib.valueTable.enumerated() {
      let isElement = elementKeys.contains(row.keyIndex)
      elementCounts.append(elementCounts[value] + (isElement ? 1 : 0))
      if !isElement, row.keyIndex < numbers.count {
        let number = numbers[Int(row.keyIndex)]
        if last[number] > latest.first { latest = (value, last[number]) }
        last[number] = value
      }
      latestRepeats.append(latest)
    }
  }

  /// Returns a value in the range that has the key of an earlier value in the range. Returns nil if not found.
  func firstRepeat(in values: Range<Int>) -> Int? {
    guard let last = values.last, latestRepeats[last].first >= values.lowerBound else { return nil }
    return latestRepeats[last].value
  }

  /// Returns true if the first value marks the other values of a collection as its elements.
  func isMarkedInline(_ values: Range<Int>) -> Bool {
    guard let first = values.first else { return false }
    return nib.valueTable[first].type == .true && inlinedKeys.contains(nib.valueTable[first].keyIndex)
  }

  /// Returns a description of the defect in the values of a collection for which ``isMarkedInline(_:)`` is true.
  /// Returns nil if the values have no defect.
  func findingOfElements(_ values: Range<Int>, inPairs: Bool) -> String? {
    let elements = elementCounts[values.upperBound] - elementCounts[values.lowerBound]
    guard elements == values.count - 1 else {
      return
        "\(values.count - 1 - elements) of \(values.count - 1) values in the collection "
        + "do not have the key of an element"
    }
    return inPairs && !elements.isMultiple(of: 2)
      ? "the number of keys and values in the dictionary is odd: \(elements)" : nil
  }
}

/// The owner of each value: the first object that it belongs to. Adding an object skips values that already have an
/// owner, so objects that share values cause no extra work.
private struct ValueOwners {
  private var owners: [Int]
  /// For a value without an owner, the value itself. For a value with an owner, a later value, where the search for the
  /// next value without an owner continues.
  private var following: [Int]

  init(count: Int) {
    owners = Array(repeating: -1, count: count)
    following = Array(0...count)
  }

  subscript(value: Int) -> Int? { owners[value] < 0 ? nil : owners[value] }

  mutating func add(_ object: Int, of values: Range<Int>) {
    guard !values.isEmpty else { return }
    var value = next(from: values.lowerBound)
    while value < values.upperBound {
      owners[value] = object
      following[value] = value + 1
      value = next(from: value + 1)
    }
  }

  private mutating func next(from value: Int) -> Int {
    var end = value
    while following[end] != end { end = following[end] }
    var step = value
    while step != end {
      let later = following[step]
      following[step] = end
      step = later
    }
    return end
  }
}
