package import ManagedObjects

/// The table of a many-to-many relationship, with a row for each pair of objects.
///
/// The table is named after the entity with the lower number and its relationship, such as `Z_1BOOKS`. Each of its two
/// columns has the primary keys of one entity. Its name contains the number of that entity, and the name of the
/// relationship that leads to objects of the entity: `Z_1AUTHORS` and `Z_2BOOKS`. An ordered relationship has a column
/// for the position, `Z_FOK_2BOOKS`. If both relationships belong to one entity, the table is named after one or the
/// other, depending on the age of the store.
package struct JoinTable: Sendable {
  package let name: String
  /// The index of the entity after which the table is named.
  let ownerIndex: Int
  package private(set) var first: Side
  package private(set) var second: Side
  /// True if the relationship is its own inverse.
  var isReflexive: Bool { first.property == second.property }

  package struct Side: Sendable {
    /// The relationship that leads to the objects whose primary keys are in the column.
    package let property: PropertyName
    /// The name of the column, without the number that can follow it to make it unique.
    fileprivate let baseColumn: String
    package fileprivate(set) var column: String
    /// The name of the column with the position of the object in the relationship; nil if the relationship is
    /// unordered.
    package fileprivate(set) var order: String?
    /// True if the relationship is ordered, but the file lacks the column with the position.
    package fileprivate(set) var lacksOrder = false
  }

  private init(_ name: String, _ ownerIndex: Int, _ one: Side, _ other: Side) {
    self.name = name
    self.ownerIndex = ownerIndex
    first = one
    second = other
  }

  private typealias Pair = (
    owner: ManagedObjectModel.Entity, relationship: ManagedObjectModel.Entity.Relationship,
    destination: ManagedObjectModel.Entity, inverse: ManagedObjectModel.Entity.Relationship
  )

  /// Returns the join tables of all many-to-many relationships of a model.
  ///
  /// - Parameter names: A function that chooses the name of a table. Its argument is the sorted list of names that the
  ///   table can have.
  static func all(_ model: ManagedObjectModel, _ numbers: [Int64], names: ([String]) -> String) -> [JoinTable] {
    var tables: [JoinTable] = []
    var uses: [String: Int] = [:]
    func column(_ name: String) -> String {
      let count = uses[name, default: 0]
      uses[name] = count + 1
      return count == 0 ? name : "\(name)\(count)"
    }
    for pair in pairs(model, numbers) {
      let (a, b) = (numbers[pair.owner.index], numbers[pair.destination.index])
      let (there, back) = (pair.relationship.name.uppercased(), pair.inverse.name.uppercased())
      let forward = PropertyName(pair.owner, pair.relationship.name)
      let backward = PropertyName(pair.destination, pair.inverse.name)
      func order(_ relationship: ManagedObjectModel.Entity.Relationship, _ column: String) -> String? {
        relationship.definition.isOrdered ? "Z_FOK_" + column.dropFirst(2) : nil
      }
      if forward == backward {
        let base = "Z_\(b)\(there)"
        let other = column(base)
        tables.append(
          JoinTable(
            names(["Z_\(a)\(there)"]), forward.entityIndex,
            Side(property: forward, baseColumn: "REFLEXIVE", column: "REFLEXIVE", order: nil),
            Side(property: forward, baseColumn: base, column: other, order: order(pair.relationship, other))))
        continue
      }
      let name = a == b ? names(["Z_\(a)\(there)", "Z_\(a)\(back)"].sorted()) : names(["Z_\(a)\(there)"])
      let own = column("Z_\(a)\(back)")
      let other = column("Z_\(b)\(there)")
      var sides = [
        Side(property: backward, baseColumn: "Z_\(a)\(back)", column: own, order: order(pair.inverse, own)),
        Side(property: forward, baseColumn: "Z_\(b)\(there)", column: other, order: order(pair.relationship, other)),
      ]
      if a == b { sides.sort { $0.column < $1.column } }
      tables.append(JoinTable(name, forward.entityIndex, sides[0], sides[1]))
    }
    return tables
  }

  /// Returns this table with the names that its columns have in a file. A name can have another number as its suffix
  /// there, and the columns with positions can be missing.
  ///
  /// - Parameter columns: The column names of the table in the file, in upper case.
  func fitted(to columns: [String]) -> JoinTable {
    var table = self
    table.first.fit(to: columns, besides: second)
    table.second.fit(to: columns, besides: table.first)
    return table
  }

  /// Returns all many-to-many relationships with their inverses. Each pair is listed once, with the relationship of the
  /// entity with the lower number first.
  private static func pairs(_ model: ManagedObjectModel, _ numbers: [Int64]) -> [Pair] {
    var pairs: [Pair] = []
    var seen: Set<PropertyName> = []
    for entity in model.entities where numbers[entity.index] != 0 {
      let own = entity.relationships.dropFirst(entity.superentity?.relationships.count ?? 0)
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      for relationship in own where relationship.definition.isToMany && !relationship.isTransient {
        let destination = entity.destination(of: relationship)
        guard numbers[destination.index] != 0, let inverse = entity.inverse(of: relationship), !inverse.isTransient,
          inverse.definition.isToMany
        else { continue }
        // A superentity of the destination entity may declare the inverse.
        let back = PropertyName(destination, inverse.name)
        guard seen.insert(PropertyName(entity, relationship.name)).inserted else { continue }
        seen.insert(back)
        let owner = back.owner(in: model)
        if numbers[entity.index] <= numbers[owner.index] {
          pairs.append((entity, relationship, owner, inverse))
        } else {
          pairs.append((owner, inverse, entity, relationship))
        }
      }
    }
    return pairs
  }
}

extension JoinTable.Side {
  fileprivate mutating func fit(to columns: [String], besides other: JoinTable.Side) {
    if !columns.contains(column.uppercased()) {
      let base = baseColumn.uppercased()
      let found = columns.filter { name in
        guard name.hasPrefix(base), name != other.column.uppercased() else { return false }
        return name.utf8.dropFirst(base.utf8.count).allSatisfy { (0x30...0x39).contains($0) }
      }
      if found.count == 1 {
        column = found[0]
        order = order.map { _ in "Z_FOK_" + column.dropFirst(2) }
      }
    }
    if let name = order, !columns.contains(name.uppercased()) {
      order = nil
      lacksOrder = true
    }
  }
}
