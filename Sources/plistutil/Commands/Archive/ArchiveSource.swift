internal import ArchiveViews
import FoundationEssentials
import KeyedArchiving
internal import Nibs
import PropertyLists
import SystemFiles
internal import Typedstreams

/// The contents of a file that may be an archive, in one of three formats.
enum ArchiveSource {
  /// A property list in any format.
  case propertyList(PropertyListDocument)
  /// A stream of `NSArchiver`.
  case typedstream(Typedstream)
  /// A compiled nib in the format NIBArchive.
  case nib(NIBArchive)

  /// Returns the archive. A typedstream or nib is converted to the structure of a keyed archive.
  ///
  /// - Throws: ``PropertyListError`` if the source is not an archive.
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

  /// Detects a typedstream or nib. Returns nil for anything else, which may be a property list.
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
  /// Returns the bytes of the file. If a nib is a folder with a file for each group of systems, returns the bytes of
  /// the file for the newest systems.
  func archiveData() throws(PropertyListError) -> Data {
    guard !isStandard, FileSystem.isFolder(path), let file = (try? Nib.files(in: URL(filePath: path)))?.first else {
      return try mappedData()
    }
    return try Input(file.path).mappedData()
  }
}

/// A finding about an archive of any kind, in the form that is printed.
struct ArchiveFinding {
  let severity: KeyedArchive.Finding.Severity
  let text: String
  let fields: PropertyList
}

extension ArchiveSource {
  /// Returns all findings about the archive.
  func check() throws(PropertyListError) -> [ArchiveFinding] {
    switch self {
    case .propertyList(let document): KeyedArchive.check(document).map(ArchiveFinding.init)
    case .typedstream:
      // An archiver other than `NSKeyedArchiver` is not a defect here: typedstreams are written by `NSArchiver`.
      KeyedArchive.check(try archive().document).filter { $0.kind != .otherArchiver }.map(ArchiveFinding.init)
    case .nib(let nib): nib.check().map(ArchiveFinding.init)
    }
  }

  /// True for a typedstream, for a nib, and for a property list with a key of a keyed archive: `$archiver`, `$objects`
  /// or `$top`.
  var isArchive: Bool {
    guard case .propertyList(let document) = self else { return true }
    return ["$archiver", "$objects", "$top"].contains { (try? document.root.value(forKey: $0)) != nil }
  }

  /// Returns the property list, or a typedstream or nib converted to one.
  func document() throws(PropertyListError) -> PropertyListDocument {
    if case .propertyList(let document) = self { return document }
    return try archive().document
  }

  /// Returns all findings about archives that are nested in data, and about data that begins like an archive but is not
  /// one.
  ///
  /// - Parameter count: set to the number of archives and property lists that were opened.
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

  /// Returns the kind of the archive and its number of objects.
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
  /// Converts an error of a compiled nib to the tool's error type.
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
