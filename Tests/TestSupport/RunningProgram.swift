internal import Foundation
internal import Synchronization

/// A program of this package that runs until it is terminated, and the lines that it prints. It is terminated when this
/// object is released.
public final class RunningProgram: Sendable {
  private let process = Process()
  private let output = Pipe()
  /// The lines of the output, without their line endings.
  private let lines: AsyncStream<String>

  public init(_ name: String, _ arguments: [String]) throws {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    let unfinished = Mutex(Data())
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        continuation.finish()
      }
      unfinished.withLock { unfinished in
        unfinished.append(data)
        while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: unfinished[..<end], as: UTF8.self))
          unfinished = Data(unfinished[(end + 1)...])
        }
      }
    }
    process.executableURL = Program.executable(name)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  /// Returns the next lines. Returns fewer if they do not arrive within ``hangLimit``.
  public func next(_ count: Int) async -> [String] {
    let collecting = Task { [lines] in
      var collected: [String] = []
      var iterator = lines.makeAsyncIterator()
      while collected.count < count, let line = await iterator.next(isolation: nil) { collected.append(line) }
      return collected
    }
    let timeout = Task {
      try await Task.sleep(for: .seconds(hangLimit))
      collecting.cancel()
    }
    defer { timeout.cancel() }
    return await collecting.value
  }
}
