internal import ArchiveViews
import FoundationEssentials
import KeyedArchiving
internal import Nibs
import PropertyLists
import SystemFiles
internal import Typedstreams

/// What an archive stands in, told by the first bytes.
enum ArchiveSource {
  /// A property list in any format.
  case propertyList(PropertyListDocument)
  /// A stream of `NSArchiver`.
  case typedstream(Typedstream)
  /// A compiled nib in the format NIBArchive.
  case nib(NIBArchive)

  /// The archive, or what is the same in its shape.
  ///
  /// - Throws: ``PropertyListError`` for what is no archive.
  func archive() throws(PropertyListError) -> KeyedArchive {
    switch self {
    case .propertyList(let document):
      do { return try KeyedArchive(document) } catch { throw PropertyListError(error) }
    case .typedstream(let stream):
      return try Typedstream.converting { () throws(TypedstreamError) in try stream.keyedArchive() }
    case .nib(let nib):
      do { return try nib.keyedArchive() } catch { throw PropertyListError(error) }
    }
  }

  /// What bytes are that belong to no property list; nil for those that may.
  init?(_ data: Data) throws(PropertyListError) {
    switch ArchiveFormat(data) {
    case .typedstream:
      self = .typedstream(try Typedstream.converting { () throws(TypedstreamError) in try Typedstream(data) })
    case .nibArchive:
      do { self = .nib(try NIBArchive(data)) } catch { throw PropertyListError(error) }
    case .binaryPropertyList, .xmlPropertyList, nil: return nil
    }
  }
}

extension Input {
  /// The bytes of the file; of a folder that is a nib, those of the best file in it.
  func archiveData() throws(PropertyListError) -> Data {
    guard !isStandard, FileSystem.isFolder(path), let file = (try? Nib.files(in: URL(filePath: path)))?.first else {
      return try mappedData()
    }
    return try Input(file.path).mappedData()
  }
}

/// A finding of an archive of any kind, as it is printed.
struct ArchiveFinding {
  let severity: KeyedArchive.Finding.Severity
  let text: String
  let fields: PropertyList
}

extension ArchiveSource {
  /// Everything that is wrong with the archive.
  func check() throws(PropertyListError) -> [ArchiveFinding] {
    switch self {
    case .propertyList(let document): KeyedArchive.check(document).map(ArchiveFinding.init)
    case .typedstream:
      // The archiver of a typedstream is the right one.
      KeyedArchive.check(try archive().document).filter { $0.kind != .otherArchiver }.map(ArchiveFinding.init)
    case .nib(let nib): nib.check().map(ArchiveFinding.init)
    }
  }

  /// False for a property list that has nothing of an archive.
  var isArchive: Bool {
    guard case .propertyList(let document) = self else { return true }
    return ["$archiver", "$objects", "$top"].contains { (try? document.root.value(forKey: $0)) != nil }
  }

  /// The property list that it is, or whose shape it is given.
  func document() throws(PropertyListError) -> PropertyListDocument {
    if case .propertyList(let document) = self { return document }
    return try archive().document
  }

  /// Everything that is wrong with archives in data, and with data that only begins like an archive.
  ///
  /// - Parameter count: becomes how many of them there are.
  func checkNested(_ count: inout Int) throws(PropertyListError) -> [ArchiveFinding] {
    let document = try document()
    var unwrapper = Unwrapper()
    do {
      var findings = try unwrapper.check(document).map(ArchiveFinding.init)
      findings += unwrapper.unreadable.map(ArchiveFinding.init)
      count = unwrapper.openedCount
      return findings
    } catch {
      throw PropertyListError(error)
    }
  }

  /// What it is, and how many objects it has.
  func summary() throws(PropertyListError) -> String {
    switch self {
    case .propertyList, .typedstream:
      let archive = try archive()
      return "archive of \(archive.archiver.printable(limit: 80)), \(Self.counted(archive.objects.count))"
    case .nib(let nib): return "NIBArchive \(nib.formatVersion).\(nib.coderVersion), \(Self.counted(nib.objects.count))"
    }
  }

  private static func counted(_ count: Int) -> String { "\(count) object\(count == 1 ? "" : "s")" }
}

extension ArchiveFinding {
  fileprivate init(_ finding: KeyedArchive.Finding) {
    var fields = Self.fields(finding.severity, finding.kind.rawValue, finding.message)
    if let uid = finding.uid { fields.dictionary?["object"] = .integer(.init(Int(uid.value))) }
    if !finding.path.components.isEmpty { fields.dictionary?["keyPath"] = .string(finding.path.description) }
    self.init(severity: finding.severity, text: finding.description, fields: fields)
  }

  fileprivate init(_ finding: NIBArchive.Finding) {
    var fields = Self.fields(finding.severity, finding.kind.rawValue, finding.message)
    if let object = finding.object { fields.dictionary?["object"] = .integer(.init(object)) }
    if let value = finding.value { fields.dictionary?["value"] = .integer(.init(value)) }
    self.init(severity: finding.severity, text: finding.description, fields: fields)
  }

  fileprivate init(_ nested: Unwrapper.Finding) {
    let finding = ArchiveFinding(nested.finding)
    var fields = finding.fields
    fields.dictionary?["data"] = .string(nested.path.description)
    self.init(severity: finding.severity, text: Self.location(nested.path) + finding.text, fields: fields)
  }

  fileprivate init(_ data: Unwrapper.Unreadable) {
    var fields = Self.fields(.error, "unreadableData", data.error.description)
    fields.dictionary?["data"] = .string(data.path.description)
    self.init(
      severity: .error,
      text: Self.location(data.path) + "cannot be read: \(data.error.description.printable(limit: 200))",
      fields: fields)
  }

  private static func location(_ path: PropertyListKeyPath) -> String {
    path.components.isEmpty ? "data: " : "data at \(path.description.printable(limit: 200)): "
  }

  private static func fields(
    _ severity: KeyedArchive.Finding.Severity, _ kind: String, _ message: String
  ) -> PropertyList {
    ["severity": .string(severity.rawValue), "kind": .string(kind), "message": .string(message)]
  }
}

extension PropertyListError {
  /// What is wrong with a compiled nib, in the terms of the tool.
  init(_ error: NIBArchiveError) {
    let kind: Kind
    switch error.kind {
    case .file(let inner):
      self = inner
      return
    case .notANIBArchive: kind = .unknownFormat
    case .unsupportedVersion: kind = .unsupportedVersion
    case .truncated, .malformed, .invalidValue: kind = .malformed
    case .limitExceeded: kind = .limitExceeded
    }
    self.init(kind, error.message, byteOffset: error.byteOffset)
  }
}
