internal import FoundationEssentials
internal import KeyedArchiving
internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// Builds the property list of a keyed archive from a nib; see ``NIBArchive/keyedArchive(limits:)``.
struct NIBTranslation: ~Copyable {
  private let nib: NIBArchive
  private var pool = ValuePool()
  /// The number of values and bytes that may still be read. It is limited because the ranges of values of many objects
  /// can overlap, so a small file could require any amount of work.
  private var budget: WorkBudget
  /// For each index of a key, the number of the key's text in ``keyTexts``. Keys with equal text have the same number.
  private var keyNumbers: [Int] = []
  private var keyTexts = IndexedTexts()
  /// The nodes of the keys in the keyed archive, by number. Nil for keys that have not been used.
  private var keyNodes: [FlatNode?] = []
  /// For each key number, the last object that had the key, and the index in ``fields`` of its value.
  private var lastFields: [(object: Int, field: Int)] = []
  private var fields: [(key: Int, value: FlatNode)] = []
  private var nodes: [FlatNode] = []
  private let layouts: [FoundationLayout?]
  /// The UID of each class, by its index. Nil for classes that no object has.
  private var classUIDs: [UInt32?]
  /// The UID for a copy of the root. The archive contains the copy only if an object refers to the root. The UID
  /// follows those of the classes. If no other object has the root's class, that class gets the next UID.
  private let rootUID: UInt32
  private let inlinedKey: Int
  private let elementKey: Int
  private let bytesKey: Int
  private var refersToRoot = false

  init(_ nib: NIBArchive) {
    self.nib = nib
    // In a file without overlaps, each value and each byte is read once, which takes only a part of this budget.
    budget = WorkBudget(4 * nib.bytes.count + 2 * nib.valueTable.count + (1 << 14))
    layouts = nib.classNames.map { FoundationLayout(className: $0.name) }
    var isUsed = [Bool](repeating: false, count: nib.classNames.count)
    for row in nib.objectTable.dropFirst() where row.classIndex < isUsed.count { isUsed[Int(row.classIndex)] = true }
    var next = UInt32(truncatingIfNeeded: max(nib.objectTable.count, 1))
    classUIDs = isUsed.map { isUsed in
      guard isUsed else { return nil }
      defer { next += 1 }
      return next
    }
    rootUID = next
    var texts = IndexedTexts()
    inlinedKey = texts.index(of: NIBArchive.inlinedKey)
    elementKey = texts.index(of: NIBArchive.elementKey)
    bytesKey = texts.index(of: "NS.bytes")
    keyNumbers = nib.keys.map { texts.index(of: $0) }
    keyTexts = texts
  }

  mutating func propertyList() throws(KeyedArchiveError) -> Data {
    do {
      let children = try children(ofObject: 0, isTop: true)
      let top = try pool.container(.dictionary, children.span, isShared: false)
      var objects = [try pool.reference(to: pool.string("$null"))]
      objects.reserveCapacity(Int(rootUID) + 2)
      for index in nib.objectTable.indices.dropFirst() { objects.append(try object(index)) }
      for (index, name) in nib.classNames.enumerated() where classUIDs[index] != nil {
        objects.append(try classDescription(name))
      }
      if refersToRoot { try appendRoot(to: &objects) }
      let list = try pool.array(objects)
      let root: [(String, FlatNode)] = [
        ("$version", .integer(ArchiveLayout.version)), ("$objects", list),
        ("$archiver", try pool.string(NIBArchive.coderName)), ("$top", top), ("NIBArchive", try summary()),
      ]
      let node = try dictionary(root)
      var taken = ValuePool()
      swap(&taken, &pool)
      return try taken.binaryData(root: node)
    } catch {
      throw KeyedArchiveError(error.kind == .limitExceeded ? .limitExceeded : .invalidValue, error.message)
    }
  }

  private mutating func appendRoot(to objects: inout [ValuePool.Reference]) throws(PropertyListError) {
    let classIndex = Int(nib.objectTable[0].classIndex)
    let isNew = classIndex < classUIDs.count && classUIDs[classIndex] == nil
    if isNew { classUIDs[classIndex] = rootUID + 1 }
    objects.append(try object(0))
    if isNew { objects.append(try classDescription(nib.classNames[classIndex])) }
  }

