import ArgumentParser
import PropertyLists

extension PropertyListKeyPath {
  /// A path on the command line: `items.0.name`, `/items/0/name` or `:items:0:name`.
  static func argument(_ text: String) throws -> PropertyListKeyPath {
    do throws(PropertyListError) {
      return try PropertyListKeyPath(text)
    } catch {
      throw ValidationError(error.description)
    }
  }
}
