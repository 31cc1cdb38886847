internal import FoundationEssentials
package import KeyedArchiving
package import PropertyLists
package import SystemFiles

/// A page that shows an archive: its objects by class and as a tree, the fields of each, and what leads to it.
///
/// Nothing is instantiated. What cannot be read is shown as that.
package struct ArchivePage {
  private let archive: KeyedArchive
  private let title: String
  /// What is known of the file besides the archive itself.
  package var facts: [(name: String, text: String)] = []
  /// What is wrong with the file.
  package var notes: [String] = []

  /// A page about an archive.
  ///
  /// - Parameter title: the name of its file.
  package init(_ archive: KeyedArchive, title: String) {
    self.archive = archive
    self.title = title
  }

  /// Writes the page.
  ///
  /// - Throws: errors of files, and ``PropertyListError/Kind/limitExceeded`` for an archive whose objects overlap, so
  ///   that the page would be many times larger.
  /// - Complexity: O(*n*) in the size of the archive.
  package func write(to output: FileOutput) throws(PropertyListError) {
    let document = archive.document
    var values = NodeValues(budget: document.expandedSizeLimit, limits: document.options.limits)
    var groups = ArchiveGroups()
    for object in archive.objects { values.groups.append(try groups.group(of: object, in: archive, &values)) }
    var writer = ArchiveObjectWriter(
      archive: archive, layouts: groups.layouts, values: values, page: try PageWriter(to: output))
    try writer.writeTop()
    for object in archive.objects {
      let group = writer.values.groups[Int(object.uid.value)]
      if group >= 0 { try writer.write(object, group: Int(group)) }
    }
    var head = PageHead(title: title, kind: .archive, groups: groups.groups)
    head.facts = facts + [("Archiver", archive.archiver), ("Objects", "\(archive.objects.count)")]
    head.notes = notes
    try writer.takePage().finish(head)
  }
}
