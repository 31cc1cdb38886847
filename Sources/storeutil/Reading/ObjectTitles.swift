import ManagedObjects

/// The titles of a store's objects. A title is the value of the first text attribute that is not empty, in the order of
/// the attributes.
final class ObjectTitles {
  private let store: any PersistentStore
  private var titles: [RowKey: String?] = [:]
  /// For each entity, the slots of its text attributes. A slot is the index of a value in a row.
  private let slots: [[Int]]

  /// The greatest number of cached titles. It is more than the objects in one line of output.
  private static let greatestCount = 10_000

  init(_ store: any PersistentStore) {
    self.store = store
    slots = store.model.entities.map { entity in
      entity.attributes.filter { $0.definition.type == .string && !$0.isTransient }.map(\.slot)
    }
  }

  /// Returns the title of an object; nil if it has no text or cannot be read.
  func title(_ entity: String, _ number: Int64) -> String? {
    guard let entity = store.model.entity(named: entity), !slots[entity.index].isEmpty else { return nil }
    let key = RowKey(store: store.number, entityIndex: entity.index, number: number)
    if let known = titles[key] { return known }
    if titles.count >= Self.greatestCount { titles = [:] }
    let title = read(key)
    titles[key] = .some(title)
    return title
  }

  private func read(_ key: RowKey) -> String? {
    guard let row = (try? store.rows([key]))?.first ?? nil else { return nil }
    for slot in slots[Int(key.entityIndex)] where row.values.indices.contains(slot) {
      if case .attribute(.string(let text)) = row.values[slot], !text.isEmpty { return text }
    }
    return nil
  }
}