  private mutating func dictionary(_ entries: [(String, FlatNode)]) throws(PropertyListError) -> FlatNode {
    var children: [FlatNode] = []
    for (key, value) in entries {
      children.append(try pool.string(key))
      children.append(value)
    }
    return try pool.container(.dictionary, children.span, isShared: false)
  }

  private mutating func summary() throws(PropertyListError) -> FlatNode {
    var entries: [(String, FlatNode)] = [
      ("formatVersion", .integer(nib.formatVersion)), ("coderVersion", .integer(nib.coderVersion)),
    ]
    if let name = nib.objects[0].className { entries.append(("rootClass", try pool.string(name))) }
    if !nib.trailingBytes.isEmpty { entries.append(("trailingBytes", try pool.data(nib.trailingBytes))) }
    return try dictionary(entries)
  }

  private mutating func classDescription(
    _ name: NIBArchive.ClassName
  ) throws(PropertyListError) -> ValuePool.Reference {
    var entries = [("$classname", try pool.string(name.name))]
    if !name.fallbackIndices.isEmpty {
      try spend(name.fallbackIndices.count)
      var hints: [FlatNode] = []
      for index in name.fallbackIndices where index < nib.classNames.count {
        try spend(nib.classNames[index].name.utf8.count)
        hints.append(try pool.string(nib.classNames[index].name))
      }
      entries.append(("$classhints", try pool.container(.array, hints.span, isShared: false)))
    }
    let node = try dictionary(entries)
    return try pool.reference(to: node)
  }

  private mutating func spend(_ size: Int) throws(PropertyListError) {
    guard budget.spend(size) else {
      throw PropertyListError(
        .limitExceeded, "the objects share so many values that the keyed archive would be much larger than the file")
    }
  }

  private mutating func object(_ index: Int) throws(PropertyListError) -> ValuePool.Reference {
    let children = try children(ofObject: index, isTop: false)
    return try pool.reference(to: pool.container(.dictionary, children.span, isShared: false))
  }

  /// Returns the keys of an object, each followed by its value.
  private mutating func children(ofObject index: Int, isTop: Bool) throws(PropertyListError) -> [FlatNode] {
    nodes.removeAll(keepingCapacity: true)
    guard index < nib.objectTable.count else { return [] }
    let row = nib.objectTable[index]
    let values = row.values.clamped(to: nib.valueTable.indices)
    try spend(1 + values.count)
    let classIndex = Int(row.classIndex)
    let layout = !isTop && classIndex < layouts.count ? layouts[classIndex] : nil
    if let layout, layout.isCollection, isInlined(values, isDictionary: layout.form == .dictionary) {
      try appendElements(values.dropFirst(), isDictionary: layout.form == .dictionary)
    } else if let layout, let contents = try contents(values, layout) {
      nodes += [try pool.string(layout.keys[0]), contents]
    } else {
      try appendFields(values, ofObject: isTop ? -1 : index)
    }
    if !isTop {
      nodes.append(try pool.string("$class"))
      let uid = classIndex < classUIDs.count ? classUIDs[classIndex] : nil
      nodes.append(uid.map { .uid($0) } ?? .integer(classIndex))
    }
    return nodes
  }

  /// Returns true if values are those of a collection as Apple's coder writes it: first a true value with the key
  /// `NSInlinedValue`, then the elements.
  private func isInlined(_ values: Range<Int>, isDictionary: Bool) -> Bool {
    guard let first = values.first, nib.valueTable[first].type == .true, key(of: first) == inlinedKey else {
      return false
    }
    if isDictionary, values.count.isMultiple(of: 2) { return false }
    return values.dropFirst().allSatisfy { key(of: $0) == elementKey }
  }

  /// Returns the number of a value's key in ``keyTexts``, or nil if the index of the key is invalid.
  private func key(of value: Int) -> Int? {
    let index = Int(nib.valueTable[value].keyIndex)
    return index < keyNumbers.count ? keyNumbers[index] : nil
  }

