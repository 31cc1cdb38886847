internal import PropertyLists

/// The path from the top of an archive to a value, as a linked list that begins with the last step. Paths that begin
/// alike share the steps that they have in common.
///
/// Sound: `before` is changed only by `deinit`, when no other reference is left.
final class DecodingTrail: @unchecked Sendable {
  let step: PropertyListKeyPath.Component
  private var before: DecodingTrail?

  private init(_ before: DecodingTrail?, _ step: PropertyListKeyPath.Component) {
    self.before = before
    self.step = step
  }

  /// Returns a path with one more step, or `before` if the step is nil.
  static func adding(_ step: PropertyListKeyPath.Component?, to before: DecodingTrail?) -> DecodingTrail? {
    step.map { DecodingTrail(before, $0) } ?? before
  }

  /// Releases the steps one after another: recursion over a long path would take more stack than a thread may have.
  deinit {
    var next = before.take()
    while next != nil, isKnownUniquelyReferenced(&next) {
      let further = next?.before.take()
      next = further
    }
  }

  /// The steps in their order.
  ///
  /// - Complexity: O(*n*) in their number.
  var path: PropertyListKeyPath {
    var steps: [PropertyListKeyPath.Component] = []
    var trail: DecodingTrail? = self
    while let current = trail {
      steps.append(current.step)
      trail = current.before
    }
    steps.reverse()
    return PropertyListKeyPath(steps)
  }
}
