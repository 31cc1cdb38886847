@_spi(Archives) internal import PropertyLists

/// The way to a value that is being decoded or encoded. Each step knows the one before; an array of keys is made only
/// when somebody asks for one.
final class CodingTrail {
  private let before: CodingTrail?
  private let step: CodingStep

  init(_ before: CodingTrail?, _ step: CodingStep) {
    self.before = before
    self.step = step
  }

  /// - Complexity: O(*n*) in the number of steps.
  var path: [any CodingKey] {
    var path: [any CodingKey] = []
    var trail: CodingTrail? = self
    while let current = trail {
      if let key = current.step.key { path.append(key) }
      trail = current.before
    }
    path.reverse()
    return path
  }
}
