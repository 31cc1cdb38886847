import FoundationEssentials
import OrderedCollections
import Preferences
import PropertyListTools
import PropertyLists
import SystemFiles

/// Files that are named by their paths. They are edited as the verb `set` does it, so that comments and layout stay of
/// what people have written, and any format does; the files of domains by name are left to the library.
extension DefaultsDomain {
  typealias Values = OrderedDictionary<String, PropertyList>

  /// As files of preferences are read: a dictionary that looks like a UID is one, and of a key that stands twice the
  /// last value counts.
  private static let reading = PropertyListReadingOptions(
    recognizesUIDDictionaries: false, duplicateKeys: .keepLast, restoresCoercedValues: true)
  private static let writing = PropertyListWritingOptions(
    depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse, writesUIDDictionaries: false, coercion: .reversible)

  /// What the file holds; nil if there is none. JSON, which is no format of preferences, is read if it is named by its
  /// path.
  func values() throws -> Values? {
    do { return try file.values() } catch {
      guard case .unreadable = error, let path = filePath, let document = Self.document(path),
        document.format == .json, let values = try PropertyList(document.root).dictionary
      else { throw error }
      return values
    }
  }

  /// Changes the values of the file, while no other process that saves preferences or edits the file with this tool can
  /// change them. Returns when they are on the disk.
  ///
  /// - Parameter change: is given the values, nil if there is no file or it cannot be read, and makes of them what the
  ///   file is to hold; nil for no file. It may be called again.
  func update(_ change: (inout Values?) throws -> Void) throws {
    guard let path = filePath else { return try file.update(change) }
    for attempt in 1...EditedFile.greatestAttempt {
      switch try edit(path, change) {
      case .isDone: return
      case .isUnreadable: return try file.update(change)
      case .isOutdated: EditedFile.wait(afterAttempt: attempt)
      }
    }
    throw PreferencesError.changedMeanwhile(path: path)
  }

  /// What came of an attempt to edit a text.
  private enum Outcome {
    case isDone
    /// There is no file, or none that can be read, which is set aside.
    case isUnreadable
    /// Another program changed it.
    case isOutdated
  }

  private func edit(_ path: String, _ change: (inout Values?) throws -> Void) throws -> Outcome {
    let edited = try DefaultsError.about(name) { () throws(PropertyListError) in try EditedFile(path) {} }
    guard let edited, let document = Self.document(path),
      var values = try? PropertyList(document.root).dictionary.map({ Optional($0) })
    else { return .isUnreadable }
    let old = values
    try change(&values)
    if values == old { return .isDone }
    return try DefaultsError.about(name) { () throws(PropertyListError) in
      let data = try values.map { values throws(PropertyListError) in
        try document.data(updatedTo: .dictionary(values), options: Self.writing)
      }
      return try PropertyListError.converting { () throws(FileError) in
        guard let data else { return try edited.remove() ? .isDone : .isOutdated }
        let replacement = try Replacement(of: path)
        try replacement.output.write(data)
        return try replacement.commit(insteadOf: edited.original) ? .isDone : .isOutdated
      }
    }
  }

  /// The dictionary in a file; nil if there is none that can be read.
  private static func document(_ path: String) -> PropertyListDocument? {
    guard FileSystem.sizeOfRegularFile(path) != nil, let data = try? Input(path).data(),
      let document = try? PropertyListDocument(data, options: reading), (try? document.validate()) != nil,
      document.root.kind == .dictionary
    else { return nil }
    return document
  }
}
