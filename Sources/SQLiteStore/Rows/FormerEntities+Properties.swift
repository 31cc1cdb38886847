internal import ManagedObjects
internal import SQLQueries

/// Functions that find the columns and join tables of properties in the file.
extension FormerEntities {
  /// Returns the counterpart of an entity in the model that the file embeds; nil if the file embeds no model, or if
  /// that model does not have the entity.
  private func ownEntity(_ entity: ManagedObjectModel.Entity) -> ManagedObjectModel.Entity? {
    guard known[numbers[entity.index]] == entity.index, let name = entities[numbers[entity.index]]?.name else {
      return nil
    }
    return own?.model.entity(named: name)
  }

  /// Returns the names that the properties of an entity have in the file: see ``propertyNames``.
  func propertyNames(of entity: ManagedObjectModel.Entity) -> [String: String] {
    if let former = ownEntity(entity) {
      let names = Set(former.properties.filter { !$0.isTransient }.map(\.name)).names(ofPropertiesOf: entity)
      return Dictionary(uniqueKeysWithValues: names.map { ($0.name, $1) })
    }
    guard let table = tableNames[entity.root.index] else { return [:] }
    return columnNames(ofPropertiesOf: entity, inTable: table, prefix: "Z")
  }

  /// Returns the names in upper case that properties of an entity have in the names of a table's columns.
  private func columnNames(
    ofPropertiesOf entity: ManagedObjectModel.Entity, inTable table: String, prefix: String
  ) -> [String: String] {
    let columns = file.tables[table]?.columns.filter { $0.hasPrefix(prefix) } ?? []
    let names = Set(columns.map { String($0.dropFirst(prefix.count)) })
    let found = names.names(ofPropertiesOf: entity, fold: { $0.uppercased() }).map { ($0.name, $1) }
    return Dictionary(uniqueKeysWithValues: found)
  }

  /// Returns the counterpart of a property in an entity of the model that the file embeds; nil if it has none.
  private func ownProperty(
    _ name: String, of entity: ManagedObjectModel.Entity, in former: ManagedObjectModel.Entity
  ) -> ManagedObjectModel.Entity.Property? {
    propertyNames[entity.index][name].flatMap { former.property(named: $0) }
  }

  /// Returns the first column that the table has: one of the candidates, or the column for the name that the property
  /// has in the file. Returns nil if the table has none of them.
  private func column(
    _ candidates: [String], _ name: String, of entity: ManagedObjectModel.Entity, inTable table: String
  ) -> String? {
    candidates.first { file.has(table, $0) } ?? propertyNames[entity.index][name].map { "Z" + $0 }
  }

  /// Returns the column of an attribute, or of an element of a composite attribute, for the objects of an entity.
  ///
  /// - Parameters:
  ///   - path: The name of the attribute, or the path of the element.
  ///   - candidates: The names that the column can have.
  /// - Returns: `column`, the name of the column; nil if the property of the file is of another kind or type.
  ///   `difference`, how the property of the file differs from the attribute; nil if they agree. `isExternal`, true if
  ///   values can be in external files. `isGuessed`, true if other values of the column could be in the other form.
  ///   Nil if the file does not have the property.
  func attribute(
    _ attribute: ManagedObjectModel.Entity.Attribute, _ path: String, of entity: ManagedObjectModel.Entity,
    inTable table: String?, candidates: [String]
  ) -> (column: String?, difference: String?, isExternal: Bool, isGuessed: Bool)? {
    guard let table else { return nil }
    guard let own, let former = ownEntity(entity) else {
      let isElement = path != attribute.name
      let found =
        isElement
        ? candidates.first { file.has(table, $0) }
        : column(candidates, attribute.name, of: entity, inTable: table)
      let isExternal = attribute.definition.isExternal
      return found.map { column in
        guard let form = externalForms["\(table).\(column.uppercased())"] else {
          return (column, nil, isExternal, false)
        }
        let isOpaque = attribute.definition.type == .binary || attribute.definition.type == .transformable
        return (column, nil, form.isSuitable && (isExternal || form.hasFiles), form.isSuitable && isOpaque)
      }
    }
    guard let property = ownProperty(attribute.name, of: entity, in: former) else { return nil }
    guard case .attribute(let known) = property else {
      return (nil, "it is a relationship in the store", false, false)
    }
    guard let ownTable = own.table(ofEntity: former.index) else { return nil }
    let suffix = path.dropFirst(attribute.name.count)
    let part = ownTable.parts(of: known, in: former).first { $0.path == known.name + suffix }
    guard let part else {
      return known.definition.type == attribute.definition.type
        ? nil
        : (nil, "expected \(attribute.definition.type.name), but it is \(known.definition.type.name)", false, false)
    }
    let isSame = part.definition.type == (suffix.isEmpty ? attribute.definition.type : part.definition.type)
    return (
      ownTable.columns[part.column].name,
      isSame ? nil : "expected \(attribute.definition.type.name), but it is \(part.definition.type.name)",
      part.definition.isExternal, false
    )
  }

