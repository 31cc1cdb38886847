import FoundationEssentials
import KeyedArchiving
import PropertyLists
import SystemFiles

/// What an archive stands in, told by the first bytes.
enum ArchiveSource {
  /// A property list in any format.
  case propertyList(PropertyListDocument)
  /// A stream of `NSArchiver`.
  case typedstream(Typedstream)
  /// A compiled nib in the format NIBArchive.
  case nib(NIBArchive)
}

extension ArchiveSource {
  /// The archive, or what is the same in its shape.
  ///
  /// - Throws: ``PropertyListError`` for what is no archive.
  func archive() throws(PropertyListError) -> KeyedArchive {
    switch self {
    case .propertyList(let document):
      do throws(KeyedArchiveError) { return try KeyedArchive(document) } catch { throw PropertyListError(error) }
    case .typedstream(let stream):
      return try Typedstream.converting { () throws(TypedstreamError) in try stream.keyedArchive() }
    case .nib(let nib):
      do throws(NIBArchiveError) { return try nib.keyedArchive() } catch { throw PropertyListError(error) }
    }
  }

  /// What bytes are that belong to no property list; nil for those that may.
  init?(_ data: Data) throws(PropertyListError) {
    if Typedstream.begins(data) {
      self = .typedstream(try Typedstream.converting { () throws(TypedstreamError) in try Typedstream(data) })
      return
    }
    guard NIBArchive.matches(data) else { return nil }
    do throws(NIBArchiveError) { self = .nib(try NIBArchive(data)) } catch { throw PropertyListError(error) }
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

/// A fault of an archive of any kind, as it is printed.
struct ArchiveFault {
  let severity: KeyedArchive.Fault.Severity
  let text: String
  let fields: PropertyList
}

extension ArchiveSource {
  /// Everything that is wrong with the archive.
  func check() throws(PropertyListError) -> [ArchiveFault] {
    switch self {
    case .propertyList(let document): KeyedArchive.check(document).map(ArchiveFault.init)
    case .typedstream:
      // The archiver of a typedstream is the right one.
      KeyedArchive.check(try archive().document).filter { $0.kind != .otherArchiver }.map(ArchiveFault.init)
    case .nib(let nib): nib.check().map(ArchiveFault.init)
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
  func checkNested(_ count: inout Int) throws(PropertyListError) -> [ArchiveFault] {
    let document = try document()
    var unwrapper = Unwrapper()
    do throws(KeyedArchiveError) {
      var faults = try unwrapper.check(document).map(ArchiveFault.init)
      faults += unwrapper.unreadable.map(ArchiveFault.init)
      count = unwrapper.openedCount
      return faults
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
    case .nib(let nib):
      return "NIBArchive \(nib.formatVersion).\(nib.coderVersion), \(Self.counted(nib.objects.count))"
    }
  }

  private static func counted(_ count: Int) -> String { "\(count) object\(count == 1 ? "" : "s")" }
}

extension ArchiveFault {
  fileprivate init(_ fault: KeyedArchive.Fault) {
    var fields = Self.fields(fault.severity, fault.kind.rawValue, fault.message)
    if let uid = fault.uid { fields.dictionary?["object"] = .integer(.init(Int(uid.value))) }
    if !fault.path.components.isEmpty { fields.dictionary?["keyPath"] = .string(fault.path.description) }
    self.init(severity: fault.severity, text: fault.description, fields: fields)
  }

  fileprivate init(_ fault: NIBArchive.Fault) {
    var fields = Self.fields(fault.severity, fault.kind.rawValue, fault.message)
    if let object = fault.object { fields.dictionary?["object"] = .integer(.init(object)) }
    if let value = fault.value { fields.dictionary?["value"] = .integer(.init(value)) }
    self.init(severity: fault.severity, text: fault.description, fields: fields)
  }

  fileprivate init(_ nested: Unwrapper.Fault) {
    let fault = ArchiveFault(nested.fault)
    var fields = fault.fields
    fields.dictionary?["data"] = .string(nested.path.description)
    self.init(severity: fault.severity, text: Self.place(nested.path) + fault.text, fields: fields)
  }

  fileprivate init(_ data: Unwrapper.Unreadable) {
    var fields = Self.fields(.error, "unreadableData", data.error.description)
    fields.dictionary?["data"] = .string(data.path.description)
    self.init(
      severity: .error, text: Self.place(data.path) + "cannot be read: \(data.error.description.printable(limit: 200))",
      fields: fields)
  }

  private static func place(_ path: PropertyListKeyPath) -> String {
    path.components.isEmpty ? "data: " : "data at \(path.description.printable(limit: 200)): "
  }

  private static func fields(
    _ severity: KeyedArchive.Fault.Severity, _ kind: String, _ message: String
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
