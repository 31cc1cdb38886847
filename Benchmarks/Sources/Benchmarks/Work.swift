import Foundation
import KeyedArchiving
import PropertyListTools
import PropertyLists

/// A line of the table: work that several implementations can do.
enum Work: String, CaseIterable {
  case xmlToDocument = "XML → document"
  case xmlToTree = "XML → tree"
  case binaryToDocument = "binary → document, validated"
  case binaryToTree = "binary → tree"
  case treeToBinary = "tree → binary"
  case treeToXML = "tree → XML"
  /// From bytes to bytes. Only this library keeps comments and layout.
  case edit = "XML with one value changed"
  case decodeXML = "XML → Codable types"
  case encodeXML = "Codable types → XML"
  case decodeBinary = "binary → Codable types"
  case encodeBinary = "Codable types → binary"
  case archive = "archive 20 000 notes"
  case unarchive = "unarchive 20 000 notes"
  case archiveMany = "archive 200 000 notes"
  case unarchiveMany = "unarchive 200 000 notes"

  /// The number of notes in an archive; nil for work on the media library.
  private var noteCount: Int? {
    switch self {
    case .archive, .unarchive: 20_000
    case .archiveMany, .unarchiveMany: 200_000
    default: nil
    }
  }
}

enum Implementation: String, CaseIterable {
  case ours, libplist, python, foundation, sqlAlchemy, sqlite, grdb

  /// The implementations in the table of property lists and archives.
  static let ofPropertyLists: [Implementation] = [.ours, .libplist, .python, .foundation]

  var name: String {
    switch self {
    case .ours: "here"
    case .libplist: "libplist"
    case .python: "Python's plistlib"
    case .foundation: "Foundation"
    case .sqlAlchemy: "SQLAlchemy"
    case .sqlite: "SQLite's C interface"
    case .grdb: "GRDB"
    }
  }
}

extension Work {
  /// Does the work several times in this process.
  func measure(_ implementation: Implementation, xml: URL, binary: URL) throws -> Measurement? {
    if [.decodeXML, .encodeXML, .decodeBinary, .encodeBinary].contains(self) {
      return try measureCodable(implementation, xml: xml, binary: binary)
    }
    if let noteCount { return try measureNotes(implementation, count: noteCount) }
    return switch implementation {
    case .ours: try measureOurs(xml, binary)
    case .libplist: try measureLibPlist(xml, binary)
    case .python: try measurePython(xml, binary)
    case .foundation: try measureFoundation(xml, binary)
    case .sqlAlchemy, .sqlite, .grdb: nil
    }
  }

