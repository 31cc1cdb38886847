package import ArgumentParser
package import PropertyLists
internal import SystemFiles

/// What the tool was called with. Bytes that are not UTF-8 are kept for the names of files, and refused elsewhere.
package enum ProgramArguments {
  /// All of them, that of the tool first. To be called once, before anything else deals with paths.
  package static func take() -> [String] {
    FileSystem.keepBytesOfPaths()
    return (0..<Int(CommandLine.argc)).compactMap { index in
      // Sound: the system passes as many strings as it says, each of which ends with a NUL.
      unsafe CommandLine.unsafeArgv[index].flatMap { unsafe FileSystem.text(ofCString: $0) }
    }
  }

  /// The text, which is to become part of a property list. Throws an error if it is not UTF-8.
  package static func text(_ argument: String) throws(PropertyListError) -> String {
    guard FileSystem.hasStandIns(argument) else { return argument }
    throw PropertyListError(.malformed, "\"\(FileSystem.showingBytes(argument).printable(limit: 200))\" is not UTF-8")
  }
}

// Arguments and options that are names of files.

extension Argument where Value == String {
  package init(file help: String, _ valueName: String) {
    self.init(help: ArgumentHelp(help, valueName: valueName), completion: .file(), transform: FileName.argument)
  }
}

extension Argument where Value == [String] {
  package init(files help: String, _ valueName: String) {
    self.init(help: ArgumentHelp(help, valueName: valueName), completion: .file(), transform: FileName.argument)
  }
}

extension Option {
  package init(file help: String, _ valueName: String, name: NameSpecification = .long) where Value == String {
    let help = ArgumentHelp(help, valueName: valueName)
    self.init(name: name, help: help, completion: .file(), transform: FileName.argument)
  }

  package init(file help: String, _ valueName: String, name: NameSpecification = .long) where Value == String? {
    let help = ArgumentHelp(help, valueName: valueName)
    self.init(name: name, help: help, completion: .file(), transform: FileName.argument)
  }
}

/// The name of a file as an argument.
package enum FileName {
  /// An empty name is a variable of a script that is not set, and no file.
  package static func argument(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("the name of a file is missing.") }
    return text
  }
}
