/// Files that several users save. The user who replaces a file owns the new one, which must not lock out the others.
extension FileLocation {
  /// The ID of the group that the folder is shared with on purpose: members make files in it, which get its group, and
  /// no other user does (mode 2770 or 2775). Nil if it is not shared like that.
  private var sharingGroup: UInt32? {
    guard let folder = folder.identity, folder.givesItsGroup, folder.permissions & 0o022 == 0o020 else { return nil }
    return folder.group
  }

  /// True if no other user makes files in the folder.
  private var isOfOneUser: Bool { folder.identity.map { $0.isOwn && $0.permissions & 0o022 == 0 } ?? false }

  /// True if a group may read the file, and the folder is shared with that group on purpose.
  func isShared(_ file: FileIdentity) -> Bool { sharingGroup == file.group && file.permissions & 0o040 != 0 }

  /// The permissions of a new file that replaces no other: for its owner, and for the group of a folder that is shared
  /// on purpose.
  var permissionsOfNewFile: NewFile.Permissions { sharingGroup.map { .own(group: $0, mode: 0o660) } ?? .new(0o600) }

  /// Returns the permissions of a file that replaces another one. Group and permission bits are kept if that file
  /// belongs to the user of this process, or is shared on purpose. They are not if another user has set them: that user
  /// would say who reads what this process saves.
  ///
  /// - Parameter file: nil if the permissions of the other file say nothing.
  package func permissions(like file: FileIdentity?) -> NewFile.Permissions {
    guard let file, file.isOwn || isShared(file) else { return permissionsOfNewFile }
    return .own(like: file)
  }

  /// Throws an error if saving the file would lock out the user who saved it last: a file of another user, who can save
  /// to the folder, too.
  package func checkOwner(of file: FileIdentity) throws(FileError) {
    if file.isOwn || isOfOneUser || isShared(file) { return }
    throw FileError(
      EPERM,
      "cannot write \(path): the file belongs to another user. To share it, give it to a group (mode 660) in a folder "
        + "of that group (mode 2770)")
  }

  /// Throws an error if a file that cannot be read must stay where it is: one that a link leads to, and one that
  /// another user keeps for himself.
  ///
  /// - Parameter isForbidden: true if the file may not be read; false if it has been read and its contents are wrong.
  package func checkSettingAside(_ file: FileIdentity, isForbidden: Bool) throws(FileError) {
    if isBehindLink {
      throw FileError(EPERM, "cannot set aside \(path): it is a link to \(realPath), which cannot be read")
    }
    if isForbidden, !file.isOwn {
      throw FileError(EACCES, "cannot set aside \(path): it belongs to another user, and may not be read")
    }
  }
}
