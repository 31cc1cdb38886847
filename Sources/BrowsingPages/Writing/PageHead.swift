/// The contents of a page except for its rows: the title, the facts and notes, and the groups that the rows belong to.
package struct PageHead {
  /// The kind of the rows.
  package enum Kind: String {
    /// Objects of a keyed archive, grouped by class. The first group is the top level of the archive: one row with the
    /// key 0.
    case archive
    /// Rows of a store, grouped by entity.
    case store
  }

  /// The title of the page.
  package let title: String
  package let kind: Kind
  package let groups: [Group]
  /// The facts about the file: names and texts.
  package var facts: [(name: String, text: String)] = []
  /// The notes that the page shows.
  package var notes: [String] = []

  package init(title: String, kind: Kind, groups: [Group]) {
    self.title = title
    self.kind = kind
    self.groups = groups
  }

  /// The rows of one entity of a store, or the objects of one class of an archive.
  package struct Group {
    package let name: String
    /// The index of the parent entity in ``PageHead/groups``; nil for a class, and for an entity without a parent.
    package var parent: Int?
    /// The classes that the class inherits from.
    package var ancestors: [String] = []
    /// The columns of all rows; nil if each row is a single value.
    package var columns: [Column]?
    /// The number of objects; nil if the page contains all of them.
    package var total: Int?
    /// True if the page shows the object itself instead of a reference to it, for each object of this group. An example
    /// is strings.
    package var isValue = false
    /// True if the objects have no class, and the group is named after their kind, such as `array`.
    package var isKind = false
    /// True for an abstract entity.
    package var isAbstract = false
    /// True if the objects could not be read.
    package var isUnreadable = false

    package init(_ name: String) { self.name = name }
  }

  /// An attribute or a relationship.
  package struct Column {
    package let name: String
    /// The type of the attribute, or the destination of the relationship.
    package let kind: String

    package init(_ name: String, kind: String) {
      self.name = name
      self.kind = kind
    }
  }

  func write(to page: inout PageWriter) {
    let counts = page.rowCounts
    page.open("{")
    page.tag("title")
    page.quoted(title)
    page.tag("kind")
    page.quoted(kind.rawValue)
    page.tag("rows")
    page.integer(Int64(counts.reduce(0, +)))
    page.tag("facts")
    page.open("[")
    for (name, text) in facts {
      page.open("[")
      page.quoted(name)
      page.quoted(text)
      page.close("]")
    }
    page.close("]")
    page.tag("notes")
    page.open("[")
    for note in notes { page.quoted(note) }
    page.close("]")
    page.tag("groups")
    page.open("[")
    for (index, group) in groups.enumerated() {
      let count = index < counts.count ? counts[index] : 0
      group.write(count: max(group.total ?? 0, count), to: &page)
    }
    page.close("]")
    page.close("}")
  }
}

extension PageHead.Group {
  fileprivate func write(count: Int, to page: inout PageWriter) {
    page.open("{")
    page.tag("name")
    page.quoted(name)
    page.tag("total")
    page.integer(Int64(count))
    if let parent {
      page.tag("parent")
      page.integer(Int64(parent))
    }
    if !ancestors.isEmpty {
      page.tag("ancestors")
      page.open("[")
      for name in ancestors { page.quoted(name) }
      page.close("]")
    }
    if let columns {
      page.tag("columns")
      page.open("[")
      for column in columns {
        page.open("{")
        page.tag("name")
        page.quoted(column.name)
        page.tag("kind")
        page.quoted(column.kind)
        page.close("}")
      }
      page.close("]")
    }
    let flags: [(tag: StaticString, isSo: Bool)] = [
      ("isValue", isValue), ("isKind", isKind), ("isAbstract", isAbstract), ("isUnreadable", isUnreadable),
    ]
    for (tag, isSo) in flags where isSo {
      page.tag(tag)
      page.literal("true")
    }
    page.close("}")
  }
}
