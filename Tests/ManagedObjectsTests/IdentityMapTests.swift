import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Identity maps") struct IdentityMapTests {
  /// Keys as in stores and contexts, and keys that a hostile file could contain.
  private static let patterns: [[RowKey]] = [
    (1...400).map { key($0) }, (1...400).map { key(-$0, store: 0) }, (1...400).map { key($0 << 32) },
    (1...200).flatMap { number in (0..<2).map { key(number, entity: $0) } }, (1...400).map { key(.max - $0) },
    [key(0), key(1), key(1, store: 0), key(.min)],
  ]

  private static func key(_ number: Int64, entity: Int = 0, store: UInt32 = 1) -> RowKey {
    RowKey(store: StoreNumber(rawValue: store), entityIndex: entity, number: number)
  }

  @Test(arguments: patterns)
  func `a map equals a dictionary after random insertions and removals`(keys: [RowKey]) throws {
    let context = try GraphSketch().context()
    func object(_ key: RowKey) -> ManagedObject {
      let object = ManagedObject(ManagedObject.Creation(shape: context.shape(Int(key.entityIndex)), key: key))
      object.status = .detached
      return object
    }
    var random = SeededGenerator(seed: 11)
    let map = IdentityMap()
    var dictionary: [RowKey: ManagedObject] = [:]
    // Replaced and removed objects are released only at the end, as the map must not contain them any more then.
    var others: [ManagedObject] = []
    let steps = LongForm.size(8_000, or: 2_000)
    for step in 0..<steps {
      guard let key = keys.randomElement(using: &random) else { continue }
      // First mostly insertions, then mostly removals.
      if Int.random(in: 0..<10, using: &random) < (step < steps / 2 ? 6 : 4) {
        let new = object(key)
        map.insert(new)
        if let old = dictionary.updateValue(new, forKey: key) { others.append(old) }
      } else if let old = dictionary.removeValue(forKey: key) {
        map.remove(old)
        map.remove(old)
        others.append(old)
      } else {
        map.remove(object(key))
      }
      #expect(map.count == dictionary.count)
      #expect(map[key] === dictionary[key])
      if step % 500 == 0 {
        #expect(map._checkInvariants() == nil)
        for key in keys { #expect(map[key] === dictionary[key]) }
        #expect(map.objects.map(\.key) == dictionary.keys.sorted())
      }
    }
    for object in dictionary.values { map.remove(object) }
    #expect(map.count == 0 && map.objects.isEmpty && map.capacity <= 64)
    withExtendedLifetime(others) {}
  }

  @Test func `objects that are released at the same time leave the map`() throws {
    let context = try GraphSketch().context()
    var objects = (1...5_000).map { context.make(Self.key($0)) }
    var random = SeededGenerator(seed: 3)
    #expect(context.registered.count == 5_000)
    objects.shuffle(using: &random)
    while !objects.isEmpty {
      objects.removeLast(min(objects.count, 700))
      #expect(context.registered.count == objects.count)
      #expect(context.registered._checkInvariants() == nil)
      for object in objects.prefix(20) { #expect(context.registered[object.key] === object) }
    }
  }
}
