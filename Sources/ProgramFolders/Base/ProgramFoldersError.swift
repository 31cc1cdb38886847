public import FoundationEssentials
public import PropertyLists
internal import SystemFiles

/// An error that is thrown when a folder or a resource is missing, unreadable or refused.
///
/// ```swift
/// do {
///   let file = try bundle.url(forResource: "Welcome", withExtension: "txt")
/// } catch .notFound(let name, let searched) {
///   print("\(name) is in none of these folders:", searched.map(\.path))
/// } catch {
///   print(error)   // "../Welcome.txt" is not a valid name: it leaves the folder
/// }
/// ```
public enum ProgramFoldersError: Error, Hashable, Sendable {
  /// The platform has no such folder in this domain, or the user has no home folder.
  case noFolder(StandardFolder, FolderDomain)
  /// A name was refused because it is not valid, or because it leads out of its folder.
  case invalidName(String, reason: String)
  /// A resource or a bundle is in none of the folders that were searched.
  case notFound(String, searched: [URL])
  /// A folder cannot be created or may not be used, or a file cannot be written. `errno` is the system's error code.
  case system(URL, errno: Int32, reason: String)
  /// A file with values, such as `Info.plist`, cannot be read.
  case unreadable(URL, PropertyListError)
}

extension ProgramFoldersError {
  init(_ error: FileError, at url: URL) { self = .system(url, errno: error.code, reason: error.message) }
}

extension ProgramFoldersError: CustomStringConvertible {
  /// The description in one line: what is wrong, and where.
  public var description: String {
    switch self {
    case .noFolder(let folder, let domain): "there is no folder \(folder.rawValue) in the domain \(domain.rawValue)"
    case .invalidName(let name, let reason): "\(name.quoted) is not a valid name: \(reason)"
    case .notFound(let name, let searched):
      searched.isEmpty
        ? "\(name.quoted) was not found: there is no folder to search"
        : "\(name.quoted) was not found in " + searched.map { $0.path.printable(limit: 300) }.joined(separator: ", ")
    case .system(_, _, let reason): reason
    case .unreadable(let url, let error): "\(url.path.printable(limit: 300)): \(error)"
    }
  }
}
