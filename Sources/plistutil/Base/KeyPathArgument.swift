import ArgumentParser
import PropertyLists
import ToolSupport

/// Calls a function that converts an argument. Its `PropertyListError` becomes a `ValidationError`, which
/// ArgumentParser reports.
func validating<Result>(_ body: () throws(PropertyListError) -> Result) throws -> Result {
  do { return try body() } catch { throw ValidationError(error.description) }
}

extension PropertyListKeyPath {
  /// Parses a path on the command line: `items.0.name`, `/items/0/name` or `:items:0:name`.
  static func argument(_ text: String) throws -> PropertyListKeyPath {
    try validating { () throws(PropertyListError) in try PropertyListKeyPath(ProgramArguments.text(text)) }
  }

  /// Parses a path in the syntax of libplist's tool: `items/0/name`.
  static func slashedArgument(_ text: String) throws -> PropertyListKeyPath {
    try validating { () throws(PropertyListError) in
      try PropertyListKeyPath(ProgramArguments.text(text), syntax: .slashes)
    }
  }
}

/// The help texts about paths.
enum KeyPathHelp {
  static let argument = ArgumentHelp(
    "The path of the value, such as items.0.name; '' is the whole file.", valueName: "path")

  static let text = """
    A path is written as in plutil, items.0.name, as in libplist, /items/0/name, or as in PlistBuddy, :items:0:name. \
    If a key contains a separator, put a backslash before the separator, or put the key in double quotes. In an array, \
    -1 is the last element, -2 the one before it.
    """
}
