/// What an unarchiver knows of opaque objects.
struct OpaqueObjects {
  var source: OpaqueSource?
  /// Objects that were found to be good, with all that they lead to: how large each is by itself, in values and blocks
  /// of 64 bytes.
  var sizes: [UInt32: Int] = [:]
  /// For the whole of the archive, so that what is looked at again and again has an end.
  var reader: ArchiveReader?
  /// True within an opaque object, all of which has been looked at.
  var isWithin = false
}

/// The archive that opaque objects come from, and the names of the classes that may be opaque.
final class OpaqueSource: Sendable {
  let archive: KeyedArchive
  let classNames: [String]

  init(_ archive: KeyedArchive, classNames: [String]) {
    self.archive = archive
    self.classNames = classNames
  }
}
