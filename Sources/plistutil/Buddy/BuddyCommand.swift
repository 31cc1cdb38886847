import PropertyLists

/// A parsed command of PlistBuddy.
enum BuddyCommand {
  case help
  case exit
  case save
  case revert
  /// Prints the value of an entry; nil means the working container, which is the root until the `CD` command.
  case print(BuddyEntry?)
  case changeContainer(BuddyEntry)
  case edit(Edit)

  /// A command that changes the property list.
  enum Edit {
    case clear(PropertyList.Kind)
    case set(BuddyEntry, String)
    case add(BuddyEntry, PropertyList.Kind, String?)
    case copy(BuddyEntry, to: BuddyEntry)
    case delete(BuddyEntry)
    /// Merges a file into the value of an entry; nil means the working container.
    case merge(file: String, into: BuddyEntry?, isRecursive: Bool)
    case importFile(String, to: BuddyEntry)
  }

  /// Parses a command. Words after its last argument are ignored.
  init(_ text: String) throws(BuddyError) {
    var words = BuddyWords(text)
    switch words.name().lowercased() {
    case "help", "?": self = .help
    case "exit", "quit", "bye": self = .exit
    case "save": self = .save
    case "revert": self = .revert
    case "print", "ls": self = .print(try words.word().map { BuddyEntry($0) })
    case "cd": self = .changeContainer(try words.entry(for: "CD"))
    case "clear": self = .edit(.clear(try words.word().map(BuddyValue.kind) ?? .dictionary))
    case "set", "=":
      let entry = try words.entry(for: "Set")
      guard let value = try words.rest() else { throw .notUnderstood("Value Required for Set Command") }
      self = .edit(.set(entry, value))
    case "add", "+":
      let entry = try words.entry(for: "Add")
      guard let type = try words.word() else { throw .notUnderstood("Type Required for Add Command") }
      self = .edit(.add(entry, try BuddyValue.kind(type), try words.rest()))
    case "copy", "cp":
      let source = try words.entry(for: "Copy")
      guard let copy = try words.word() else { throw .notUnderstood("Two Entries Required for Copy Command") }
      self = .edit(.copy(source, to: BuddyEntry(copy)))
    case "delete", "remove", "rm", "-": self = .edit(.delete(try words.entry(for: "Delete")))
    case "merge":
      var file = try words.file(for: "Merge")
      let isRecursive = file.lowercased() == "-r"
      if isRecursive { file = try words.file(for: "Merge") }
      self = .edit(.merge(file: file, into: try words.word().map { BuddyEntry($0) }, isRecursive: isRecursive))
    case "import":
      let entry = try words.entry(for: "Import")
      self = .edit(.importFile(try words.file(for: "Import"), to: entry))
    default: throw .notUnderstood("Unrecognized Command")
    }
  }
}

extension BuddyWords {
  fileprivate mutating func entry(for command: String) throws(BuddyError) -> BuddyEntry {
    guard let word = try word() else { throw .notUnderstood("Entry Required for \(command) Command") }
    return BuddyEntry(word)
  }

  fileprivate mutating func file(for command: String) throws(BuddyError) -> String {
    guard let word = try word() else { throw .notUnderstood("File required for \(command) Command") }
    return word.text
  }
}