  private mutating func appendElements(_ values: Range<Int>, isDictionary: Bool) throws(PropertyListError) {
    var elements: [FlatNode] = []
    elements.reserveCapacity(values.count)
    for value in values { elements.append(try node(value)) }
    guard isDictionary else {
      nodes += [try pool.string("NS.objects"), try pool.container(.array, elements.span, isShared: false)]
      return
    }
    for (name, first) in [("NS.keys", 0), ("NS.objects", 1)] {
      let half = stride(from: first, to: elements.count, by: 2).map { elements[$0] }
      nodes += [try pool.string(name), try pool.container(.array, half.span, isShared: false)]
    }
  }

  /// Returns the text of a string object or the bytes of a data object. Returns nil for other objects, and for objects
  /// with other values.
  private mutating func contents(
    _ values: Range<Int>, _ layout: FoundationLayout
  ) throws(PropertyListError) -> FlatNode? {
    guard values.count == 1, let value = values.first, nib.valueTable[value].type == .data, key(of: value) == bytesKey
    else { return nil }
    let data = nib.data(at: nib.valueTable[value].range)
    switch layout.form {
    case .string:
      guard data.bytes.isValidUTF8 else { return nil }
      try spend(data.count)
      return try pool.string(String(decoding: data, as: UTF8.self))
    case .data:
      try spend(data.count)
      return try pool.data(data)
    case .array, .set, .dictionary, .date, .uuid, .url: return nil
    }
  }

  /// Appends keys and values to ``nodes``. A key that occurs several times is appended once, with an array of the
  /// values. `object` must be different in each call.
  private mutating func appendFields(_ values: Range<Int>, ofObject object: Int) throws(PropertyListError) {
    fields.removeAll(keepingCapacity: true)
    var repeated: OrderedDictionary<Int, [FlatNode]> = [:]
    for value in values {
      let key = try key(ofField: value)
      let node = try node(value)
      lastFields.extend(to: key, with: (object: -2, field: 0))
      if lastFields[key].object == object {
        let first = fields[lastFields[key].field].value
        repeated[lastFields[key].field, default: [first]].append(node)
      } else {
        lastFields[key] = (object, fields.count)
        fields.append((key, node))
      }
    }
    for (field, all) in repeated { fields[field].value = try pool.container(.array, all.span, isShared: false) }
    for field in fields {
      nodes.append(try keyNode(field.key))
      nodes.append(field.value)
    }
  }

  private mutating func key(ofField value: Int) throws(PropertyListError) -> Int {
    if let key = key(of: value) { return key }
    try spend(16)
    return keyTexts.index(of: "<key \(nib.valueTable[value].keyIndex)>")
  }

  private mutating func keyNode(_ key: Int) throws(PropertyListError) -> FlatNode {
    keyNodes.extend(to: key, with: nil)
    if let node = keyNodes[key] { return node }
    let text = keyTexts.texts[key]
    try spend(text.utf8.count)
    let node = try pool.string(ArchiveKey.isNumber(text) ? text : ArchiveKey.escaped(text))
    keyNodes[key] = node
    return node
  }

  private mutating func node(_ value: Int) throws(PropertyListError) -> FlatNode {
    let row = nib.valueTable[value]
    switch nib.value(of: row) {
    case .int8(let number): return .integer(number)
    case .int16(let number): return .integer(number)
    case .int32(let number): return .integer(number)
    case .int64(let number): return .integer(number)
    case .boolean(let isTrue): return .boolean(isTrue)
    case .float(let number): return .float(number)
    case .double(let number): return .real(number)
    case .null: return .uid(0)
    case .object(let index): return try reference(to: index)
    case .data(let data):
      try spend(data.count)
      if key(of: value) != bytesKey, let text = PackedNumbers(data.bytes)?.text { return try pool.string(text) }
      return try pool.data(data)
    }
  }

  private mutating func reference(to index: Int) throws(PropertyListError) -> FlatNode {
    guard index < nib.objectTable.count else {
      try spend(8)
      return try dictionary([("no object", .integer(index))])
    }
    guard index == 0 else { return .uid(UInt32(truncatingIfNeeded: index)) }
    refersToRoot = true
    return .uid(rootUID)
  }
}
