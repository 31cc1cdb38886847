internal import ObjectModels
internal import Predicates
internal import PropertyLists

/// The new objects (destinations) that a migration has created for each old object (source). A pair takes 24 bytes.
struct ObjectAssociations {
  private struct Table {
    let name: String
    /// The indices of the mapping's source entity and its subentities.
    let entities: Range<Int>
    /// The primary keys of the source objects, in ascending order.
    var sources: [Int64] = []
    var destinations: [RowKey] = []
  }

  private var tables: [Table]
  /// For each source entity, the indices of its own entity mappings. The mappings of superentities are left out.
  private var mappings: [Int32: [Int]] = [:]

  init(_ plan: MappingPlan) {
    tables = plan.entities.map { Table(name: $0.mapping.name, entities: $0.source?.subtree ?? 0..<0) }
    for (index, entity) in plan.entities.enumerated() {
      if let source = entity.source { mappings[Int32(source.index), default: []].append(index) }
    }
  }

  /// Adds pairs of objects that an entity mapping has created.
  ///
  /// - Parameter pairs: Pairs sorted by source object. Each source object must follow those that were added before.
  mutating func add(_ pairs: [(source: RowKey, destination: RowKey)], toMapping index: Int) {
    tables[index].sources += pairs.map(\.source.number)
    tables[index].destinations += pairs.map(\.destination)
  }

  /// Removes the pairs whose destination object was deleted.
  ///
  /// - Parameter present: A function that returns the keys, among those it is given, whose objects still exist.
  /// - Complexity: O(*n*) in the number of pairs.
  mutating func keep(
    batchSize: Int, _ present: ([RowKey]) throws(ManagedObjectError) -> Set<RowKey>
  ) throws(ManagedObjectError) {
    for tableIndex in tables.indices {
      let old = tables[tableIndex]
      var (sources, destinations) = ([Int64](), [RowKey]())
      for start in stride(from: 0, to: old.destinations.count, by: batchSize) {
        let batch = start..<min(start + batchSize, old.destinations.count)
        let kept = try present(Array(old.destinations[batch]))
        for index in batch where kept.contains(old.destinations[index]) {
          sources.append(old.sources[index])
          destinations.append(old.destinations[index])
        }
      }
      (tables[tableIndex].sources, tables[tableIndex].destinations) = (sources, destinations)
    }
  }

  /// Returns the objects that one entity mapping has created for a source object.
  func destinations(of number: Int64, mapping index: Int) -> ArraySlice<RowKey> {
    let sources = tables[index].sources
    let (start, end) = (sources.partitioningIndex { $0 >= number }, sources.partitioningIndex { $0 > number })
    return tables[index].destinations[start..<end]
  }

  /// Returns the objects that have been created for a source object by the entity mapping with the name `mappingName`,
  /// or by any mapping if the name is nil. If the name is that of a mapping of a superentity, returns the objects of
  /// all mappings of the object's own entity.
  func destinations(of source: RowKey, _ mappingName: String?) -> [RowKey] {
    let all = mappings[source.entityIndex] ?? []
    let named = all.filter { mappingName == nil || tables[$0].name == mappingName }
    let isBelow =
      named.isEmpty
      && tables.contains { $0.name == mappingName && $0.entities.contains(Int(source.entityIndex)) }
    return (isBelow ? all : named).flatMap { destinations(of: source.number, mapping: $0) }
  }
}
