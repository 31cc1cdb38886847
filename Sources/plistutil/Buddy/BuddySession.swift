import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// A run of PlistBuddy: its file, and the changes that commands have made.
struct BuddySession {
  private let file: BuddyFile
  private let printsXML: Bool
  private var plist: BuddyPlist
  /// The contents of the file when it was last read or saved; nil if it did not exist.
  private var savedBytes: Data?
  /// The changes since the file was read or saved.
  private var steps: [Step] = []
  private(set) var hasFailed = false
  /// True after a command that ends the session.
  private(set) var isOver = false

  /// A change that a command has made, and what is needed to repeat it.
  private struct Step {
    let edit: BuddyCommand.Edit
    let container: PropertyListKeyPath
    /// The content of the file that the command names. It is kept, because a pipe can be read only once.
    var bytes: Data?
  }

  init(_ file: BuddyFile, printsXML: Bool) throws(BuddyError) {
    self.file = file
    self.printsXML = printsXML
    (plist, savedBytes) = try Self.read(file)
  }

  private static func read(_ file: BuddyFile) throws(BuddyError) -> (BuddyPlist, Data?) {
    if let (bytes, document) = try file.read() { return (BuddyPlist(bytes, document), bytes) }
    do { return (try BuddyPlist(), nil) } catch { throw BuddyError(error.line(about: Buddy.programName)) }
  }

  /// Runs a command. A failure is reported, and does not keep further commands from running.
  mutating func run(_ command: BuddyCommand) {
    do { try perform(command) } catch { fail(error) }
  }

  mutating func fail(_ error: BuddyError) {
    hasFailed = true
    error.tell()
  }

  private mutating func perform(_ command: BuddyCommand) throws(BuddyError) {
    plist.beginCommand()
    switch command {
    case .help: try print(Buddy.help)
    case .exit: isOver = true
    case .save:
      try print("Saving...")
      try save()
    case .revert:
      try print("Reverting to last saved state...")
      (plist, savedBytes) = try Self.read(file)
      steps = []
    case .print(let entry): try printValue(entry)
    case .changeContainer(let entry): try changeContainer(entry)
    case .edit(let edit):
      var step = Step(edit: edit, container: plist.container)
      let lines = try plist.perform(edit) { path throws(PropertyListError) in
        let bytes = try Input(file: path).data()
        step.bytes = bytes
        return bytes
      }
      steps.append(step)
      for line in lines { try print(line.onStandardOutput) }
    }
  }

  private func print(_ text: String) throws(BuddyError) { try print(Data((text + "\n").utf8)) }

  private func print(_ bytes: Data) throws(BuddyError) {
    do { try output(bytes) } catch { throw BuddyError(error.line(about: "Print")) }
  }

  private func printValue(_ entry: BuddyEntry?) throws(BuddyError) {
    let target: BuddyTarget?
    let bytes: Data?
    do {
      target = if let entry { try plist.value(at: entry) } else { try plist.start(of: nil) }
      bytes = if let target { try description(of: target.value) } else { nil }
    } catch {
      throw BuddyError(error.line(about: "Print"))
    }
    guard let bytes else { throw BuddyPlist.missing(entry?.text ?? "", for: "Print") }
    try print(FileSystem.isTerminal(1) ? Data(String(decoding: bytes, as: UTF8.self).withoutCommands.utf8) : bytes)
  }

  private func description(of value: PropertyList) throws(PropertyListError) -> Data {
    guard printsXML else { return BuddyDescription.bytes(of: value) }
    return try BuddyPlist.cutting { cuts throws(PropertyListError) in
      try value.data(
        format: .xml,
        options: PropertyListWritingOptions(
          depth: ParsingLimits.greatestDepth, fractionalSeconds: cuts ? .drop : .refuse))
    }
  }

  private mutating func changeContainer(_ entry: BuddyEntry) throws(BuddyError) {
    let target: BuddyTarget?
    do { target = try plist.value(at: entry) } catch { throw BuddyError(error.line(about: "CD")) }
    guard let target else { throw BuddyPlist.missing(entry.text, for: "CD") }
    guard target.kind.isContainer else { throw BuddyError("CD: Entry, \"\(entry.text)\", Is Not A Container") }
    plist.change(container: target.path)
  }

  /// Returns true if there are changes that have not been saved.
  mutating func hasUnsavedChanges() -> Bool { !steps.isEmpty && (try? plist.currentBytes()) != savedBytes }

  /// Saves the changes at the end of a call.
  mutating func saveAtEnd() {
    guard hasUnsavedChanges() else { return }
    do { try save() } catch { fail(error) }
  }

  /// Saves the changes, unless the file has this content already.
  private mutating func save() throws(BuddyError) {
    var attempt = 1
    var bytes = try currentBytes()
    while bytes != savedBytes, try !file.save(bytes, over: savedBytes) {
      guard attempt < Self.greatestAttempt else { throw file.unwritable("other programs keep changing the file") }
      attempt += 1
      try repeatSteps()
      bytes = try currentBytes()
    }
    savedBytes = bytes
    steps = []
  }

  private mutating func currentBytes() throws(BuddyError) -> Data {
    do { return try plist.currentBytes() } catch { throw file.unwritable(error.line(about: "Save")) }
  }

  /// The maximum number of attempts to save a file that other programs keep changing. It is sufficient if a thousand
  /// processes change the file at the same time.
  private static let greatestAttempt = 1000

  /// Replays this session's changes on the file that another program has written, so that both sets of changes are
  /// kept.
  private mutating func repeatSteps() throws(BuddyError) {
    let container = plist.container
    var (new, bytes) = try Self.read(file)
    for step in steps {
      new.change(container: step.container)
      do { _ = try new.perform(step.edit) { _ in step.bytes ?? Data() } } catch {
        throw file.unwritable(
          "another program has changed the file, and a command fails on the new contents: \(error.message)")
      }
    }
    new.change(container: container)
    if (try? new.start(of: nil)) == nil { new.change(container: PropertyListKeyPath()) }
    (plist, savedBytes) = (new, bytes)
  }
}
