package import ArgumentParser
package import PropertyLists
internal import SystemFiles

/// The arguments of the process. An argument that is the name of a file may have bytes that are not UTF-8. In other
/// arguments, such bytes are an error.
package enum ProgramArguments {
  /// Returns all arguments, beginning with the name of the program. Must be called once, before any path is used.
  package static func take() -> [String] {
    FileSystem.keepBytesOfPaths()
    return (0..<Int(CommandLine.argc)).compactMap { index in
      // Memory-safe: the system passes `argc` strings, each of which ends with a NUL.
      unsafe CommandLine.unsafeArgv[index].flatMap { unsafe FileSystem.text(ofCString: $0) }
    }
  }

  /// Returns an argument that becomes part of a property list. Throws if it is not UTF-8.
  package static func text(_ argument: String) throws(PropertyListError) -> String {
    guard FileSystem.hasStandIns(argument) else { return argument }
    throw PropertyListError(.malformed, "\"\(FileSystem.showingBytes(argument).printable(limit: 200))\" is not UTF-8")
  }
}

// Arguments and options whose values are file names.

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
  /// Returns the name of a file. Throws if it is empty, which usually means that a variable of a script is not set.
  package static func argument(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("the name of a file is missing.") }
    return text
  }
}
