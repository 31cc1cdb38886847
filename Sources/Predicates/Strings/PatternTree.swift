/// The tree of a regular expression.
indirect enum PatternTree {
  case empty
  case scalar(UInt32, ignoringCase: Bool)
  case set(ScalarSet)
  case anyInLine, any
  case assertion(Pattern.Assertion)
  case sequence([PatternTree])
  case alternatives([PatternTree])
  case repeated(PatternTree, least: Int, most: Int?)
}
