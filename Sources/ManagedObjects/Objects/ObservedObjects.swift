internal import Observation
internal import Predicates

/// The objects of a context whose properties are tracked by `Observation`, or that have observers.
///
/// A tracked object is retained while the program references it, or references an object that leads to it by tracked
/// relationships. So `note.author?.name` stays tracked as long as the program has `note`.
final class ObservedObjects {
  /// The accesses of a property that returned the same value.
  struct Tracking {
    var value: TrackedProperty.Value
    let registrar = ObservationRegistrar()
  }

  final class Record {
    /// The object. ``ObservedObjects/sweep(_:)`` relies on this being the only reference to the object in this class.
    fileprivate(set) var object: ManagedObject
    /// The trackings of each property. A property has several trackings if it was read at different moments of an
    /// operation.
    var trackings: [TrackedProperty: [Tracking]] = [:]
    var observers = ObjectObservers()
    fileprivate var isTouched = false

    fileprivate init(_ object: ManagedObject) { self.object = object }

    /// True if a tracked property depends on the row of the object.
    var needsRow: Bool { !observers.isEmpty || trackings.keys.contains(where: \.needsRow) }

    var tracksFetches: Bool { trackings.keys.contains { if case .fetched = $0 { true } else { false } } }

    /// Ends the trackings of a property whose value is not `value`, and returns their registrars.
    ///
    /// - Parameter isRunning: true if `withObservationTracking` is running. It may have accessed the property, and
    ///   registers this at its end, so the trackings continue with the new value.
    func end(
      _ property: TrackedProperty, _ value: TrackedProperty.Value, isRunning: Bool,
      _ isSame: (TrackedProperty.Value, TrackedProperty.Value) -> Bool
    ) -> [ObservationRegistrar] {
      guard var trackings = trackings[property] else { return [] }
      var ended: [ObservationRegistrar] = []
      for index in trackings.indices.reversed() where !isSame(trackings[index].value, value) {
        ended.append(trackings[index].registrar)
        if isRunning { trackings[index].value = value } else { trackings.remove(at: index) }
      }
      if !ended.isEmpty { self.trackings[property] = trackings.isEmpty ? nil : trackings }
      return ended
    }
  }

  private var records: [ObjectIdentifier: Record] = [:]
  /// The number of nested operations in progress. Changes are reported at the end of the outermost one.
  var depth = 0
  /// True if one of these operations completes a step of the program. The records of released objects are removed at
  /// its end.
  var completesStep = false
  /// True if one of these operations can change objects without calling ``touch(_:)``.
  var changesAll = false
  /// The records of the objects that changed since the last report.
  private var touched: [Record] = []
  /// True if the results of fetched properties may have changed since the last report.
  var hasOutdatedFetches = false
  /// If there are this many records, the records of released objects are removed.
  private var sweepCount = ObservedObjects.leastSweepCount
  private static let leastSweepCount = 64

  var count: Int { records.count }

  var tracksFetches: Bool { records.values.contains(where: \.tracksFetches) }

  subscript(object: ManagedObject) -> Record? { records[ObjectIdentifier(object)] }

  /// Registers the current value of a property with the `withObservationTracking` that is running.
  func add(_ object: ManagedObject, _ property: TrackedProperty) {
    let record = record(of: object)
    let value = object.currentValue(of: property)
    let tracking: Tracking
    if let last = record.trackings[property]?.last, last.value == value {
      tracking = last
    } else {
      tracking = Tracking(value: value)
      record.trackings[property, default: []].append(tracking)
    }
    tracking.registrar.access(object, keyPath: \.trackedProperty)
  }

  /// Returns the record of an object. Creates it if necessary.
  func record(of object: ManagedObject) -> Record {
    if let record = self[object] { return record }
    let record = Record(object)
    records[ObjectIdentifier(object)] = record
    object.status.insert(.observed)
    return record
  }

  /// Records that an observed object changes.
  func touch(_ object: ManagedObject) {
    guard let record = self[object], !record.isTouched else { return }
    record.isTouched = true
    touched.append(record)
  }

  /// Returns the records of the objects that may have changed since the last call.
  func takeChanged() -> [Record] {
    let changed = changesAll ? Array(records.values) : touched
    for record in touched { record.isTouched = false }
    touched = []
    changesAll = false
    return changed
  }

  /// Returns the records that track fetched properties whose results may have changed since the last call.
  func takeOutdatedFetches() -> [Record] {
    guard hasOutdatedFetches else { return [] }
    hasOutdatedFetches = false
    return records.values.filter(\.tracksFetches)
  }

  /// True if the records of released objects must be removed: at the end of a step, and if the number of records has
  /// doubled since the last time.
  var needsSweep: Bool { depth == 0 && (records.count >= sweepCount || completesStep) }

  /// Removes the records of objects that the program no longer references. Must not be called while
  /// `withObservationTracking` is running, because it registers the accesses at its end.
  ///
  /// - Complexity: O(*n*) in the number of records and of the objects in their tracked relationships.
  func sweep(_ registered: IdentityMap) {
    completesStep = false
    defer { sweepCount = max(Self.leastSweepCount, 2 * records.count) }
    var kept: Set<ObjectIdentifier> = []
    var open: [Record] = []
    func keep(_ id: ObjectIdentifier) {
      if let record = records[id], kept.insert(id).inserted { open.append(record) }
    }
    for (id, record) in records where !isKnownUniquelyReferenced(&record.object) { keep(id) }
    while let record = open.popLast() {
      for trackings in record.trackings.values {
        let keys: [RowKey] =
          switch trackings.last?.value {
          case .value(let value)?: value.keys
          case .keys(let keys)?: keys
          default: []
          }
        for key in keys { if let object = registered[key] { keep(ObjectIdentifier(object)) } }
      }
    }
    for (id, record) in records where !kept.contains(id) { record.object.status.remove(.observed) }
    let old = records
    records = old.filter { kept.contains($0.key) }
    // Releases the objects only now, after they were removed from the table.
    withExtendedLifetime(old) {}
  }

  func removeAll() {
    for record in records.values { record.object.status.remove(.observed) }
    let old = (records, touched)
    records = [:]
    touched = []
    withExtendedLifetime(old) {}
  }
}
