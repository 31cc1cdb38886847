import ArgumentParser
import KeyedArchiving
import PropertyLists
import Synchronization
import ToolSupport

struct ArchiveClasses: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classes",
    abstract: "Print the classes of an archive, and the number of objects of each.",
    discussion: """
      The name is followed by the superclasses, and by the classes that a reader may use instead. With --swift, the \
      types are printed that a program must name to decode all objects, as a list for KeyedUnarchiver's \
      additionalTypes; for several files, the types of all of them.

      Examples:
        plistutil archive classes Session.data
        plistutil archive classes --swift -r Sessions/
        plistutil archive classes --unwrap Preferences.plist
      """)

  @OptionGroup var files: FileArguments

  @Flag(help: "Print the Swift types that a program must name to decode the archive.")
  var swift = false

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each file.")
  var isForMachines = false

  @OptionGroup var unwrap: UnwrapArgument
  @OptionGroup var reading: ArchiveArguments

  func validate() throws {
    if swift, isForMachines { throw ValidationError("--swift and --json cannot be combined.") }
  }

  func run() throws {
    let found = ClassNames()
    // If a file has an error, the error is reported, and the list has the classes of the other files.
    let outcome = Result {
      try files.process(isForMachines: isForMachines) { [self] input, report throws(PropertyListError) in
        let classes = try reading.look(at: input, unwrap, &report) { archive throws(KeyedArchiveError) in
          try archive.classes
        }
        if swift { return found.add(classes) }
        if isForMachines { return try report.machineLine(["classes": .array(classes.map(\.fields))]) }
        let width = classes.map { String($0.instanceCount).count }.max() ?? 0
        try report.write(report.heading + classes.map { $0.line(width: width) + "\n" }.joined())
      }
    }
    if swift { try telling(about: "standard output") { () throws(PropertyListError) in try output(found.swiftText) } }
    try outcome.get()
  }
}

extension KeyedArchive.CountedClass {
  /// Returns a line such as `12 Person: NSObject`.
  fileprivate func line(width: Int) -> String {
    let count = String(instanceCount)
    var line = String(repeating: " ", count: width - count.count) + count + " " + description.name.printable()
    let ancestors = description.classes.drop { $0 == description.name }
    if !ancestors.isEmpty { line += ": " + ancestors.map { $0.printable() }.joined(separator: ", ") }
    if !description.hints.isEmpty {
      line += " (or \(description.hints.map { $0.printable() }.joined(separator: ", ")))"
    }
    return line
  }

  fileprivate var fields: PropertyList {
    var fields: PropertyList = [
      "name": .string(description.name), "count": .integer(.init(instanceCount)),
      "uid": .integer(.init(Int(description.uid.value))),
      "classes": .array(description.classes.map { .string($0) }),
    ]
    if !description.hints.isEmpty { fields.dictionary?["hints"] = .array(description.hints.map { .string($0) }) }
    if let name = description.swiftTypeName { fields.dictionary?["swift"] = .string(name) }
    return fields
  }
}

/// The Swift names of all classes that have objects in the archives.
private final class ClassNames: Sendable {
  private struct Names {
    var types: Set<String> = []
    /// The names that cannot be names of Swift types.
    var others: Set<String> = []
  }

  private let names = Mutex(Names())

  func add(_ classes: [KeyedArchive.CountedClass]) {
    names.withLock { names in
      for found in classes where found.instanceCount > 0 {
        if let name = found.description.swiftTypeName {
          names.types.insert(name)
        } else {
          names.others.insert(found.description.name)
        }
      }
    }
  }

  /// The list of types, `[A.self, B.self]`, with one type per line.
  var swiftText: String {
    names.withLock { names in
      let types = names.types.sorted().map { "  \($0).self,\n" }
      let others = names.others.sorted().map { "  // not a Swift type: \($0.printable())\n" }
      return types.isEmpty && others.isEmpty ? "[]" : "[\n" + (types + others).joined() + "]"
    }
  }
}
