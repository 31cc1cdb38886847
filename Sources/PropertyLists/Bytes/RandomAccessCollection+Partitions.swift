extension RandomAccessCollection {
  /// Returns the index of the first element that satisfies a condition, or the end index. The condition must be true
  /// for all elements after that one, too.
  ///
  /// - Complexity: O(log *n*) calls of the condition.
  @inlinable @inline(__always)
  package func partitioningIndex<Failure: Error>(
    where belongsInSecondPartition: (Element) throws(Failure) -> Bool
  ) throws(Failure) -> Index {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
      if try belongsInSecondPartition(self[middle]) { high = middle } else { low = index(after: middle) }
    }
    return low
  }
}
