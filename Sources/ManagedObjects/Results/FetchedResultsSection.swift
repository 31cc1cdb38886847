/// A section of fetched results, with its name and objects.
///
/// The value always has the current objects of the section. After the section was deleted, it has no objects.
///
/// ```swift
/// if let london = results.section(at: 1) {
///   print(london.name, london.map(\.name))               // London ["Ada", "Alan"]
/// }
/// ```
public struct FetchedResultsSection<Object: ManagedObject>: Sequence {
  /// The name: the value at the section key path, or the result of the section function.
  public let name: String
  /// The title of the section in an index of all sections, such as its first letter; nil for none.
  public let indexTitle: String?
  private let engine: ResultEngine

  init(_ section: ResultSection, indexTitle: String?, engine: ResultEngine) {
    name = section.name
    self.indexTitle = indexTitle
    self.engine = engine
  }

  private var section: ResultSection? { engine.list.section(named: name) }

  /// The number of objects.
  ///
  /// - Complexity: O(1).
  public var count: Int { section?.count ?? 0 }

  /// The objects, in order. Objects that have not been read are faults.
  ///
  /// - Complexity: O(*n*) in the number of objects of the section.
  public var objects: [Object] { Array(self) }

  /// The object at an index; nil if the index is out of range.
  public subscript(item: Int) -> Object? {
    guard let section, item >= 0, item < section.count else { return nil }
    return engine.list.row(at: engine.list.start(of: section) + item).flatMap { engine.object(of: $0) as? Object }
  }

  public func makeIterator() -> some IteratorProtocol<Object> {
    let rows = section.map { section in
      let start = engine.list.start(of: section)
      return engine.list.rows(start..<start + section.count)
    }
    return (rows ?? []).lazy.compactMap { [engine] in engine.object(of: $0) as? Object }.makeIterator()
  }
}
