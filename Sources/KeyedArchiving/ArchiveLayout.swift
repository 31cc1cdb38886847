internal import PropertyLists

/// The four parts that every keyed archive has at its top.
struct ArchiveLayout {
  /// The name of the class that wrote it.
  let archiver: String
  /// A dictionary: values by their keys, which are UIDs where they are objects.
  let top: FlatNode
  /// An array: the objects by UID. The first is `$null`.
  let objects: FlatNode

  init(_ document: PropertyListDocument) throws(KeyedArchiveError) {
    let root = document.flatRoot
    guard root.kind == .dictionary else { throw Self.notAnArchive("its root is no dictionary") }
    var parts: [String: FlatNode] = [:]
    let archiver: FlatNode
    do throws(PropertyListError) {
      // Four keys are all there are; a few more do no harm.
      for entry in 0..<min(root.count, 64) {
        let key = try document.key(ofEntry: entry, of: root)
        guard parts.updateValue(try document.value(ofEntry: entry, of: root), forKey: key) == nil else {
          throw PropertyListError(.duplicateKey, "the key \(key.quoted) stands twice in a dictionary")
        }
      }
      archiver = parts["$archiver"] ?? .null
      self.archiver = archiver.kind == .string ? try document.text(of: archiver) : ""
    } catch {
      throw KeyedArchiveError(error)
    }
    guard archiver.kind == .string else { throw Self.notAnArchive("it has no text $archiver") }
    guard let version = parts["$version"], version.kind == .integer else {
      throw Self.notAnArchive("it has no $version")
    }
    guard version.integer == PropertyList.Integer(KeyedArchiver.version) else {
      throw Self.notAnArchive("its version is \(version.integer); \(KeyedArchiver.version) is the only one there is")
    }
    guard let top = parts["$top"], top.kind == .dictionary else { throw Self.notAnArchive("it has no dictionary $top") }
    guard let objects = parts["$objects"], objects.kind == .array else {
      throw Self.notAnArchive("it has no array $objects")
    }
    self.top = top
    self.objects = objects
  }

  private static func notAnArchive(_ reason: String) -> KeyedArchiveError {
    KeyedArchiveError(.notAnArchive, "the property list is no keyed archive: \(reason)")
  }
}
