import Foundation
import PropertyListTools
import PropertyLists

extension GrowthTable {
  /// Lines for readers, writers, documents and trees.
  static var propertyListLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    for format in GrowthFormat.allCases {
      for shape in format.shapes {
        let input = "\(format.rawValue), \(shape.rawValue)"
        func add(_ name: String, _ work: @escaping (Data) throws -> Void) {
          lines.append(
            GrowthLine(name, input) { size, _ in
              let data = try format.data(shape, size)
              return { try work(data) }
            })
        }
        add("PropertyListDocument") { keep(try PropertyListDocument($0, format: format.format)) }
        if format == .xml || format == .binary { add("PropertyList") { keep(try PropertyList($0)) } }
        lines.append(
          GrowthLine("PropertyList.data", input) { size, _ in
            let value = format.value(shape, size)
            return { keep(try format.data(value)) }
          })
        if format == .xml || format == .binary {
          lines.append(
            GrowthLine("Node.data", input) { size, _ in
              let document = try PropertyListDocument(format.data(shape, size), format: format.format)
              return { keep(try document.root.data(format: format.format, options: format.options)) }
            })
        }
        guard shape == .wide || shape == .records || shape == .nested || shape == .prefixes else { continue }
        if format != .binary {
          lines.append(
            GrowthLine("PropertyListDocument.formattedData", input) { size, _ in
              let document = try PropertyListDocument(format.data(shape, size), format: format.format)
              return { keep(try document.formattedData()) }
            })
          lines.append(
            GrowthLine("PropertyListDocument.formattedData, sorted", input) { size, _ in
              let document = try PropertyListDocument(format.data(shape, size), format: format.format)
              return { keep(try document.formattedData(sortsKeys: true)) }
            })
        }
        add("PropertyListDocument.defects") { keep(PropertyListDocument.defects(in: $0, format: format.format)) }
        lines.append(
          GrowthLine("PropertyListDocument.data(updatedTo:), all values changed", input) { size, _ in
            let document = try PropertyListDocument(format.data(shape, size), format: format.format)
            let new = try PropertyList(document.root).mapped { _ in "new" }
            return { keep(try document.data(updatedTo: new, options: format.options)) }
          })
        lines.append(
          GrowthLine("PropertyListDocument.data(updatedTo:), every tenth value changed", input) { size, _ in
            let document = try PropertyListDocument(format.data(shape, size), format: format.format)
            var count = 0
            let new = try PropertyList(document.root).mapped { value in
              count += 1
              return count % 10 == 0 ? "new" : value
            }
            return { keep(try document.data(updatedTo: new, options: format.options)) }
          })
      }
    }
    for format in [GrowthFormat.xml, .binary] {
      lines.append(
        GrowthLine("PropertyListWritingOptions.sortsKeys", "\(format.rawValue), a wide dictionary") { size, _ in
          var options = format.options
          options.sortsKeys = true
          let value = GrowthShape.prefixes.value(size)
          return { keep(try value.data(format: format.format, options: options)) }
        })
      lines.append(
        GrowthLine("Node.value(forKey:)", "\(format.rawValue), all keys of a wide dictionary") { size, _ in
          let document = try PropertyListDocument(format.data(.wide, size))
          let keys = (0..<size).map { "key \($0)" }
          return { for key in keys { keep(try document.root.value(forKey: key) as Any) } }
        })
      lines.append(
        GrowthLine("Node.descendant(at:)", "\(format.rawValue), all keys of a wide dictionary") { size, _ in
          let document = try PropertyListDocument(format.data(.wide, size))
          let paths = (0..<size).map { PropertyListKeyPath([.key("key \($0)")]) }
          return { for path in paths { keep(try document.root.descendant(at: path)) } }
        })
      lines.append(
        GrowthLine("Node.entry(at:)", "\(format.rawValue), all of a wide dictionary") { size, _ in
          let document = try PropertyListDocument(format.data(.wide, size))
          return { for index in 0..<document.root.count { keep(try document.root.entry(at: index)) } }
        })
      lines.append(
        GrowthLine("Node.child(at:)", "\(format.rawValue), all of an array of dictionaries") { size, _ in
          let document = try PropertyListDocument(format.data(.records, size))
          return { for index in 0..<document.root.count { keep(try document.root.child(at: index)) } }
        })
      lines.append(
        GrowthLine("Node.children", "\(format.rawValue), an array of dictionaries") { size, _ in
          let document = try PropertyListDocument(format.data(.records, size))
          return {
            for child in document.root.children { for value in try child.get().children { keep(try value.get()) } }
          }
        })
      lines.append(
        GrowthLine("PropertyListDocument.validate", "\(format.rawValue), an array of dictionaries") { size, _ in
          let data = try format.data(.records, size)
          return { try PropertyListDocument(data).validate() }
        })
    }
    for shape in GrowthShape.allCases {
      lines.append(
        GrowthLine("PropertyList ==, hash", shape.rawValue) { size, _ in
          let (first, second) = (shape.value(size), shape.value(size))
          return { keep(first == second && first.hashValue == second.hashValue) }
        })
      lines.append(
        GrowthLine("PropertyList.debugDescription", shape.rawValue) { size, _ in
          let value = shape.value(size)
          return { keep(value.debugDescription) }
        })
    }
    lines.append(
      GrowthLine("XML of shared dictionaries", "binary, references to one dictionary") { size, _ in
        let data = Self.sharedDictionaries(size)
        return { keep(try PropertyListDocument(data).root.data(format: .xml)) }
      })
    lines.append(
      GrowthLine("PropertyList of shared dictionaries", "binary, references to one dictionary") { size, _ in
        let data = Self.sharedDictionaries(size)
        return { keep(try PropertyList(data)) }
      })
    return lines
  }

  /// Returns a binary file of an array with `size` references to one dictionary, which no writer of this package
  /// creates. The files are large enough to stay within the limit of expanded values.
  private static func sharedDictionaries(_ size: Int) -> Data {
    var bytes = Data("bplist00".utf8)
    var offsets: [Int] = []
    func begin() { offsets.append(bytes.count) }
    begin()
    // An array with a count of four bytes and references of one byte.
    bytes += [0xAF, 0x12] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
    bytes += Data(repeating: 1, count: size)
    begin()
    bytes += [0xD1, 2, 3]
    begin()
    bytes += [0x51, UInt8(ascii: "k")]
    begin()
    bytes += [0x51, UInt8(ascii: "v")]
    let table = bytes.count
    for offset in offsets { bytes += (0..<4).map { UInt8(truncatingIfNeeded: offset >> (24 - 8 * $0)) } }
    func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
    bytes += [0, 0, 0, 0, 0, 0, 4, 1] + number(offsets.count) + number(0) + number(table)
    return bytes
  }

  /// Lines for edits, comparisons and merges.
  static var editingLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    func tree(
      _ name: String, _ shape: String, _ make: @escaping (Int) -> PropertyList,
      _ edit: @escaping (inout PropertyList, Int, Int) throws -> Void
    ) {
      lines.append(
        GrowthLine("PropertyList.\(name)", shape, base: 100) { size, _ in
          let value = make(size)
          return {
            var value = value
            for number in 0..<size { try edit(&value, number, size) }
            keep(value)
          }
        })
    }
    let wide: (Int) -> PropertyList = { GrowthShape.wide.value($0) }
    let long: (Int) -> PropertyList = { GrowthShape.long.value($0) }
    let emptyDictionary: (Int) -> PropertyList = { _ in [:] }
    let innerArray: (Int) -> PropertyList = { _ in ["a": []] }
    let inner: (Int) -> PropertyList = { ["a": ["b": GrowthShape.wide.value($0)]] }
    tree("set(_:at:)", "each value of a wide dictionary", wide) { value, number, _ in
      try value.set("new", at: .init([.key("key \(number)")]))
    }
    tree("set(_:at:)", "each value of an inner dictionary", inner) { value, number, _ in
      try value.set("new", at: .init([.key("a"), .key("b"), .key("key \(number)")]))
    }
    tree("set(_:at:)", "each element of an array", long) { value, number, _ in
      try value.set("new", at: .init([.index(number)]))
    }
    tree("insert(_:at:)", "new keys", emptyDictionary) { value, number, _ in
      try value.insert("new", at: .init([.key("key \(number)")]))
    }
    tree("replace(_:at:)", "each value of a wide dictionary", wide) { value, number, _ in
      try value.replace("new", at: .init([.key("key \(number)")]))
    }
    tree("remove(at:)", "each value of a wide dictionary, from the last", wide) { value, number, size in
      _ = try value.remove(at: .init([.key("key \(size - 1 - number)")]))
    }
    tree("append(_:at:)", "an array", innerArray) { value, _, _ in
      try value.append("new", at: .init([.key("a")]))
    }
    tree("value(at:)", "each value of a wide dictionary", wide) { value, number, _ in
      keep(try value.value(at: .init([.key("key \(number)")])))
    }
    tree("subscript", "each value of a wide dictionary", wide) { value, number, _ in
      keep(value["key \(number)"] as Any)
    }
    tree("dictionary?[key] =", "each value of a wide dictionary", wide) { value, number, _ in
      value.dictionary?["key \(number)"] = "new"
    }
    tree("array?[index] =", "each element of an array", long) { value, number, _ in value.array?[number] = "new" }
    // These move all values after the edited one, so that each takes time linear in the size of the container.
    for (name, shape, edit) in [
      ("remove(at:)", GrowthShape.wide, PropertyListEdit.remove(at: .init([.key("key 0")]))),
      ("remove(at:)", .long, .remove(at: .init([.index(0)]))),
      ("insert(_:at:)", .long, .insert("new", at: .init([.index(0)]))),
    ] {
      lines.append(
        GrowthLine("PropertyList.\(name)", "the first of \(shape.rawValue)", base: 100) { size, _ in
          let value = shape.value(size)
          return {
            var value = value
            try value.apply(edit)
            keep(value)
          }
        })
    }
    for format in [GrowthFormat.xml, .binary, .json, .openstep] {
      for (name, path, edit) in [
        ("first", { (_: Int) in "key 0" }, PropertyListEdit.replace("new", at: .init([.key("key 0")]))),
        ("last", { "key \($0 - 1)" }, nil),
      ] as [(String, (Int) -> String, PropertyListEdit?)] {
        lines.append(
          GrowthLine("PropertyListDocument.data(applying:)", "\(format.rawValue), \(name) key of a dictionary") {
            size, _ in
            let document = try PropertyListDocument(format.data(.wide, size), format: format.format)
            let edit = edit ?? .remove(at: .init([.key(path(size))]))
            return { keep(try document.data(applying: edit, options: format.options)) }
          })
      }
    }
    let changes: [(String, (PropertyList, Int) -> PropertyList)] = [
      ("equal", { value, _ in value }),
      ("all values changed", { value, _ in value.mapped { _ in "new" } }),
      (
        "half of the values changed",
        { value, _ in
          var count = 0
          return value.mapped { value in
            count += 1
            return count % 2 == 0 ? .string("new \(count)") : value
          }
        }
      ),
      ("shuffled", { value, _ in value.shuffled }),
      ("twice as large", { value, size in value.extended(size) }),
    ]
    for shape in [GrowthShape.wide, .long, .records, .nested, .equal, .equalRecords, .distinct] {
      for (name, change) in changes {
        let input = "\(shape.rawValue), \(name)"
        lines.append(
          GrowthLine("PropertyListDifference", input, base: 100) { size, _ in
            let old = shape.value(size)
            let new = change(old, size)
            return { keep(PropertyListDifference(from: old, to: new)) }
          })
        if name == "equal" { continue }
        lines.append(
          GrowthLine("PropertyListDifference.applied", input, base: 100) { size, _ in
            let old = shape.value(size)
            let difference = PropertyListDifference(from: old, to: change(old, size))
            return { keep(try difference.applied(to: old)) }
          })
        lines.append(
          GrowthLine("PropertyListDifference.inverse.applied", input, base: 100) { size, _ in
            let old = shape.value(size)
            let new = change(old, size)
            let difference = PropertyListDifference(from: old, to: new)
            return { keep(try difference.inverse.applied(to: new)) }
          })
        lines.append(
          GrowthLine("PropertyListDifference.patch, description", input, base: 100) { size, _ in
            let old = shape.value(size)
            let difference = PropertyListDifference(from: old, to: change(old, size))
            return {
              keep(try PropertyListDifference(patch: difference.patch))
              keep(difference.description)
            }
          })
        guard shape != .nested, shape != .distinct, name.hasPrefix("half") || name.hasPrefix("twice") else { continue }
        for arrays in PropertyList.ArrayMergeRule.allCases {
          lines.append(
            GrowthLine("PropertyList.merge, arrays: \(arrays)", input, base: 100) { size, _ in
              let old = shape.value(size)
              let new = change(old, size)
              return {
                var value = old
                try value.merge(new, conflicts: .takeTheirs, arrays: arrays)
                keep(value)
              }
            })
        }
        lines.append(
          GrowthLine("PropertyList.merge(since:)", input, base: 100) { size, _ in
            let base = shape.value(size)
            let (ours, theirs) = (change(base, size), base.extended(size / 3))
            return {
              var value = ours
              try value.merge(theirs, since: base, conflicts: .keepOurs)
              keep(value)
            }
          })
      }
    }
    lines.append(
      GrowthLine("PropertyListKeyPath", "a long path") { size, _ in
        let text = (0..<size).map { "key\($0)" }.joined(separator: ".")
        return { keep(try PropertyListKeyPath(text, syntax: .dots).text(.slashes)) }
      })
    return lines
  }
}

