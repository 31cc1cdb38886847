internal import FoundationEssentials
public import KeyedArchiving
internal import OrderedCollections
@_spi(Archives) public import PropertyLists

extension Typedstream {
  /// The archiver name in archives from ``keyedArchive(limits:)``.
  public static let archiverName = "NSArchiver"

  /// Returns the objects of the stream as a keyed archive, for everything that inspects keyed archives.
  ///
  /// Strings, numbers, data, dates, URLs, collections and attributed strings have the form of `NSKeyedArchiver`.
  /// Objects of other classes have their values under the keys `$0`, `$1` and so on, which mean values without a key.
  /// The values at the top level of the stream have such keys at the top level of the archive, except the first value:
  /// if it is an object, it is the root. Structures and arrays are arrays. Versions of classes and boundaries of groups
  /// are left out; ``jsonData(isIndented:limits:)`` has them.
  ///
  /// ```swift
  /// let archive = try Typedstream(data).keyedArchive()
  /// for entry in try archive.classes { print(entry.description.name, entry.instanceCount) }   // NSArray 1
  /// ```
  ///
  /// - Parameter limits: the limits for the size of the archive in proportion to the stream.
  /// - Throws: ``TypedstreamError/Kind/limitExceeded`` if strings and class names that many values share expand too
  ///   far; ``TypedstreamError/Kind/nestedTooDeeply``.
  /// - Complexity: O(*n*) in the size of the stream, plus the size of shared strings for each value that uses them.
  public func keyedArchive(limits: ParsingLimits = ParsingLimits()) throws(TypedstreamError) -> KeyedArchive {
    var converter = TypedstreamConverter(self, limits)
    let list = try converter.propertyList()
    do { return try KeyedArchive(list.data(format: .binary), limits: limits) } catch let error as PropertyListError {
      throw TypedstreamError(error.kind == .nestedTooDeeply ? .nestedTooDeeply : .limitExceeded, error.message)
    } catch {
      throw TypedstreamError(.limitExceeded, "\(error)")
    }
  }
}

/// Builds the property list of a keyed archive from a stream.
private struct TypedstreamConverter {
  private let tables: TypedstreamTables
  /// True if strings have the character set of NeXTSTEP.
  private let isOfNeXTSTEP: Bool
  private var objects: [PropertyList] = ["$null"]
  /// The UIDs of objects and of class descriptions, by their index in the table of objects.
  private var uids: [UInt32?]
  private var budget: WorkBudget
  private var listClass: PropertyList?

  init(_ stream: Typedstream, _ limits: ParsingLimits) {
    tables = stream.tables
    isOfNeXTSTEP = stream.systemVersion < TypedstreamHead.currentSystemVersion
    uids = Array(repeating: nil, count: tables.slots.count)
    budget = WorkBudget(limits.effectiveExpandedSize(inputSize: tables.bytes.count))
  }

  mutating func propertyList() throws(TypedstreamError) -> PropertyList {
    // Objects come first, so that the root has UID 1.
    for slot in tables.slots.indices where tables.slots[slot].kind == .object { _ = uid(slot) }
    for slot in tables.slots.indices where tables.slots[slot].kind == .object {
      let object = try object(slot)
      objects[Int(uids[slot] ?? 0)] = object
    }
    var top: OrderedDictionary<String, PropertyList> = [:]
    var number = 0
    for index in values(0..<tables.nodes.count) {
      let isRoot = top.isEmpty && tables.nodes[index].kind == .object
      top[isRoot ? "root" : "$\(number)"] = try value(index)
      number += 1
    }
    return [
      "$version": .integer(.init(ArchiveLayout.version)), "$archiver": .string(Typedstream.archiverName),
      "$top": .dictionary(top), "$objects": .array(objects),
    ]
  }

  private mutating func uid(_ slot: Int) -> PropertyList {
    if let known = uids[slot] { return .uid(PropertyList.UID(known)) }
    let number = UInt32(truncatingIfNeeded: objects.count)
    uids[slot] = number
    objects.append(.null)
    return .uid(PropertyList.UID(number))
  }

