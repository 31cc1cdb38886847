/// Sections and objects.
extension FetchedResultsController {
  /// The sections, in order. Without a key path or a function of sections there is one, with the name "", or none if
  /// there are no objects.
  ///
  /// - Complexity: O(*s*) in the number of sections; the objects of each are looked up when they are asked for.
  public var sections: [FetchedResultsSection<Object>] {
    observe()
    return engine.list.allSections.map { section($0) }
  }

  /// The number of sections.
  public var sectionCount: Int {
    observe()
    return engine.list.sectionCount
  }

  /// The section at an index; nil if there is none.
  public func section(at index: Int) -> FetchedResultsSection<Object>? {
    observe()
    return engine.list.section(at: index).map { section($0) }
  }

  private func section(_ section: ResultSection) -> FetchedResultsSection<Object> {
    FetchedResultsSection(section, indexTitle: sectionIndexTitle(section.name), engine: engine)
  }

  /// The number of objects in all sections.
  public var count: Int {
    observe()
    return engine.list.count
  }

  /// All objects, in order, as faults if they were not read.
  ///
  /// - Complexity: O(*n*).
  public var fetchedObjects: [Object] {
    observe()
    return engine.list.allRows.compactMap { engine.object(of: $0) as? Object }
  }

  /// The object at a position; nil if there is none.
  ///
  /// - Complexity: that of a look at a few hundred numbers for 100 000 objects, as of the two functions below.
  public func object(at indexPath: ResultIndexPath) -> Object? {
    observe()
    return engine.list.row(at: indexPath).flatMap { engine.object(of: $0) as? Object }
  }

  /// The object at a position in the list of all objects; nil if there is none.
  public func object(at offset: Int) -> Object? {
    observe()
    return engine.list.row(at: offset).flatMap { engine.object(of: $0) as? Object }
  }

  /// The position of an object; nil if the results do not have it.
  public func indexPath(of object: Object) -> ResultIndexPath? {
    observe()
    guard object.managedObjectContext === managedObjectContext else { return nil }
    return engine.list[object.key].flatMap { engine.list.position(of: $0)?.path }
  }

  /// The names of the objects, section by section.
  ///
  /// - Complexity: O(*n*).
  public var snapshot: FetchedResultsSnapshot {
    observe()
    return engine.snapshot
  }

  /// The titles of the sections, each once, in the order of the first section that has it.
  public var sectionIndexTitles: [String] {
    observe()
    var known: Set<String> = []
    return engine.list.allSections.compactMap { sectionIndexTitle($0.name) }.filter { known.insert($0).inserted }
  }

  /// The index of the first section with a title; nil if there is none.
  public func section(forSectionIndexTitle title: String) -> Int? {
    observe()
    return engine.list.allSections.firstIndex { sectionIndexTitle($0.name) == title }
  }

  /// The first letter of a name as a capital; nil for an empty name.
  static func firstLetter(_ name: String) -> String? { name.first.map { $0.uppercased() } }
}
