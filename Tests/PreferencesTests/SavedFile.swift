import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

/// A file of preferences in a folder of its own, and the stores that use it.
struct SavedFile {
  let folder: TemporaryFolder
  /// The folder that the file is in, which may be missing.
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

  /// What the file holds; nil if there is none.
  func contents() throws -> OrderedDictionary<String, PropertyList>? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try PropertyList(contentsOf: url).dictionary
  }

  var bytes: Data? { try? Data(contentsOf: url) }

  /// Replaces it, in one step, with bytes that nobody writes to any more.
  func write(_ bytes: Data) throws {
    let incoming = folder.path("incoming-\(UUID().uuidString)")
    try bytes.write(to: URL(filePath: incoming))
    try age(incoming)
    try #require(rename(incoming, path) == 0)
  }

  func write(_ contents: OrderedDictionary<String, PropertyList>, _ format: PropertyListFormat = .binary) throws {
    try write(PropertyList.dictionary(contents).data(format: format))
  }

  /// Has the file look as if it had been written an hour ago.
  func age(_ path: String? = nil) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path ?? self.path)
  }

  var permissions: Int? { permissions(path) }

  func permissions(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  /// The names in the folder of the file, without that of the copy of the last save.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: location.path)) ?? []).filter { !$0.hasSuffix(".last") }
      .sorted()
  }

  /// The path of the copy of the last save; nil if it is missing.
  var lastSave: String? {
    let path = location.appending(path: ".\(domain).plist.last").path
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  var temporaryNames: [String] { names.filter { $0.hasSuffix(".tmp") } }

  /// The names of files that were set aside.
  var namesSetAside: [String] { names.filter { $0.contains(".unreadable-") } }

  /// A program that does something with the domain.
  func start(_ verb: String, _ arguments: String...) throws -> ChildProcess {
    try ChildProcess("preferences-probe", [location.path, domain.rawValue, verb] + arguments)
  }
}

/// The error that something throws; nil if it throws none.
func failure(of body: () throws(PreferencesError) -> Void) -> PreferencesError? {
  do throws(PreferencesError) {
    try body()
    return nil
  } catch {
    return error
  }
}