  private mutating func spend(_ size: Int) throws(TypedstreamError) {
    guard budget.spend(size + 1) else {
      throw TypedstreamError(
        .limitExceeded, "the stream is too large as a keyed archive; see expandedSize of ParsingLimits")
    }
  }

  /// Returns the node indices of the values in groups.
  private func values(_ groups: Range<Int>) -> [Int] {
    var cursor = TypedstreamCursor(groups, in: tables)
    var indexes: [Int] = []
    while let index = cursor.pop(tables) { indexes.append(index) }
    return indexes
  }

  /// Returns the UID of the object that describes a class. Adds that object if the archive does not have it yet.
  private mutating func classUID(_ slot: Int) throws(TypedstreamError) -> PropertyList {
    if uids[slot] != nil { return uid(slot) }
    let reference = uid(slot)
    var names: [PropertyList] = []
    var next: Int? = slot
    while let slot = next {
      let entry = tables.slots[slot]
      try spend(Int(tables.strings[Int(entry.content)].length))
      names.append(.string(tables.className(slot)))
      next = entry.superclass
    }
    objects[Int(uids[slot] ?? 0)] = ["$classname": names.first ?? "", "$classes": .array(names)]
    return reference
  }

  private mutating func value(_ nodeIndex: Int) throws(TypedstreamError) -> PropertyList {
    let node = tables.nodes[nodeIndex]
    try spend(0)
    switch node.kind {
    case .object, .reference: return uid(node.slot)
    case .classReference: return try classUID(node.slot)
    case .integer: return .integer(PropertyList.Integer(Int64(bitPattern: node.payload)))
    case .unsignedInteger: return .integer(PropertyList.Integer(node.payload))
    case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: node.payload)))
    case .double: return .real(Double(bitPattern: node.payload))
    case .string: return try text(node.range)
    case .sharedString: return try text(tables.strings[node.slot].range)
    case .cString: return try text(tables.strings[Int(tables.slots[node.slot].content)].range)
    case .data: return .data(Data(tables.bytes[node.range]))
    case .null, .filler, .group: return .uid(PropertyList.UID(0))
    case .array, .structure:
      guard CallStack.current.hasRoom else {
        throw TypedstreamError(.nestedTooDeeply, "the structures are nested too deeply for the thread's stack")
      }
      var parts: [PropertyList] = []
      var part = nodeIndex + 1
      while part < node.end {
        parts.append(try value(part))
        part = tables.next(after: part)
      }
      return .array(parts)
    }
  }

  private mutating func text(_ range: Range<Int>) throws(TypedstreamError) -> PropertyList {
    try spend(range.count)
    let bytes = tables.bytes
    let text = bytes.rawBytes.extracting(range)
    if isOfNeXTSTEP, !text.isASCII {
      return NeXTSTEPEncoding.text(bytes[range]).map { .string($0) } ?? .data(Data(bytes[range]))
    }
    return text.isValidUTF8 ? .string(String(knownUTF8: text, isASCII: text.isASCII)) : .data(Data(bytes[range]))
  }

  /// Returns an object. If its class is known and its values fit, it has the form of `NSKeyedArchiver`.
  private mutating func object(_ slot: Int) throws(TypedstreamError) -> PropertyList {
    let node = Int(tables.slots[slot].content)
    let values = values(node + 1..<tables.nodes[node].end)
    let classSlot = Int(tables.slots[slot].classSlot)
    let name = tables.className(classSlot)
    let isMutable = name.hasPrefix("NSMutable")
    var fields: OrderedDictionary<String, PropertyList> = [:]
    switch isMutable ? "NS" + name.dropFirst("NSMutable".count) : name {
    case "NSString" where isMade(values, of: [.string]):
      let text = try value(values[0])
      // An immutable string is not an object with fields, unless its bytes are not valid text. In this case, `text` is
      // data.
      guard isMutable || text.kind != .string else { return text }
      fields["NS.string"] = text
    case "NSNumber" where values.count == 2 && isMade([values[0]], of: [.cString]):
      let number = try value(values[1])
      let type = tables.types[Int(tables.nodes[values[1]].type)].letter
      return switch number {
      case .integer(0) where type == UInt8(ascii: "c"): .boolean(false)
      case .integer(1) where type == UInt8(ascii: "c"): .boolean(true)
      default: number
      }
    case "NSData" where isMade(values, of: [.integer, .data]):
      let data = try value(values[1])
      guard isMutable else { return data }
      fields["NS.data"] = data
    case "NSDate" where isMade(values, of: [.double]): fields["NS.time"] = try value(values[0])
    case "NSURL" where isMade(values, of: [.integer, .object]):
      fields["NS.base"] = .uid(PropertyList.UID(0))
      fields["NS.relative"] = try value(values[1])
    case "NSURL" where isMade(values, of: [.integer, .object, .object]):
      fields["NS.base"] = try value(values[1])
      fields["NS.relative"] = try value(values[2])
    case "NSArray" where isCollection(values), "NSSet" where isCollection(values):
      fields["NS.objects"] = .array(try parts(values.dropFirst()))
    case "NSDictionary" where isCollection(values) && values.count % 2 == 1:
      let parts = try parts(values.dropFirst())
      fields["NS.keys"] = .array(stride(from: 0, to: parts.count, by: 2).map { parts[$0] })
      fields["NS.objects"] = .array(stride(from: 1, to: parts.count, by: 2).map { parts[$0] })
    case "NSAttributedString":
      guard let runs = TypedstreamRuns(values, in: tables) else { fallthrough }
      fields["NSString"] = try value(values[0])
      try add(runs, to: &fields)
    default: for (number, index) in values.enumerated() { fields["$\(number)"] = try value(index) }
    }
    fields["$class"] = try classUID(classSlot)
    return .dictionary(fields)
  }

  /// Adds the attributes of a text to its fields. A single run is represented by its dictionary of attributes. Several
  /// runs are represented by a list of dictionaries and, for each run, its length and the index of its dictionary.
  private mutating func add(
    _ runs: TypedstreamRuns, to fields: inout OrderedDictionary<String, PropertyList>
  ) throws(TypedstreamError) {
    guard runs.numbers.count > 2 else {
      if let only = runs.sets.first { fields["NSAttributes"] = try value(only) }
      return
    }
    try spend(runs.numbers.count)
    fields["NSAttributeInfo"] = object(.data(PackedIntegers.data(runs.numbers)))
    let sets = try parts(runs.sets[...])
    fields["NSAttributes"] = object(["NS.objects": .array(sets), "$class": arrayClass()])
  }

  /// Adds an object that is not in the stream, and returns a reference to it.
  private mutating func object(_ object: PropertyList) -> PropertyList {
    objects.append(object)
    return .uid(PropertyList.UID(UInt32(truncatingIfNeeded: objects.count - 1)))
  }

  /// Returns a reference to the class description of `NSArray`, which the first call adds. The arrays that this
  /// conversion creates refer to it; the stream does not contain them.
  private mutating func arrayClass() -> PropertyList {
    if let listClass { return listClass }
    let description = object(["$classname": "NSArray", "$classes": ["NSArray", "NSObject"]])
    listClass = description
    return description
  }

  private mutating func parts(_ indexes: ArraySlice<Int>) throws(TypedstreamError) -> [PropertyList] {
    var parts: [PropertyList] = []
    for index in indexes { parts.append(try value(index)) }
    return parts
  }

  /// Returns true if the values are of these kinds, in this order. A reference counts as an object.
  private func isMade(_ values: [Int], of kinds: [TypedstreamTables.Node.Kind]) -> Bool {
    values.count == kinds.count
      && zip(values, kinds).allSatisfy { index, kind in
        let found = tables.nodes[index].kind
        return found == kind || kind == .object && found == .reference
      }
  }

  /// Returns true if the values are those of a collection: the number of elements, followed by objects.
  private func isCollection(_ values: [Int]) -> Bool {
    guard let first = values.first, TypedstreamNumber(tables.nodes[first]) != nil else { return false }
    return values.dropFirst().allSatisfy { [.object, .reference].contains(tables.nodes[$0].kind) }
  }
}
