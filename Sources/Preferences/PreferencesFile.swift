// The two forms of an update differ in whether the change may throw, which is what tells them apart.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

public import FoundationEssentials
public import OrderedCollections
public import PropertyLists
internal import SystemFiles

/// The file of one domain by itself: for tools that look at the preferences of other programs and change them.
///
/// There is no search list, and nothing is kept in memory: each call looks at the file as it is then. Programs that use
/// ``UserPreferences`` see the changes soon after, and lose none of their own.
///
/// ```swift
/// let file = PreferencesFile(PersistentDomain(DomainName("com.example.notes")))
/// try file.update { values in
///   // There may be no file yet.
///   values = values ?? [:]
///   values?["fontSize"] = 14
/// }
/// ```
public struct PreferencesFile: Sendable {
  /// Where the file is; nil if the user has no home folder, and so no file.
  public let path: String?
  /// The folder that is not made if it is missing.
  let base: String?

  /// The file of a domain of the user.
  public init(_ domain: PersistentDomain, locations: PreferencesLocations = .standard) {
    path = locations.file(of: domain)
    base = locations.home
  }

  /// A file that need not be a domain's.
  ///
  /// - Parameter url: a URL that is no file's stands for no file.
  public init(at url: URL) {
    path = url.isFileURL ? url.absoluteURL.path : nil
    base = nil
  }

  /// What the file holds; nil if there is none. Of two spellings of a key that Swift holds equal, the shorter is there.
  ///
  /// - Throws: ``PreferencesError/unreadable(path:setAside:_:)`` for a file that is no dictionary of preferences, has
  ///   no byte, or may not be read; nothing is done to it. ``PreferencesError/notRead(path:_:)`` for a link to such a
  ///   file, for another user's file that is not shared, and for anything else that the system refuses.
  /// - Complexity: O(*n*) in the size of the file. Half a second more if somebody is writing to it in place.
  public func values() throws(PreferencesError) -> OrderedDictionary<String, PropertyList>? {
    guard let path else { return nil }
    do {
      let file = try FileContents.read(path, until: .now + .milliseconds(500))
      return try file?.parsed?.get().entries.values.byName
    } catch {
      guard error.isAboutFile else { throw .notRead(path: path, error) }
      throw DomainFile.unreadableError(
        path, error, try? FileIdentity(at: path), suffix: DomainFile.suffixOfUnreadable())
    }
  }

  /// Changes values of the file while no other process can change them. Returns when they are on the disk.
  ///
  /// The file keeps its format as ``UserPreferences`` has it, and is not touched if nothing is changed. One that cannot
  /// be read is set aside, and told to the handler of ``UserPreferences/handleErrors(_:)``. Of two spellings of a key
  /// that Swift holds equal, `change` is given the shorter, and the other stays as long as that one.
  ///
  /// - Parameter change: called with the values of the file, which it changes. They are nil for a missing file; for a
  ///   file that cannot be read, they are the values that were last saved, or nil without a copy of these. If they are
  ///   nil after the call, the file is removed. The change is called again if a program that does not lock the file
  ///   changed it meanwhile.
  /// - Returns: what `change` returned the last time.
  /// - Throws: ``PreferencesError``; the file is as it was then.
  @discardableResult
  public func update<Result>(
    _ change: (inout OrderedDictionary<String, PropertyList>?) -> Result
  ) throws(PreferencesError) -> Result {
    try DomainFile.apart(path, base: base).updateAll(patience: SaveSchedule.patience, change).get()
  }

  /// Changes the values as ``update(_:)-((OrderedDictionary<String,PropertyList>?)->Result)`` does, unless `change`
  /// throws.
  ///
  /// - Throws: what `change` throws, and ``PreferencesError``; the file is as it was then.
  @discardableResult
  public func update<Result>(
    _ change: (inout OrderedDictionary<String, PropertyList>?) throws -> Result
  ) throws -> Result {
    try DomainFile.apart(path, base: base).updateAll(patience: SaveSchedule.patience, change).get()
  }
}
