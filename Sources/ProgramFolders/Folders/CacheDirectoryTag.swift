public import FoundationEssentials
internal import SystemFiles

/// A file that tells backup programs to leave out a folder, because its contents can be created again.
///
/// ```swift
/// let thumbnails = try folders.url(forFile: "Thumbnails", in: .applicationSupport, create: true)
/// try CacheDirectoryTag.add(to: thumbnails)
/// CacheDirectoryTag.isPresent(in: thumbnails)   // true
/// ```
///
/// The file has the name and the beginning that the Cache Directory Tagging Specification 0.5 requires
/// (<https://bford.info/cachedir/>). Borg, restic and GNU tar (`--exclude-caches`) read it. Time Machine does not.
public enum CacheDirectoryTag {
  /// The name of the file.
  public static let fileName = "CACHEDIR.TAG"
  /// The first 43 bytes of the file. They are the MD5 hash of `.IsCacheDirectory`.
  public static let signature = "Signature: 8a477f597d28d172789f06886806bc55"

  private static let contents = """
    \(signature)
    # This file is a cache directory tag. Backup programs can leave out this folder.
    # For information about cache directory tags, see https://bford.info/cachedir/

    """

  /// Adds the file to a folder. Does nothing if the folder has it. Creates the folder if it does not exist, with mode
  /// 0700.
  ///
  /// - Throws: ``ProgramFoldersError/system(_:errno:reason:)`` if the file cannot be written. If there is another file
  ///   with its name, the code is `EEXIST`, and that file is not changed.
  public static func add(to folder: URL) throws(ProgramFoldersError) {
    let url = file(in: folder)
    do throws(FileError) {
      try FileSystem.makeFolder(folder.path, below: nil)
      let isNew = try FileSystem.create(url.path, with: Data(contents.utf8), permissions: 0o600) != nil
      guard isNew || isPresent(in: folder) else {
        throw FileError(EEXIST, "cannot write \(url.path): there is another file with this name")
      }
    } catch {
      throw ProgramFoldersError(error, at: url)
    }
  }

  /// Removes the file from a folder. Does nothing if the folder does not have it. A file with the same name that is not
  /// a tag stays.
  ///
  /// - Throws: ``ProgramFoldersError/system(_:errno:reason:)`` if the file cannot be removed.
  public static func remove(from folder: URL) throws(ProgramFoldersError) {
    guard isPresent(in: folder) else { return }
    let url = file(in: folder)
    do { try FileSystem.remove(url.path) } catch { throw ProgramFoldersError(error, at: url) }
  }

  /// Returns true if a folder contains a cache directory tag: a regular file with the name ``fileName`` that begins
  /// with the ``signature``. A symbolic link does not count.
  public static func isPresent(in folder: URL) -> Bool {
    let path = file(in: folder).path
    return FileSystem.isRegularFileItself(path)
      && FileSystem.beginning(of: path, count: signature.utf8.count) == Data(signature.utf8)
  }

  /// Returns the nearest tagged folder, from `url` up to the root. It is the reason why a backup leaves out the file
  /// `url`. Returns nil if no folder is tagged.
  ///
  /// ```swift
  /// CacheDirectoryTag.taggedFolder(containing: picture)?.path   // "/home/ada/.cache/org.example.notes"
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of folders.
  public static func taggedFolder(containing url: URL) -> URL? {
    var path = url.absoluteURL.path
    while true {
      let folder = URL(filePath: path, directoryHint: .isDirectory)
      if isPresent(in: folder) { return folder }
      guard path != "/", path != "." else { return nil }
      path = FileSystem.parent(of: path)
    }
  }

  private static func file(in folder: URL) -> URL { folder.appending(path: fileName, directoryHint: .notDirectory) }
}
