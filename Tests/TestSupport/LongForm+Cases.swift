extension LongForm {
  /// Returns all cases for the long form, or every `step`th one for the normal form.
  public static func cases<Case>(_ all: [Case], every step: Int) -> [Case] {
    isWanted ? all : stride(from: 0, to: all.count, by: step).map { all[$0] }
  }
}
