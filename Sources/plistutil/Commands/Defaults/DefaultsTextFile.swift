import FoundationEssentials
import OrderedCollections
import Preferences
import PropertyListTools
import PropertyLists
import SystemFiles

/// Text files that are named by their paths. What people have written is edited as the verb `set` does it, so that
/// comments and layout stay; files of preferences are written whole.
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
    do throws(PreferencesError) {
      return try file.values()
    } catch {
      guard case .unreadable = error, let path = filePath, let document = Self.textDocument(path),
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
    guard let path = filePath, Self.textDocument(path) != nil else { return try file.update(change) }
    for attempt in 1...EditedFile.greatestAttempt {
      switch try edit(path, change) {
      case .isDone: return
      case .isNoText: return try file.update(change)
      case .isOutdated: EditedFile.wait(afterAttempt: attempt)
      }
    }
    throw PreferencesError.changedMeanwhile(path: path)
  }

  /// What came of an attempt to edit a text.
  private enum Outcome {
    case isDone
    /// It is no text that can be read.
    case isNoText
    /// Another program changed it.
    case isOutdated
  }

  private func edit(_ path: String, _ change: (inout Values?) throws -> Void) throws -> Outcome {
    let edited = try DefaultsError.about(name) { () throws(PropertyListError) in try EditedFile(path) {} }
    guard let edited, let document = Self.textDocument(path),
      var values = try? PropertyList(document.root).dictionary.map({ Optional($0) })
    else { return .isNoText }
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
        return try replacement.takePlace(insteadOf: edited.original) ? .isDone : .isOutdated
      }
    }
  }

  /// The text in a file; nil if there is none that can be read.
  private static func textDocument(_ path: String) -> PropertyListDocument? {
    guard FileSystem.sizeOfRegularFile(path) != nil, let data = try? Input(path).data(),
      let format = PropertyListFormat(detecting: data.bytes), format != .binary,
      let document = try? PropertyListDocument(data, format: format, options: reading),
      document.root.kind == .dictionary
    else { return nil }
    return document
  }
}
