internal import ArgumentParser

/// The name of a file as an argument.
package enum FileName {
  /// An empty name is a variable of a script that is not set, and no file.
  package static func argument(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError("the name of a file is missing.") }
    return text
  }
}
