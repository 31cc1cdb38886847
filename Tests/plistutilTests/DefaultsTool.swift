import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// `plistutil defaults` with its own home folder.
struct DefaultsTool {
  let folder = TemporaryFolder()
  static let domain = "com.example.notes"

  var environment: [String: String] {
    ["XDG_CONFIG_HOME": folder.path("config"), "HOME": folder.path("home"), "XDG_CONFIG_DIRS": folder.path("none")]
  }

  @discardableResult
  func callAsFunction(_ arguments: String..., input: Data = Data()) throws -> Program {
    try callAsFunction(arguments, input: input)
  }

  @discardableResult
  func callAsFunction(_ arguments: [String], input: Data = Data()) throws -> Program {
    try Program.run("plistutil", ["defaults"] + arguments, input: input, environment: environment)
  }

  /// Starts a call that runs until it is killed.
  func start(_ arguments: String...) throws -> ChildProcess { try start(arguments) }

  func start(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess("plistutil", ["defaults"] + arguments, environment: environment)
  }

  func path(_ name: String = Self.domain) -> String { folder.path("config/\(name).plist") }

  func url(_ name: String = Self.domain) -> URL { URL(filePath: path(name)) }

  func bytes(_ name: String = Self.domain) -> Data? { try? Data(contentsOf: url(name)) }

  /// The contents of a domain's file; nil if there is none.
  func values(_ name: String = Self.domain) throws -> OrderedDictionary<String, PropertyList>? {
    guard FileManager.default.fileExists(atPath: path(name)) else { return nil }
    return try PropertyList(contentsOf: url(name)).dictionary
  }

  /// Writes bytes into the file of a domain with a modification time of an hour ago, because a recent file may be
  /// incomplete.
  func put(_ bytes: Data, _ name: String = Self.domain) throws {
    try FileManager.default.createDirectory(atPath: folder.path("config"), withIntermediateDirectories: true)
    try bytes.write(to: url(name))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path(name))
  }

  func put(
    _ values: OrderedDictionary<String, PropertyList>, _ name: String = Self.domain,
    _ format: PropertyListFormat = .binary
  ) throws {
    try put(PropertyList.dictionary(values).data(format: format), name)
  }
}

/// A call, and its result.
struct DefaultsSample: CustomTestStringConvertible, Sendable {
  let arguments: [String]
  let value: PropertyList

  init(_ arguments: String..., value: PropertyList) {
    self.arguments = arguments
    self.value = value
  }

  var testDescription: String { arguments.joined(separator: " ") }
}

/// A failing call, and its error.
struct DefaultsFailure: CustomTestStringConvertible, Sendable {
  let arguments: [String]
  let message: String
  let kind: String
  let status: Int32

  init(_ arguments: String..., message: String, kind: String, status: Int32 = 1) {
    self.arguments = arguments
    self.message = message
    self.kind = kind
    self.status = status
  }

  var testDescription: String { arguments.joined(separator: " ") }
}
