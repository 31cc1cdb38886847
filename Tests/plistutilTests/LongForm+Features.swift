import TestSupport

extension LongForm {
  /// Returns all cases for the long form. For the short form, returns each case that has a feature that no case before
  /// it has.
  static func cases<Case>(_ all: [Case], covering features: (Case) -> [String]) -> [Case] {
    if isWanted { return all }
    var covered: Set<String> = []
    return all.filter { candidate in
      let count = covered.count
      covered.formUnion(features(candidate))
      return covered.count > count
    }
  }
}
