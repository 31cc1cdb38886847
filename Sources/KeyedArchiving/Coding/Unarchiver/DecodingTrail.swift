internal import PropertyLists

/// The way from the top of an archive to a value: a list that begins with the last step, so that many ways share the
/// steps before.
///
/// Sound: `before` is changed only by `deinit`, when no other reference is left.
final class DecodingTrail: @unchecked Sendable {
  let step: PropertyListKeyPath.Component
  private var before: DecodingTrail?

  private init(_ before: DecodingTrail?, _ step: PropertyListKeyPath.Component) {
    self.before = before
    self.step = step
  }

  /// A way with one step more, or as many if the step is nil.
  static func way(_ before: DecodingTrail?, _ step: PropertyListKeyPath.Component?) -> DecodingTrail? {
    step.map { DecodingTrail(before, $0) } ?? before
  }

  /// Releases the steps one after another: by recursion, a long way would take more stack than a thread may have.
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
