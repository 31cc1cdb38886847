/// Files that several users save. Whoever replaces a file owns the new one.
extension FilePlace {
  /// The permissions of a file that takes the place of another one. Group and permission bits are kept if that file
  /// belongs to the user of this process. They are not if another user has set them: that user would say who reads what
  /// this process saves.
  ///
  /// - Parameter file: nil if the permissions of the other file say nothing.
  package func permissions(like file: FileIdentity?) -> NewFile.Permissions {
    guard let file, file.isOwn else { return .new(0o600) }
    return .own(like: file)
  }
}
