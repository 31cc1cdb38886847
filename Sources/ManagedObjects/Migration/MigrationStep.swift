package import ObjectModels

/// A step of a migration to another version of the model, which has been checked and can be performed.
package struct MigrationStep {
  package enum Kind {
    case inferred(InferredMapping)
    case mapped(MappingPlan)
  }

  package let kind: Kind
  /// The model before the step.
  package let source: ManagedObjectModel
  private let willMigrate: StagedMigration.Stage.Handler?
  private let didMigrate: StagedMigration.Stage.Handler?

  /// True if a function of the program is called before or after the step.
  package var hasHandlers: Bool { willMigrate != nil || didMigrate != nil }

  /// Checks a step.
  ///
  /// - Parameter sharesNumbers: True if all entities of the store share one series of primary keys, as in an XML or
  ///   binary store.
  /// - Throws: ``ManagedObjectError`` with all reasons why the step cannot be performed.
  package init(
    _ mapping: StoreMapping, from source: ManagedObjectModel, to destination: ManagedObjectModel, sharesNumbers: Bool,
    willMigrate: StagedMigration.Stage.Handler? = nil, didMigrate: StagedMigration.Stage.Handler? = nil
  ) throws(ManagedObjectError) {
    self.source = source
    self.willMigrate = willMigrate
    self.didMigrate = didMigrate
    if mapping.isInferred {
      let inferred = InferredMapping(from: source, to: destination)
      // Stores whose entities share their primary keys are migrated in memory, without SQL.
      try inferred.check { sharesNumbers && $0.isOfSQL }
      kind = .inferred(inferred)
    } else {
      kind = .mapped(
        try MappingPlan(
          mapping, from: Self.withoutClasses(source), to: Self.withoutClasses(destination),
          sharesNumbers: sharesNumbers))
    }
  }

  private static func withoutClasses(_ model: ManagedObjectModel) throws(ManagedObjectError) -> ManagedObjectModel {
    do { return try model.withoutClasses() } catch {
      throw ManagedObjectError(.migration, "the model cannot be used without its classes: \(error)")
    }
  }

  /// The time of a call of a function of the program.
  package enum Moment { case before, after }

  /// Calls the program's function for a moment, and saves the changes that the function has not saved.
  ///
  /// - Parameter open: Opens the store at this moment. It is called only if the function is set.
  /// - Returns: The store; nil if the function is not set.
  package func callHandler<Store: PersistentStore>(
    _ moment: Moment, _ open: (ManagedObjectModel) throws(ManagedObjectError) -> Store
  ) throws(ManagedObjectError) -> Store? {
    guard let handler = moment == .before ? willMigrate : didMigrate else { return nil }
    let store = try open(moment == .before ? source : destination)
    let coordinator = PersistentStoreCoordinator(model: store.model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator: coordinator)
    do { try handler(context) } catch let error as ManagedObjectError {
      throw error
    } catch {
      var failure = ManagedObjectError(.migrationCancelled, "the migration was stopped: \(error)")
      failure.underlyingError = error
      throw failure
    }
    if context.hasChanges { try context.save() }
    if let error = context.misuse.first(where: { $0.code != .referentialIntegrity }) { throw error }
    return store
  }

  package var destination: ManagedObjectModel {
    switch kind {
    case .inferred(let mapping): mapping.destination
    case .mapped(let plan): plan.destination
    }
  }
}

/// The progress reports of a migration, which the caller's function receives.
package struct MigrationReports {
  /// A function that reports the progress of a step: the phase, the name of the mapping, the number of completed
  /// objects, and the total number of objects.
  package typealias Step = (MigrationProgress.Phase, String, Int, Int) throws(ManagedObjectError) -> Void

  private let stepCount: Int
  private let report: (MigrationProgress) throws -> Void

  package init(stepCount: Int, _ report: @escaping (MigrationProgress) throws -> Void) {
    self.stepCount = stepCount
    self.report = report
  }

  /// Returns the function for a step.
  package func step(_ number: Int) -> Step {
    let (stepCount, report) = (stepCount, report)
    return { (phase, name, done, total) throws(ManagedObjectError) in
      do {
        try report(
          MigrationProgress(
            step: number, stepCount: stepCount, phase: phase, mappingName: name, completedCount: done,
            totalCount: total))
      } catch let error as ManagedObjectError {
        throw error
      } catch {
        var failure = ManagedObjectError(.migrationCancelled, "the migration was stopped: \(error)")
        failure.underlyingError = error
        throw failure
      }
    }
  }
}
