import Dispatch
import Preferences
import PropertyLists
import Synchronization
import ToolSupport

enum DefaultsWatch: DefaultsVerb {
  static let name = "watch"

  static let syntax = DefaultsSyntax(
    arguments: "[DOMAIN [KEY]]", abstract: "Print changes as they happen, until the process is ended.",
    details: """
      Each change is printed as a line: the command that makes it. With --json, it is
      an object with domain, key, old and new. Without DOMAIN, all domains are
      watched; a new domain is found within a second.
      """,
    examples: ["watch com.example.notes", "watch --json"], operands: 0...2)

  static func run(_ call: DefaultsCall) throws {
    let printer = ChangePrinter(location: call.location, isForMachines: call.isForMachines)
    if let domain = call.domain {
      printer.watch(domain, key: call.operands.first)
      note("watching \(domain.argument.printable()); press Control-C to end")
      return try printer.wait()
    }
    var known: Set<String> = []
    var isFirst = true
    // New domains are found by polling: the Preferences library watches the files of known domains, and does not report
    // other files that appear in their folder.
    while true {
      for domain in call.location.domains where known.insert(domain.argument).inserted {
        printer.watch(domain, key: nil, isNew: !isFirst)
      }
      if isFirst { note("watching all domains; press Control-C to end") }
      isFirst = false
      try printer.wait(seconds: 1)
    }
  }
}

/// Prints the changes of any number of domains. Each domain has a task that reports its changes.
private final class ChangePrinter: Sendable {
  private let location: DefaultsLocation
  private let isForMachines: Bool
  /// Signalled when output fails.
  private let end = DispatchSemaphore(value: 0)
  private let failure = Mutex<DefaultsError?>(nil)
  private let printing = Mutex(())

  init(location: DefaultsLocation, isForMachines: Bool) {
    self.location = location
    self.isForMachines = isForMachines
  }

  /// Waits until output fails, or for a number of seconds. Throws the error that ended the output.
  func wait(seconds: Double? = nil) throws(DefaultsError) {
    let deadline = seconds.map { DispatchTime.now() + $0 } ?? .distantFuture
    guard end.wait(timeout: deadline) == .success else { return }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// Prints the changes of a domain from now on.
  ///
  /// - Parameter isNew: true to print the existing values of the domain as changes.
  func watch(_ domain: DefaultsDomain, key: String?, isNew: Bool = false) {
    // Observes the domain from now on, even if the task starts later.
    let changes = domain.file.changes(forKey: key)
    let values = isNew ? (try? domain.file.values()) ?? [:] : [:]
    for (key, value) in values { print(domain, key, nil, value) }
    Task.detached {
      for await change in changes { self.print(domain, change.key, change.oldValue, change.newValue) }
    }
  }

  private func print(_ domain: DefaultsDomain, _ key: String, _ old: PropertyList?, _ new: PropertyList?) {
    printing.withLock { _ in
      do {
        if isForMachines {
          try DefaultsOutput.writeLine(fields(domain, key, old, new))
        } else {
          try output(DefaultsShell.call(domain.argument, key, new, options: location.hostOptions))
        }
      } catch {
        failure.withLock { $0 = DefaultsError(error) }
        end.signal()
      }
    }
  }

  private func fields(
    _ domain: DefaultsDomain, _ key: String, _ old: PropertyList?, _ new: PropertyList?
  ) -> PropertyList {
    var fields: PropertyList = ["domain": .string(domain.argument), "key": .string(key)]
    if let old { fields.dictionary?["old"] = old }
    if let new { fields.dictionary?["new"] = new }
    return fields
  }
}
