// The compiler distinguishes the two forms of an update by their changes, only one of which may throw.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

public import FoundationEssentials
public import OrderedCollections
public import PropertyLists
internal import SystemFiles

/// The file of a single domain. Use it in tools that read or change the preferences of other programs.
///
/// There is no search list, and nothing is kept in memory: each call reads the file. Programs that use
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
  /// The path of the file; nil if the user has no home folder, and thus no file.
  public let path: String?
  /// The folder that is not created if it is missing.
  let base: String?

  /// Creates a value for the file of a user's domain.
  public init(_ domain: PersistentDomain, locations: PreferencesLocations = .standard) {
    path = locations.file(of: domain)
    base = locations.home
  }

  /// Creates a value for a file at any URL.
  ///
  /// - Parameter url: the URL of the file. Any other URL means that there is no file.
  public init(at url: URL) {
    path = url.isFileURL ? url.absoluteURL.path : nil
    base = nil
  }

  /// Returns the values in the file; nil if the file does not exist. If two keys are spellings that Swift treats as
  /// equal, the shorter one is returned.
  ///
  /// - Throws: ``PreferencesError/unreadable(path:setAside:_:)`` if the file is empty, is not a dictionary of
  ///   preferences, or may not be read. The file is not changed. ``PreferencesError/notRead(path:_:)`` if a link leads
  ///   to such a file, if the file belongs to another user and is not shared, or if the system refuses for any other
  ///   reason.
  /// - Complexity: O(*n*) in the size of the file. It takes up to half a second longer while another program writes the
  ///   file in place.
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

  /// Changes the values in the file. No other process can change them meanwhile. Returns when the changes are on the
  /// disk.
  ///
  /// The file keeps its format, as with ``UserPreferences``, and is not written if nothing changes. A file that cannot
  /// be read is set aside, and the handler of ``UserPreferences/handleErrors(_:)`` gets the error. If two keys are
  /// spellings that Swift treats as equal, `change` gets the shorter one; the other one is kept as long as the shorter
  /// one is.
  ///
  /// - Parameter change: called with the values of the file, which it changes. They are nil for a missing file. For a
  ///   file that cannot be read, they are the values that were last saved, or nil without a copy of these. If they are
  ///   nil after the call, the file is removed. The change is called again if a program that does not lock the file has
  ///   changed it meanwhile.
  /// - Returns: the result of the last call of `change`.
  /// - Throws: ``PreferencesError``. The file is unchanged then.
  @discardableResult
  public func update<Result>(
    _ change: (inout OrderedDictionary<String, PropertyList>?) -> Result
  ) throws(PreferencesError) -> Result {
    try DomainFile.apart(path, base: base).updateAll(patience: SaveSchedule.patience, change).get()
  }

  /// Changes the values like ``update(_:)-((OrderedDictionary<String,PropertyList>?)->Result)``, unless `change`
  /// throws.
  ///
  /// - Throws: the error of `change`, and ``PreferencesError``. The file is unchanged then.
  @discardableResult
  public func update<Result>(
    _ change: (inout OrderedDictionary<String, PropertyList>?) throws -> Result
  ) throws -> Result {
    try DomainFile.apart(path, base: base).updateAll(patience: SaveSchedule.patience, change).get()
  }
}
