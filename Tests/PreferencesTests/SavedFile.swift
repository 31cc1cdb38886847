import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

/// A preferences file in its own folder, and the stores that use it.
struct SavedFile {
  let folder: TemporaryFolder
  /// The folder of the file, which may be missing.
  let location: URL
  let domain: DomainName

  init(_ domain: DomainName = "com.example.saved", below path: String = "", isInMemory: Bool = true) {
    ReportedErrors.record()
    folder = TemporaryFolder(isInMemory: isInMemory)
    location = path.isEmpty ? folder.url : folder.url.appending(path: path)
    self.domain = domain
  }

  init(_ contents: OrderedDictionary<String, PropertyList>, _ format: PropertyListFormat = .binary) throws {
    self.init()
    try write(contents, format)
  }

  var path: String { location.appending(path: "\(domain).plist").path }
  var url: URL { URL(filePath: path) }

  /// A store of the domain.
  func open() -> UserPreferences {
    UserPreferences(suiteName: domain, locations: PreferencesLocations(folder: location, host: "here"), arguments: [])
  }

  /// The contents of the file; nil if there is none.
  func contents() throws -> OrderedDictionary<String, PropertyList>? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try PropertyList(contentsOf: url).dictionary
  }

  var bytes: Data? { try? Data(contentsOf: url) }

  /// Atomically replaces it with bytes that no program is still writing.
  func write(_ bytes: Data) throws {
    let incoming = folder.path("incoming-\(UUID().uuidString)")
    try bytes.write(to: URL(filePath: incoming))
    try age(incoming)
    try #require(rename(incoming, path) == 0)
  }

  func write(_ contents: OrderedDictionary<String, PropertyList>, _ format: PropertyListFormat = .binary) throws {
    try write(PropertyList.dictionary(contents).data(format: format))
  }

  /// Changes the file's modification time to an hour ago.
  func age(_ path: String? = nil) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path ?? self.path)
  }

  var permissions: Int? { permissions(path) }

  func permissions(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  /// The names in the folder of the file, without the backup of the last save.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: location.path)) ?? []).filter { !$0.hasSuffix(".last") }
      .sorted()
  }

  /// The path of the backup of the last save; nil if it is missing.
  var lastSave: String? {
    let path = location.appending(path: ".\(domain).plist.last").path
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  var temporaryNames: [String] { names.filter { $0.hasSuffix(".tmp") } }

  /// The names of files that were set aside.
  var namesSetAside: [String] { names.filter { $0.contains(".unreadable-") } }

  /// Runs a program that uses the domain.
  func start(_ verb: String, _ arguments: String...) throws -> ChildProcess {
    try ChildProcess("preferences-probe", [location.path, domain.rawValue, verb] + arguments)
  }
}

/// The error that `body` throws; nil if it throws none.
func failure(of body: () throws(PreferencesError) -> Void) -> PreferencesError? {
  do throws(PreferencesError) {
    try body()
    return nil
  } catch {
    return error
  }
}
