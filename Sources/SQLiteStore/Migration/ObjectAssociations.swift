internal import ManagedObjects
internal import PropertyLists

/// The destination objects of each source object. An association takes 24 bytes.
struct ObjectAssociations {
  private struct Table {
    let name: String
    /// The source entity of the mapping and its subentities.
    let entities: Range<Int>
    /// The primary keys of the source objects, in ascending order.
    var sources: [Int64] = []
    var destinations: [RowKey] = []
  }

  private var tables: [Table]
  /// The mappings of each source entity, without those of its superentities.
  private var mappings: [Int32: [Int]] = [:]

  init(_ plan: MappingPlan) {
    tables = plan.entities.map { Table(name: $0.mapping.name, entities: $0.source?.subtree ?? 0..<0) }
    for (index, entity) in plan.entities.enumerated() {
      if let source = entity.source { mappings[Int32(source.index), default: []].append(index) }
    }
  }

  /// - Parameter pairs: Pairs sorted by source object. All source objects must follow those added before.
  mutating func add(_ pairs: [(source: RowKey, destination: RowKey)], toMapping index: Int) {
    tables[index].sources += pairs.map(\.source.number)
    tables[index].destinations += pairs.map(\.destination)
  }

  /// Removes the associations with deleted destination objects.
  ///
  /// - Parameter present: Returns the keys of a batch that still exist.
  /// - Complexity: O(*n*) in the number of associations.
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

  /// Returns the destination objects of a source object for one mapping.
  func destinations(of number: Int64, mapping index: Int) -> ArraySlice<RowKey> {
    let sources = tables[index].sources
    let (start, end) = (sources.partitioningIndex { $0 >= number }, sources.partitioningIndex { $0 > number })
    return tables[index].destinations[start..<end]
  }

  /// Returns the destination objects of a source object for a mapping with a name, or for any. If the name is that of a
  /// superentity's mapping, the mappings of the object's own entity are used.
  func destinations(of source: RowKey, _ mappingName: String?) -> [RowKey] {
    let all = mappings[source.entityIndex] ?? []
    let named = all.filter { mappingName == nil || tables[$0].name == mappingName }
    let isBelow =
      named.isEmpty
      && tables.contains { $0.name == mappingName && $0.entities.contains(Int(source.entityIndex)) }
    return (isBelow ? all : named).flatMap { destinations(of: source.number, mapping: $0) }
  }
}