  /// Returns the columns of a to-one relationship for the objects of an entity.
  ///
  /// - Returns: The columns. The key is nil if the file has a property of another kind. `entityNumber` is set if all
  ///   related objects have one entity. Nil if the file does not have the relationship.
  func toOne(
    _ relationship: ManagedObjectModel.Entity.Relationship, of entity: ManagedObjectModel.Entity,
    inTable table: String?, candidates: [String]
  ) -> (key: String?, entity: String?, order: String?, entityNumber: Int64?, difference: String?)? {
    guard let table else { return nil }
    guard let own, let former = ownEntity(entity) else {
      guard let key = column(candidates, relationship.name, of: entity, inTable: table) else {
        return nil
      }
      let type = file.tables[table]?.types[key.uppercased()] ?? ""
      guard type == "INTEGER" else {
        return (nil, nil, nil, nil, "expected a to-one relationship, but the column \(key) has the type \(type)")
      }
      let name = key.dropFirst()
      let helper = file.tables[table]?.columns.first { column in
        guard column.hasPrefix("Z"), column.hasSuffix("_" + name.uppercased()) else { return false }
        let digits = column.dropFirst().dropLast(name.count + 1)
        return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
      }
      let order = "Z_FOK_\(name)"
      return (key, helper, file.has(table, order) ? order : nil, nil, nil)
    }
    guard let property = ownProperty(relationship.name, of: entity, in: former) else { return nil }
    guard case .relationship(let known) = property, !known.definition.isToMany,
      let ownTable = own.table(ofEntity: former.index),
      let key = ownTable.toOneColumns[PropertyName(former, known.name)]
    else {
      let kind = if case .attribute = property { "an attribute" } else { "a to-many relationship" }
      return (nil, nil, nil, nil, "it is \(kind) in the store")
    }
    let ownDestination = former.destination(of: known)
    let number = own.numbers[ownDestination.index]
    let destination = entity.destination(of: relationship)
    guard self.table(number) == tableNames[destination.root.index], self.table(number) != nil else {
      return (nil, nil, nil, nil, "it leads to the entity \(ownDestination.name.quoted) in the store")
    }
    return (
      ownTable.columns[key.key].name, key.entity.map { ownTable.columns[$0].name },
      key.order.map { ownTable.columns[$0].name }, key.entity == nil ? number : nil, nil
    )
  }

  /// Returns the foreign key column and the order column of a to-many relationship that has no inverse. Both are in the
  /// table of the related objects, and refer to the owner. Returns nil if the file does not have the foreign key
  /// column.
  ///
  /// - Parameter candidate: The name of the foreign key column if the file does not embed its model and the
  ///   relationship was not renamed.
  func owner(_ property: PropertyName, inTable table: String, candidate: String) -> (key: String, order: String?)? {
    let entity = property.owner(in: model)
    guard let relationship = entity.relationship(named: property.name), known[numbers[entity.index]] == entity.index
    else { return nil }
    if let own, let former = ownEntity(entity) {
      guard case .relationship(let known)? = ownProperty(property.name, of: entity, in: former),
        let ownTable = own.table(ofEntity: known.destinationIndex), ownTable.name.uppercased() == table,
        let key = ownTable.ownerColumns[PropertyName(former, known.name)]
      else { return nil }
      return (ownTable.columns[key.key].name, key.order.map { ownTable.columns[$0].name })
    }
    let prefix = "Z\(numbers[entity.index])"
    let name = columnNames(ofPropertiesOf: entity, inTable: table, prefix: prefix)[relationship.name]
    guard let key = file.has(table, candidate) ? candidate : name.map({ prefix + $0 }) else { return nil }
    let order = "Z_FOK_\(key.dropFirst())"
    return (key, file.has(table, order) ? order : nil)
  }

