import Foundation
import KeyedArchiving

/// A node of a graph. The reference to its parent is conditional, and its children can refer back to it.
final class TreeNode: SecureCoding {
  static let archivedClass = ArchivedClass("TreeNode")

  var name: String
  weak var parent: TreeNode?
  var children: [TreeNode]
  var friend: TreeNode?

  init(_ name: String, _ children: [TreeNode] = []) {
    self.name = name
    self.children = children
    for child in children { child.parent = self }
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(name, forKey: "name")
    try coder.encodeConditionalObject(parent, forKey: "parent")
    try coder.encode(children, forKey: "children")
    try coder.encode(friend, forKey: "friend")
  }

  init(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "name")
    children = []
    coder.publish(self)
    parent = try coder.decodeIfPresent(TreeNode.self, forKey: "parent")
    children = try coder.decode([TreeNode].self, forKey: "children")
    friend = try coder.decodeIfPresent(TreeNode.self, forKey: "friend")
  }
}

/// A link of a chain. It must be decoded before the link that refers to it.
final class ChainLink: SecureCoding {
  static let archivedClass = ArchivedClass("ChainLink")

  var next: ChainLink?

  init(next: ChainLink?) { self.next = next }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(next, forKey: "next") }

  init(coder: KeyedUnarchiver) throws { next = try coder.decodeIfPresent(ChainLink.self, forKey: "next") }

  /// The links from here on. They are released one after the other, because each would release the next recursively.
  static func release(_ first: ChainLink?) {
    var link = first
    while let next = link?.next {
      link?.next = nil
      link = next
    }
  }

  static func chain(length: Int) -> ChainLink {
    var link = ChainLink(next: nil)
    for _ in 1..<length { link = ChainLink(next: link) }
    return link
  }
}

class Shape: SecureCoding {
  class var archivedClass: ArchivedClass { ArchivedClass("Shape") }

  var color: String

  init(color: String) { self.color = color }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(color, forKey: "color") }

  required init(coder: KeyedUnarchiver) throws { color = try coder.decode(String.self, forKey: "color") }
}

final class Circle: Shape {
  override class var archivedClass: ArchivedClass { ArchivedClass("Circle", superclass: Shape.archivedClass) }

  var radius: Double

  init(color: String, radius: Double) {
    self.radius = radius
    super.init(color: color)
  }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try coder.encode(radius, forKey: "radius")
  }

  required init(coder: KeyedUnarchiver) throws {
    radius = try coder.decode(Double.self, forKey: "radius")
    try super.init(coder: coder)
  }
}

final class Square: Shape {
  override class var archivedClass: ArchivedClass { ArchivedClass("Square", superclass: Shape.archivedClass) }
}

struct Point: SecureCoding, Hashable {
  static let archivedClass = ArchivedClass("Point")

  var x: Int
  var y: Int

  init(x: Int, y: Int) { (self.x, self.y) = (x, y) }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(x, forKey: "x")
    try coder.encode(y, forKey: "y")
  }

  init(coder: KeyedUnarchiver) throws {
    x = try coder.decode(Int.self, forKey: "x")
    y = try coder.decode(Int.self, forKey: "y")
  }
}
