internal import PropertyLists
internal import Synchronization
internal import SystemFiles

/// The data that all ``UserPreferences`` with the same locations share, in addition to files: registered values, and
/// domains that are never saved.
final class PreferencesContext: Sendable {
  let registration = DomainTable()
  let volatile = Mutex<[String: [String: PropertyList]]>([:])
  private let locations: PreferencesLocations

  /// The values of domains that are never saved; empty in a child of `fork`, where the lock may be held by a thread
  /// that exists only in the parent.
  var volatileDomains: [String: [String: PropertyList]] { ForkedChild.isThisProcess ? [:] : volatile.withLock { $0 } }

  private static let contexts = SharedObjects<PreferencesLocations, PreferencesContext>()
  /// The context for the standard locations, which is kept even if no instance uses it.
  private static let standard = PreferencesContext(.standard)

  static func at(_ locations: PreferencesLocations) -> PreferencesContext {
    locations == .standard ? standard : contexts.object(for: locations) { PreferencesContext(locations) }
  }

  /// Returns a new context for preferences that are only in memory.
  static func inMemory() -> PreferencesContext { PreferencesContext(.inMemory, isInMemory: true) }

  /// True if values count as saved as soon as they are set.
  private let isInMemory: Bool

  private init(_ locations: PreferencesLocations, isInMemory: Bool = false) {
    self.locations = locations
    self.isInMemory = isInMemory
  }

  /// The domains of a user without a folder for files. Their values are only in memory.
  private let filesWithoutFolder = Mutex<[PersistentDomain: DomainFile]>([:])

  func file(of domain: PersistentDomain) -> DomainFile {
    if let path = locations.file(of: domain) { return DomainFile.at(path, base: locations.home) }
    if ForkedChild.isThisProcess { return DomainFile.apart(nil, base: nil) }
    return filesWithoutFolder.withLock { files in
      if let file = files[domain] { return file }
      let file = isInMemory ? DomainFile.inMemory() : DomainFile.at(nil, base: nil)
      files[domain] = file
      return file
    }
  }
}
