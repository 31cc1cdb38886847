internal import ObjectModels
public import Predicates

/// A conflict over one object in a save. A ``ManagedObjectContext/mergeFunction`` decides how to resolve it.
///
/// ```swift
/// context.mergePolicy = .objectTrump
/// context.mergeFunction = { conflict in
///   guard conflict.entity.name == "Note" else { return }
///   // The later date wins.
///   if case (.date(let mine)?, .date(let stored)?) = (conflict.object?["readAt"], conflict.stored?["readAt"]) {
///     conflict.merged["readAt"] = .date(max(mine, stored))
///   }
/// }
/// ```
///
/// The values are those of the attributes by name, without transient attributes, and without data in separate files
/// that the context did not read.
public struct ObjectConflict: Sendable {
  /// The object of the context. An object that is not saved yet has its temporary ID.
  public let objectID: ManagedObjectID
  /// The entity of the object.
  public let entity: ManagedObjectModel.Entity
  /// The names of the properties in the violated uniqueness constraint; empty if the conflict is over an object that
  /// another save changed or deleted.
  public let constraint: [String]
  /// The values in the context; nil if the context deleted the object.
  public let object: [String: AttributeValue]?
  /// The values when the object was read; nil for a new object.
  public let snapshot: [String: AttributeValue]?
  /// The values in the store now; nil if another save deleted the object. If the conflict is over a uniqueness
  /// constraint, these are the values of the object in the store that has the same values for the constraint; nil if
  /// only objects of the save have the same values.
  public let stored: [String: AttributeValue]?
  /// The policy that resolves the conflict. At first, it is the ``ManagedObjectContext/mergePolicy``. If it is
  /// ``MergePolicy/error`` after the function returns, the save fails. If several objects of the save have the same
  /// values for a uniqueness constraint, the policy of the first object decides which of them stays.
  public var policy: MergePolicy
  /// New values of attributes. They replace the values that the policy selects. Only an object that both the context
  /// and another save changed can have them.
  public var merged: [String: AttributeValue] = [:]
}

/// A conflict, and how to resolve it.
struct ConflictResolution {
  let conflict: MergeConflict
  var policy: MergePolicy
  /// The values from ``ObjectConflict/merged``, by slot.
  var merged: [Int: AttributeValue] = [:]

  /// True if the object was deleted both here and in the store.
  var isAgreed: Bool { conflict.object == nil && conflict.stored == nil }
}

extension ManagedObjectContext {
  /// Returns the resolutions of the conflicts of a failed save, which the merge policy and the merge function
  /// determine. Does not change objects.
  ///
  /// - Throws: `error`, with the snapshots of the objects, if a conflict has the policy `error`; the errors of the
  ///   merge function, and of the values that it sets.
  func resolutions(of error: ManagedObjectError) throws(ManagedObjectError) -> [ConflictResolution] {
    var resolutions: [ConflictResolution] = []
    for conflict in error.conflicts {
      var resolution = ConflictResolution(conflict: conflict, policy: mergePolicy)
      if let mergeFunction, !resolution.isAgreed, let object = object(of: conflict) {
        try decide(&resolution, on: object, error.code, mergeFunction)
      }
      resolutions.append(resolution)
    }
    if resolutions.contains(where: { $0.policy == .error && !$0.isAgreed }) { throw withSnapshots(error) }
    return resolutions
  }

  /// Calls the merge function for the conflict of an object.
  private func decide(
    _ resolution: inout ConflictResolution, on object: ManagedObject, _ code: ManagedObjectError.Code,
    _ function: @Sendable (inout ObjectConflict) throws -> Void
  ) throws(ManagedObjectError) {
    let conflict = resolution.conflict
    let mine = attributes(of: object.values, object.shape)
    var stored: [String: AttributeValue]?
    if let row = conflict.stored {
      let shape = shape(Int(row.key.entityIndex))
      var values = row.values
      // Data in separate files is read only if the context has read it.
      for attribute in shape.record.attributes where values[attribute.slot] == .unread {
        guard mine[attribute.name] != nil, let value = try readValues(ofSlot: attribute.slot, [row.key])[0] else {
          continue
        }
        values[attribute.slot] = value
      }
      stored = attributes(of: values, shape)
    }
    var choice = ObjectConflict(
      objectID: object.objectID, entity: object.shape.entity, constraint: conflict.constraint,
      object: object.status.isDeleted ? nil : mine,
      snapshot: object.status.isInserted
        ? nil : attributes(of: object.committed ?? object.values, object.shape),
      stored: stored, policy: resolution.policy)
    do { try function(&choice) } catch let error as ManagedObjectError { throw error } catch {
      var failure = ManagedObjectError(code, "the merge function failed: \(error)", objectID: object.objectID)
      failure.underlyingError = error
      failure.conflicts = [conflict]
      throw withSnapshots(failure)
    }
    resolution.policy = choice.policy
    if choice.merged.isEmpty { return }
    if choice.object == nil || choice.stored == nil || !choice.constraint.isEmpty {
      throw ManagedObjectError(
        .invalidState, "expected merged values only for an object that both the context and another save changed",
        objectID: object.objectID)
    }
    resolution.merged = try checked(choice.merged, of: object)
  }

  /// Returns the values of the persistent attributes by name, without those that were not read.
  private func attributes(of values: [RowValue], _ shape: EntityShape) -> [String: AttributeValue] {
    var result: [String: AttributeValue] = [:]
    for attribute in shape.record.attributes where shape.isPersistent[attribute.slot] {
      if case .attribute(let value) = values[attribute.slot] { result[attribute.name] = value }
    }
    return result
  }

  /// Returns the values by slot, converted to the types of the attributes.
  ///
  /// - Throws: an error if a value is invalid. If there are several, the error contains all of them.
  private func checked(
    _ values: [String: AttributeValue], of object: ManagedObject
  ) throws(ManagedObjectError) -> [Int: AttributeValue] {
    var result: [Int: AttributeValue] = [:]
    var errors: [ManagedObjectError] = []
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      do throws(ManagedObjectError) {
        let (slot, value) = try checked(value, key, of: object)
        result[slot] = value
      } catch {
        errors += error.details.isEmpty ? [error] : error.details
      }
    }
    if let error = ManagedObjectError(all: errors) { throw error }
    return result
  }

  private func checked(
    _ value: AttributeValue, _ key: String, of object: ManagedObject
  ) throws(ManagedObjectError) -> (slot: Int, value: AttributeValue) {
    guard case .attribute(let attribute) = try object.property(key), object.shape.isPersistent[attribute.slot] else {
      throw ManagedObjectError(
        .invalidValue, "expected an attribute that is saved", objectID: object.objectID, key: key)
    }
    let normalized: AttributeValue
    do { normalized = try attribute.definition.normalized(value) } catch { throw object.located(error) }
    guard validatesOnSave else { return (attribute.slot, normalized) }
    let corrected = try object.correctedValue(.attribute(normalized), forKey: key)
    guard case .attribute(let value) = corrected else { return (attribute.slot, normalized) }
    return (attribute.slot, value)
  }
}
