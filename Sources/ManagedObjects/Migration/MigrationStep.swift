package import ObjectModels

/// A step of a migration to another version of the model, which has been checked and can be performed.
package struct MigrationStep {
  package enum Kind {
    case inferred(InferredMapping)
    case mapped(MappingPlan)
  }

  package let kind: Kind

  /// Checks a step.
  ///
  /// - Parameter sharesNumbers: True if all entities of the store share their primary keys, as in a file that is read as
  ///   a whole.
  /// - Throws: ``ManagedObjectError`` with all reasons why the step cannot be performed.
  package init(
    _ mapping: StoreMapping, from source: ManagedObjectModel, to destination: ManagedObjectModel, sharesNumbers: Bool
  ) throws(ManagedObjectError) {
    if mapping.isInferred {
      let inferred = InferredMapping(from: source, to: destination)
      // A store whose entities share their primary keys has its rows in memory.
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

  package var destination: ManagedObjectModel {
    switch kind {
    case .inferred(let mapping): mapping.destination
    case .mapped(let plan): plan.destination
    }
  }
}

/// The progress reports of a migration: passes them to the caller's function.
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
