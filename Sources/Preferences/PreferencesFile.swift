// The compiler distinguishes the two forms of an update by their `change` functions, only one of which may throw.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

public import FoundationEssentials
public import OrderedCollections
public import PropertyLists
internal import SystemFiles

/// The file of a single domain. Use it in tools that read or change the preferences of other programs.
///
/// Each call reads the file. Other domains are not searched, and no values are kept in memory. Programs that use
/// ``UserPreferences`` see the changes soon after, and lose none of the values that they set.
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
  /// The path of the file; nil if the user has no home folder, or if the URL is not a file URL.
  public let path: String?
  /// The user's home folder, which is not created if it is missing; nil if the file may be anywhere.
  let base: String?

  /// Creates a value that reads and changes the file of a user's domain.
  public init(_ domain: PersistentDomain, locations: PreferencesLocations = .standard) {
    path = locations.file(of: domain)
    base = locations.home
  }

  /// Creates a value that reads and changes a file at any URL.
  ///
  /// - Parameter url: a file URL. For any other URL, reading returns nil, and updating throws
  ///   ``PreferencesError/noFolder``.
  public init(at url: URL) {
    path = url.isFileURL ? url.absoluteURL.path : nil
    base = nil
  }

  /// Returns the values in the file; nil if the file does not exist. If two keys are canonically equivalent in Unicode,
  /// so that Swift treats them as equal, only the shorter one is returned.
  ///
  /// - Throws: ``PreferencesError/unreadable(path:setAside:_:)`` if the file is empty, is not a dictionary of
  ///   preferences, or may not be read by this process. If such a file is the target of a link, or belongs to another
  ///   user and is not shared, the error is ``PreferencesError/notRead(path:_:)`` instead. That is also the error if
  ///   the system cannot read the file for any other reason. The file is not changed.
  /// - Complexity: O(*n*) in the size of the file. Waits up to half a second if another program is writing the file in
  ///   place.
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

  /// Changes the values in the file while other processes cannot change them. Returns when the changes are on the disk.
  ///
  /// The file keeps its format, as with ``UserPreferences``, and is not written if nothing changes. A file that cannot
  /// be read is renamed, and the handler of ``UserPreferences/handleErrors(_:)`` gets the error. If two keys are
  /// canonically equivalent in Unicode, so that Swift treats them as equal, `change` gets only the shorter one. The
  /// longer one is kept unless `change` removes the shorter one.
  ///
  /// - Parameter change: a function that changes the values of the file. The values are nil if the file does not exist.
  ///   If the file cannot be read, they are the values that were last saved, or nil if there is no copy of those. If
  ///   `change` sets them to nil, the file is removed. If a program that does not lock the file changes it meanwhile,
  ///   `change` is called again.
  /// - Returns: the result of the last call of `change`.
  /// - Throws: ``PreferencesError``. The file is unchanged then, except if the disk fails after the file was replaced.
  @discardableResult
  public func update<Result>(
    _ change: (inout OrderedDictionary<String, PropertyList>?) -> Result
  ) throws(PreferencesError) -> Result {
    try DomainFile.apart(path, base: base).updateAll(patience: SaveSchedule.patience, change).get()
  }

  /// Changes the values, as ``update(_:)-((OrderedDictionary<String,PropertyList>?)->Result)`` does, with a function
  /// that can throw.
  ///
  /// - Throws: the error of `change`, or a ``PreferencesError``. The file is unchanged then, except if the disk fails
  ///   after the file was replaced.
  @discardableResult
  public func update<Result>(
    _ change: (inout OrderedDictionary<String, PropertyList>?) throws -> Result
  ) throws -> Result {
    try DomainFile.apart(path, base: base).updateAll(patience: SaveSchedule.patience, change).get()
  }
}
