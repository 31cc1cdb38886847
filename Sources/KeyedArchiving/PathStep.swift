@_spi(Archives) internal import PropertyLists

/// The step from an object to a part of it.
enum PathStep {
  case none
  case key(String)
  case index(Int)

  var component: PropertyListKeyPath.Component? {
    switch self {
    case .none: nil
    case .key(let key): .key(key)
    case .index(let index): .index(index)
    }
  }
}