  /// Returns the join table in the file that corresponds to a join table of the model.
  ///
  /// - Parameter byName: The join table with the names that it would have in the file.
  /// - Returns: A table whose sides are in the order of `join`; nil if the file does not have it.
  func join(
    _ join: JoinTable, _ byName: JoinTable
  ) -> (name: String, first: JoinTable.Side, second: JoinTable.Side)? {
    guard let own else {
      let columns = [byName.first.column, byName.second.column]
      guard columns.allSatisfy({ file.has(byName.name, $0) }) else { return nil }
      return (byName.name, byName.first, byName.second)
    }
    func former(_ side: JoinTable.Side) -> PropertyName? {
      let entity = side.property.owner(in: model)
      guard let former = ownEntity(entity), let relationship = entity.relationship(named: side.property.name),
        let property = ownProperty(relationship.name, of: entity, in: former)
      else { return nil }
      return PropertyName(former, property.name)
    }
    guard let first = former(join.first), let second = former(join.second) else { return nil }
    for table in own.joins {
      if table.isReflexive != join.isReflexive { continue }
      if table.first.property == first, table.second.property == second {
        return (table.name, table.first, table.second)
      }
      if table.first.property == second, table.second.property == first {
        return (table.name, table.second, table.first)
      }
    }
    return nil
  }

  /// Returns a mismatch for each column and join table of the file that no property of the model uses.
  ///
  /// - Parameter used: The used columns, by table. A join table that is used has an entry without columns.
  func unknownParts(_ used: [String: Set<String>]) -> [ModelMismatch] {
    var unknown: [ModelMismatch] = []
    let tables = Set(model.entities.indices.filter { isReadable($0) }.compactMap { tableNames[entity($0).root.index] })
    for table in tables {
      let owners = owners(ofColumnsIn: table)
      for column in file.tables[table]?.columns ?? [] where column.hasPrefix("Z") && !column.hasPrefix("Z_") {
        let digits = column.dropFirst().prefix { $0.isASCII && $0.isNumber }
        // A column such as Z2_FOLDER belongs to ZFOLDER.
        if !digits.isEmpty, column.dropFirst(1 + digits.count).hasPrefix("_") { continue }
        if used[table]?.contains(column) == true { continue }
        guard own != nil else {
          let root = entities.values.first { "Z" + $0.name.uppercased() == table }?.name ?? table
          unknown.append(ModelMismatch(unknownProperty: column, of: root))
          continue
        }
        guard let (entity, property) = owners[column], isMapped(entity) else { continue }
        unknown.append(ModelMismatch(unknownProperty: property, of: entity))
      }
    }
    for table in file.tables.keys where used[table] == nil {
      let digits = table.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
      if table.hasPrefix("Z_"), let number = Int64(digits), let entity = entities[number], known[number] != nil {
        let join = own?.joins.first { $0.name.uppercased() == table }
        let sides = join.map { Array(Set([$0.first.property, $0.second.property])) } ?? []
        if sides.isEmpty { unknown.append(ModelMismatch(unknownProperty: table, of: entity.name)) }
        for side in sides {
          guard let model = own?.model, isMapped(side.owner(in: model).name) else { continue }
          unknown.append(ModelMismatch(unknownProperty: side.name, of: side.owner(in: model).name))
        }
      }
    }
    return unknown
  }

  /// True if the model has the entity `name` of the file, or one of its subentities.
  private func isMapped(_ name: String) -> Bool {
    guard let own, let entity = own.model.entity(named: name) else { return false }
    return entity.subtree.contains { known[own.numbers[$0]] != nil }
  }

  /// Returns the entity and the property that each column of a table belongs to, by the name of the column. The names
  /// are those of the model that the file embeds.
  private func owners(ofColumnsIn table: String) -> [String: (entity: String, property: String)] {
    guard let own, let ownTable = own.tables.first(where: { $0.name.uppercased() == table }) else { return [:] }
    var owners: [String: (entity: String, property: String)] = [:]
    func add(_ property: PropertyName, _ column: Int) {
      let name = ownTable.columns[column].name.uppercased()
      owners[name] = (property.owner(in: own.model).name, property.name)
    }
    for (property, column) in ownTable.attributeColumns { add(property, column) }
    for (property, composite) in ownTable.compositeColumns {
      for leaf in composite.leaves { add(property, leaf.column) }
    }
    for (property, key) in ownTable.toOneColumns { add(property, key.key) }
    for (property, key) in ownTable.ownerColumns { add(property, key.key) }
    return owners
  }
}
