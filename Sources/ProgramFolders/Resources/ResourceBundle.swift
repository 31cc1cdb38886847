public import FoundationEssentials
public import PropertyLists
internal import SystemFiles

/// A folder with resources: those of a program, of a module, or of an Apple bundle.
///
/// ```swift
/// let bundle = try ResourceBundle.module("Notes", package: "notes")
/// let welcome = try bundle.url(forResource: "Welcome", withExtension: "txt")
/// let title = try bundle.localizedString(forKey: "title")
/// let version = bundle.infoDictionary["CFBundleShortVersionString"]?.string
/// ```
///
/// It finds resources in the bundle itself and in its folders for languages, such as `de.lproj`. The order is:
///
/// 1. the resources without a language;
/// 2. those of the preferred languages, each from the most specific to the least: `en-GB.lproj`, `en.lproj`;
/// 3. `Base.lproj`;
/// 4. those of the ``developmentLocalization``.
///
/// A value describes the bundle as it was when it was opened: its ``infoDictionary`` and its ``localizations``. Other
/// files are looked up each time.
public struct ResourceBundle: Sendable {
  /// The folder of the bundle.
  public let bundleURL: URL
  /// The folder with the resources: `Contents/Resources` for an application of macOS, or the bundle itself.
  public let resourceURL: URL
  /// The contents of `Info.plist`; an empty dictionary if the bundle has no such file.
  public let infoDictionary: PropertyList
  /// The names of the localizations, without `.lproj` and without `Base`, sorted.
  public let localizations: [String]
  /// The languages of the user, the preferred one first, as identifiers (`en-GB`) or names of locales (`en_GB.UTF-8`).
  /// You can change them, for example to the language of a request that a server handles.
  public var languages: [String] { didSet { preferredLocalizations = localizationsToSearch() } }
  /// The localizations that are searched, in this order.
  ///
  /// ```swift
  /// print(bundle.preferredLocalizations)   // ["en-GB", "en"]
  /// ```
  public private(set) var preferredLocalizations: [String] = []
  /// True if the bundle has the folder `Base.lproj`.
  private let hasBase: Bool

  /// The languages of this process, the preferred one first: those of the variables `LANGUAGE`, `LC_ALL`,
  /// `LC_MESSAGES` and `LANG`, as for GNU gettext, and on Apple's systems those of the settings. Empty for the locales
  /// `C` and `POSIX`.
  public static var preferredLanguages: [String] { PreferredLanguages.current }

  private static let localizationSuffix = ".lproj"
  private static let base = "Base"

  /// Opens a bundle: `X.app`, `X.bundle` or `X.framework` in the form of macOS or iOS, `X.resources` of Swift Package
  /// Manager, or any other folder.
  ///
  /// ```swift
  /// var bundle = try ResourceBundle(url: URL(filePath: "/opt/Notes.app"))
  /// bundle.languages = ["de-AT"]
  /// print(bundle.preferredLocalizations)   // ["de", "Base", "en"]
  /// ```
  ///
  /// - Parameters:
  ///   - url: The folder.
  ///   - languages: The languages of the user; nil for ``preferredLanguages``.
  /// - Throws: ``ProgramFoldersError/notFound(_:searched:)`` if the folder does not exist,
  ///   ``ProgramFoldersError/unreadable(_:_:)`` if `Info.plist` cannot be read or is not a dictionary,
  ///   ``ProgramFoldersError/system(_:errno:reason:)`` if the folder with the resources cannot be listed.
  /// - Complexity: O(*n* log *n*) in the number of files that are directly in the folder with the resources, and
  ///   O(*l* · *m*) in the numbers of languages and of localizations. Setting ``languages`` costs the latter.
  public init(url: URL, languages: [String]? = nil) throws(ProgramFoldersError) {
    guard url.isFileURL else { throw .invalidName(url.absoluteString, reason: "it is not the URL of a file") }
    let path = FileSystem.absoluteFolder(url.absoluteURL.path) ?? url.path
    guard FileSystem.isFolder(path) else {
      let name = url.lastPathComponent
      throw .notFound(name, searched: [URL(filePath: FileSystem.parent(of: path), directoryHint: .isDirectory)])
    }
    let layout = BundleLayout(of: path)
    bundleURL = URL(filePath: path, directoryHint: .isDirectory)
    resourceURL = URL(filePath: layout.resources, directoryHint: .isDirectory)
    infoDictionary = try Self.information(layout.information)
    let names = try Self.names(in: layout.resources).filter { $0.hasSuffix(Self.localizationSuffix) }.map {
      String($0.dropLast(Self.localizationSuffix.count))
    }
    localizations = names.filter { $0 != Self.base }
    hasBase = names.contains(Self.base)
    self.languages = languages ?? Self.preferredLanguages
    preferredLocalizations = localizationsToSearch()
  }

  /// The identifier of the program, from the key `CFBundleIdentifier`.
  public var bundleIdentifier: String? { infoDictionary["CFBundleIdentifier"]?.string }

  /// The language that the program was written in, from the key `CFBundleDevelopmentRegion`, else `en`.
  public var developmentLocalization: String { infoDictionary["CFBundleDevelopmentRegion"]?.string ?? "en" }

  private func localizationsToSearch() -> [String] {
    let matching = PreferredLanguages.localizations(of: localizations, for: languages)
    let development = PreferredLanguages.localizations(of: localizations, equalTo: developmentLocalization)
    return matching + (hasBase ? [Self.base] : []) + development.filter { !matching.contains($0) }
  }

  /// Returns the folders that are searched for resources, in this order.
  ///
  /// - Parameter localization: The only localization to search; nil for the preferred ones.
  func searchedFolders(_ subdirectory: String?, localization: String?) -> [URL] {
    let names = localization.map { [spelling(ofLocalization: $0)] } ?? preferredLocalizations
    let folders = [resourceURL] + names.map(folder(ofLocalization:))
    return folders.map { folder in
      subdirectory.map { folder.appending(path: $0, directoryHint: .isDirectory) } ?? folder
    }
  }

  /// Returns the name of a localization in the spelling of its folder.
  private func spelling(ofLocalization name: String) -> String {
    if localizations.contains(name) { return name }
    guard let tag = LanguageTag(name) else { return name }
    return localizations.first { LanguageTag($0) == tag } ?? name
  }

  private func folder(ofLocalization name: String) -> URL {
    resourceURL.appending(path: name + Self.localizationSuffix, directoryHint: .isDirectory)
  }

  private static func information(_ path: String) throws(ProgramFoldersError) -> PropertyList {
    guard FileSystem.exists(path) else { return .dictionary([:]) }
    return .dictionary(try dictionary(at: URL(filePath: path, directoryHint: .notDirectory)))
  }

  /// Returns the sorted names in a folder, or an empty array if it does not exist.
  static func names(in path: String) throws(ProgramFoldersError) -> [String] {
    guard FileSystem.isFolder(path) else { return [] }
    do { return try FileSystem.contents(of: path).map { $0.name } } catch {
      throw ProgramFoldersError(error, at: URL(filePath: path, directoryHint: .isDirectory))
    }
  }
}
