import Foundation
import PropertyLists
import TestSupport

/// Asks `reader.py`, which reads SQLite stores without the code under test.
enum StoreReader {
  static let isAvailable = (try? Program.runPython(["-c", "import sqlite3"]))?.status == 0

  private static let program = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "reader.py")

  /// An error because the reader cannot read a store.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads all objects of a store.
  ///
  /// - Parameters:
  ///   - model: A compiled model, for a store that does not contain its model.
  ///   - isImmutable: True to read only the database file. By default, this is done if there is no WAL next to it,
  ///     because then nothing is missed.
  static func objects(of store: URL, model: URL? = nil, isImmutable: Bool? = nil) throws -> StoreDump {
    try StoreDump(json: run(store, model.map { ["--mom", $0.path] } ?? [], isImmutable))
  }

  /// Reads the tables, indexes and triggers of a store, the numbers of its entities, and the keys of its metadata.
  static func schema(of store: URL, isImmutable: Bool? = nil) throws -> ReadSchema {
    try JSONDecoder().decode(ReadSchema.self, from: run(store, ["--schema"], isImmutable))
  }

  /// Reads all rows of all tables of a store, without interpreting them.
  static func rows(of store: URL, isImmutable: Bool? = nil) throws -> StoreRows {
    try StoreRows(json: run(store, ["--raw"], isImmutable))
  }

  private static func run(_ store: URL, _ options: [String], _ isImmutable: Bool?) throws -> Data {
    let hasNoLog = !FileManager.default.fileExists(atPath: store.path + "-wal")
    return try Server.shared.get().answer([store.path] + options + (isImmutable ?? hasNoLog ? ["--immutable"] : []))
  }

  /// A process that answers all requests, because starting Python takes longer than reading most stores. It ends with
  /// the test process, which closes the pipe.
  private final class Server: @unchecked Sendable {
    static let shared = Result { try Server() }

    private let lock = NSLock()
    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()

    private init() throws {
      guard let python = Program.python else { throw CocoaError(.executableNotLoadable) }
      // Other processes that tests start must not keep this end open.
      _ = fcntl(requests.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
      process.executableURL = python
      process.arguments = ["-S", "-E", StoreReader.program.path, "--requests"]
      process.standardInput = requests
      process.standardOutput = answers
      try process.run()
    }

    /// Returns the output for the arguments of the program.
    func answer(_ arguments: [String]) throws -> Data {
      lock.lock()
      defer { lock.unlock() }
      guard process.isRunning else { throw Failure(description: "the reader has ended") }
      try requests.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(arguments) + Data("\n".utf8))
      let lengths = String(decoding: try next(24), as: UTF8.self)
      guard let length = Int(lengths.prefix(12)), let errorLength = Int(lengths.suffix(12)) else {
        throw Failure(description: "the reader answered \(lengths)")
      }
      let output = try next(length)
      let error = String(decoding: try next(errorLength), as: UTF8.self)
      guard error.isEmpty else { throw Failure(description: error.trimmingCharacters(in: .whitespacesAndNewlines)) }
      return output
    }

    /// Returns the next bytes of the answers.
    private func next(_ count: Int) throws -> Data {
      var data = Data()
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while data.count < count {
        let number = read(
          answers.fileHandleForReading.fileDescriptor, &buffer, min(buffer.count, count - data.count))
        if number < 0, errno == EINTR { continue }
        guard number > 0 else { throw Failure(description: "the reader has ended") }
        data.append(contentsOf: buffer[..<number])
      }
      return data
    }
  }
}