  private func measureNotes(_ implementation: Implementation, count: Int) throws -> Measurement? {
    let isWriting = self == .archive || self == .archiveMany
    switch implementation {
    case .ours:
      let notes = Notes.make(count: count) { Note(title: $0, text: $1, priority: $2, date: $3, tags: $4) }
      let data = try KeyedArchiver.archivedData(withRootObject: notes)
      return try Measurement.measure {
        if isWriting { return try KeyedArchiver.archivedData(withRootObject: notes).count }
        keep(try KeyedUnarchiver.unarchivedObject(of: [Note].self, from: data))
        return 0
      }
    case .foundation where count <= 20_000:
      let notes = Notes.make(count: count) { FoundationNote(title: $0, text: $1, priority: $2, date: $3, tags: $4) }
      let data = try NSKeyedArchiver.archivedData(withRootObject: notes as NSArray, requiringSecureCoding: true)
      return try Measurement.measure {
        if isWriting {
          return try NSKeyedArchiver.archivedData(withRootObject: notes as NSArray, requiringSecureCoding: true).count
        }
        keep(try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, FoundationNote.self], from: data) as Any)
        return 0
      }
    default: return nil
    }
  }

  private func measureOurs(_ xml: URL, _ binary: URL) throws -> Measurement {
    switch self {
    case .xmlToDocument, .xmlToTree:
      let data = try Data(contentsOf: xml)
      return try Measurement.measure {
        let document = try PropertyListDocument(data)
        if self == .xmlToTree { keep(try PropertyList(document.root)) } else { keep(document) }
        return 0
      }
    case .binaryToDocument, .binaryToTree:
      let data = try Data(contentsOf: binary)
      return try Measurement.measure {
        let document = try PropertyListDocument(data)
        if self == .binaryToTree { keep(try PropertyList(document.root)) } else { try document.validate() }
        return 0
      }
    case .edit:
      let data = try Data(contentsOf: xml)
      return try Measurement.measure {
        let document = try PropertyListDocument(data)
        var tree = try PropertyList(document.root)
        tree.dictionary?["Application Version"] = "edited"
        return try document.data(updatedTo: tree).count
      }
    default:
      let tree = try PropertyList(contentsOf: binary)
      return try Measurement.measure { try tree.data(format: self == .treeToXML ? .xml : .binary).count }
    }
  }

  private func measureLibPlist(_ xml: URL, _ binary: URL) throws -> Measurement? {
    guard let library = LibPlist() else { return nil }
    switch self {
    case .xmlToDocument, .xmlToTree, .binaryToDocument, .binaryToTree:
      let isXML = self == .xmlToDocument || self == .xmlToTree
      let data = try Data(contentsOf: isXML ? xml : binary)
      return Measurement.measure {
        library.free(library.parse(data, isXML: isXML))
        return 0
      }
    case .edit:
      let data = try Data(contentsOf: xml)
      return Measurement.measure {
        let tree = library.parse(data, isXML: true)
        defer { library.free(tree) }
        return library.print(tree, isXML: true)
      }
    default:
      let tree = library.parse(try Data(contentsOf: binary), isXML: false)
      return Measurement.measure { library.print(tree, isXML: self == .treeToXML) }
    }
  }

  private func measureFoundation(_ xml: URL, _ binary: URL) throws -> Measurement {
    switch self {
    case .xmlToDocument, .xmlToTree, .binaryToDocument, .binaryToTree:
      let data = try Data(contentsOf: self == .xmlToDocument || self == .xmlToTree ? xml : binary)
      return try Measurement.measure {
        keep(try PropertyListSerialization.propertyList(from: data, format: nil))
        return 0
      }
    case .edit:
      let data = try Data(contentsOf: xml)
      return try Measurement.measure {
        let tree = try PropertyListSerialization.propertyList(from: data, format: nil)
        return try PropertyListSerialization.data(fromPropertyList: tree, format: .xml, options: 0).count
      }
    default:
      let tree = try PropertyListSerialization.propertyList(from: Data(contentsOf: binary), format: nil)
      return try Measurement.measure {
        try PropertyListSerialization.data(
          fromPropertyList: tree, format: self == .treeToXML ? .xml : .binary, options: 0
        ).count
      }
    }
  }

  private func measurePython(_ xml: URL, _ binary: URL) throws -> Measurement? {
    let isXML = self == .xmlToDocument || self == .xmlToTree || self == .edit
    let body =
      switch self {
      case .xmlToDocument, .xmlToTree, .binaryToDocument, .binaryToTree: "plistlib.loads(data)"
      case .edit: "length = len(plistlib.dumps(plistlib.loads(data), sort_keys=False))"
      case .treeToBinary: "length = len(plistlib.dumps(tree, fmt=plistlib.FMT_BINARY, sort_keys=False))"
      default: "length = len(plistlib.dumps(tree, sort_keys=False))"
      }
    let setup = """
      import plistlib
      data = open('\((isXML ? xml : binary).path)', 'rb').read()
      \(self == .treeToBinary || self == .treeToXML ? "tree = plistlib.loads(data)" : "")
      """
    return try Measurement.inPython(body, setup: setup)
  }
}
