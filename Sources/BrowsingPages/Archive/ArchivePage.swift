internal import FoundationEssentials
package import KeyedArchiving
package import PropertyLists
package import SystemFiles

/// A page that shows an archive: its objects by class and as a tree, the fields of each object, and the references to
/// it.
///
/// Nothing is instantiated. Values that cannot be read are shown as errors.
package struct ArchivePage {
  private let archive: KeyedArchive
  private let title: String
  /// The facts about the file that the page shows, in addition to the archive.
  package var facts: [(name: String, text: String)] = []
  /// The findings about the file that the page shows.
  package var notes: [String] = []

  /// Creates a page about an archive.
  ///
  /// - Parameter title: the name of the archive's file.
  package init(_ archive: KeyedArchive, title: String) {
    self.archive = archive
    self.title = title
  }

  /// Writes the page.
  ///
  /// - Throws: errors of writing the file; ``PropertyListError/Kind/limitExceeded`` if objects of the archive share so
  ///   many bytes that the page would be many times larger than the archive.
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