extension PropertyList {
  /// Returns the property list with changed scalars.
  fileprivate func mapped(_ change: (PropertyList) -> PropertyList) -> PropertyList {
    switch self {
    case .array(let elements): .array(elements.map { $0.mapped(change) })
    case .dictionary(let entries): .dictionary(entries.mapValues { $0.mapped(change) })
    default: change(self)
    }
  }

  /// The property list with the elements or entries of the root shuffled, in the same way in every run.
  fileprivate var shuffled: PropertyList {
    var random = SplitMix64(state: 7)
    switch self {
    case .array(let elements): return .array(elements.shuffled(using: &random))
    case .dictionary(let entries):
      return .dictionary(
        .init(uniqueKeysWithValues: entries.map { ($0.key, $0.value) }.shuffled(using: &random)))
    default: return self
    }
  }

  /// Returns the property list with `count` new elements or entries.
  fileprivate func extended(_ count: Int) -> PropertyList {
    switch self {
    case .array(let elements):
      return .array(
        elements.enumerated().flatMap { [$0.element, .string("new \($0.offset)")] }
          + (0..<max(0, count - elements.count)).map { .string("more \($0)") })
    case .dictionary(var entries):
      for number in 0..<count { entries["new \(number)"] = .string("new \(number)") }
      return .dictionary(entries)
    default: return self
    }
  }
}
