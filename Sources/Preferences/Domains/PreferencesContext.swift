internal import PropertyLists
internal import Synchronization

/// What all stores with the same locations share beside files: registered values, and domains that are never saved.
final class PreferencesContext: Sendable {
  let registration = DomainTable()
  let volatile = Mutex<[String: [String: PropertyList]]>([:])
  private let locations: PreferencesLocations

  private static let contexts = Mutex<[PreferencesLocations: WeakContext]>([:])
  /// The context of the process itself, which is kept even while nobody has a store.
  private static let standard = PreferencesContext(.standard)

  private struct WeakContext: Sendable {
    weak var context: PreferencesContext?
  }

  static func at(_ locations: PreferencesLocations) -> PreferencesContext {
    if locations == .standard { return standard }
    return contexts.withLock { contexts in
      if let context = contexts[locations]?.context { return context }
      if contexts.count.nonzeroBitCount == 1 { contexts = contexts.filter { $0.value.context != nil } }
      let context = PreferencesContext(locations)
      contexts[locations] = WeakContext(context: context)
      return context
    }
  }

  private init(_ locations: PreferencesLocations) { self.locations = locations }

  /// The files of users without a folder, which are values in memory only.
  private let filesWithoutFolder = Mutex<[PersistentDomain: DomainFile]>([:])

  func file(of domain: PersistentDomain) -> DomainFile {
    if let path = locations.file(of: domain) { return DomainFile.at(path, base: locations.home) }
    return filesWithoutFolder.withLock { files in
      if let file = files[domain] { return file }
      let file = DomainFile.at(nil, base: nil)
      files[domain] = file
      return file
    }
  }
}
