internal import FoundationEssentials
internal import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// Builds the values of a binary property list. A container is made from the values that were added last.
struct PooledValues: ~Copyable {
  private var pool = ValuePool()
  /// The values that are not in a container yet.
  private var nodes: [FlatNode] = []

  /// The number of values that are not in a container yet.
  var count: Int { nodes.count }
  /// The last value that is not in a container yet.
  var last: FlatNode? { nodes.last }

  /// Adds a number, a Boolean, a date, a UID or null, or a string or container that a function of this type has
  /// returned.
  mutating func append(_ node: FlatNode) { nodes.append(node) }

  /// Removes and returns the last value that is not in a container yet.
  mutating func removeLast() -> FlatNode { nodes.popLast() ?? .null }

  mutating func append(_ text: String) throws(KeyedArchiveError) { nodes.append(try string(text)) }

  mutating func append(_ data: Data) throws(KeyedArchiveError) {
    do { nodes.append(try pool.data(data)) } catch { throw KeyedArchiveError(error) }
  }

  /// Replaces the values from an index on with one container of them.
  mutating func close(_ kind: NodeKind, from start: Int) throws(KeyedArchiveError) {
    // The values are moved out, because one call cannot access both properties of this structure.
    var children: [FlatNode] = []
    swap(&children, &nodes)
    let container: FlatNode
    do {
      container = try pool.container(kind, children.span.extracting(start..<children.count), isShared: false)
    } catch {
      throw KeyedArchiveError(error)
    }
    children.removeLast(children.count - start)
    children.append(container)
    swap(&children, &nodes)
  }

  /// Makes a string, without adding it to the values.
  mutating func string(_ text: String) throws(KeyedArchiveError) -> FlatNode {
    do { return try pool.string(text) } catch { throw KeyedArchiveError(error) }
  }

  /// Makes a container, without adding it to the values.
  mutating func container(_ kind: NodeKind, _ children: [FlatNode]) throws(KeyedArchiveError) -> FlatNode {
    do { return try pool.container(kind, children.span, isShared: false) } catch { throw KeyedArchiveError(error) }
  }

  mutating func reference(to node: FlatNode) throws(KeyedArchiveError) -> ValuePool.Reference {
    do { return try pool.reference(to: node) } catch { throw KeyedArchiveError(error) }
  }

  mutating func array(_ elements: [ValuePool.Reference]) throws(KeyedArchiveError) -> FlatNode {
    do { return try pool.array(elements) } catch { throw KeyedArchiveError(error) }
  }

  /// Returns a binary property list with a container as its root. The pool is empty afterwards.
  mutating func takeFile(root: FlatNode) throws(KeyedArchiveError) -> Data {
    var taken = ValuePool()
    swap(&taken, &pool)
    nodes = []
    do { return try taken.binaryData(root: root) } catch { throw KeyedArchiveError(error) }
  }
}
