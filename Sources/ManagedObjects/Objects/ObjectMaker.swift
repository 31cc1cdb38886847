internal import ObjectModels
internal import Predicates

/// The keys of a list, and the rows around the objects that were touched last.
final class ObjectMaker {
  let context: ManagedObjectContext
  let keys: [RowKey]
  private let request: FetchRequest
  private let entity: ManagedObjectModel.Entity
  /// The last windows that were read: at most two.
  private var windows: [RowWindow] = []
  /// ``ManagedObjectContext/rowChangeCount`` when the windows were read.
  private var changeCount = 0
  /// The number of objects in the next window.
  private var size: Int
  /// The range of the last window.
  private var lastRange = 0..<0
  /// The number of rows that were read for the last window.
  private var lastReadCount = 0
  /// The number of times that a row of the last window was used.
  private var lastUseCount = 0

  /// The number of objects in the first window.
  static let firstSize = 256
  private static let smallestSize = 4
  private static let greatestCount = 2

  init(
    _ keys: [RowKey], _ request: FetchRequest, _ entity: ManagedObjectModel.Entity, _ context: ManagedObjectContext
  ) {
    self.keys = keys
    self.request = request
    self.entity = entity
    self.context = context
    size = request.fetchBatchSize > 0 ? request.fetchBatchSize : Self.firstSize
  }

  /// Returns the object at an index. If it has no values, reads its row and the rows around it.
  func object(at index: Int) -> ManagedObject {
    let object = context.object(for: context.presentKey(keys[index]))
    if object.needsRow { fill(object, at: index) }
    if !request.returnsObjectsAsFaults, object.isFault { object.fire() }
    return object
  }

  private func fill(_ object: ManagedObject, at index: Int) {
    context.beginOperation()
    defer { context.endOperation() }
    if changeCount != context.rowChangeCount { keepWindows(0) }
    if let position = windows.lastIndex(where: { $0.covers(index) }) {
      fill(object, at: index, from: position)
    } else {
      keepWindows(Self.greatestCount - 1)
      windows.append(readWindow(around: index))
      changeCount = context.rowChangeCount
      fill(object, at: index, from: windows.count - 1)
    }
  }

  private func fill(_ object: ManagedObject, at index: Int, from position: Int) {
    if position == windows.count - 1 { lastUseCount += 1 }
    // The objects of a window with prefetched relationships have values already.
    if object.needsRow { windows[position].fill(object, at: index) }
    if object.batch == nil { object.batch = windows[position].batch }
  }

  /// Removes all windows but the last ones.
  private func keepWindows(_ count: Int) {
    let old = windows
    windows.removeFirst(max(windows.count - count, 0))
    // Rows are released at the end, because the deallocator of data may use the context.
    withExtendedLifetime(old) {}
  }

  /// Reads the rows around an index. If this fails, the window has no rows. Then each fault is read by itself when a
  /// value is needed, so that only the objects that cannot be read have errors.
  private func readWindow(around index: Int) -> RowWindow {
    let range = nextRange(around: index)
    let present = keys[range].map { context.presentKey($0) }
    let batch =
      request.usesBatchFaulting ? FaultBatch.divide(present, sizes: [present.count])[0] : FaultBatch.single()
    let paths = request.relationshipKeyPathsForPrefetching
    var window = RowWindow(range, batch: batch)
    do throws(ManagedObjectError) {
      if request.includesPropertyValues || !request.returnsObjectsAsFaults || !paths.isEmpty {
        try window.read(present, context)
      }
    } catch {
      window = RowWindow(range, batch: batch)
    }
    do throws(ManagedObjectError) {
      if !paths.isEmpty {
        try window.makeObjects(present, context) { objects throws(ManagedObjectError) in
          try context.prefetch(paths, of: objects, entity)
        }
      }
    } catch {
      // The relationships are read again when they are accessed.
      context.note(error)
    }
    (lastRange, lastReadCount, lastUseCount) = (range, window.readCount, 0)
    return window
  }

  /// Returns the range of the next window.
  ///
  /// A list that is read in order gets larger and larger windows. If less than a quarter of the last rows was used, the
  /// next window is a quarter as large: an object that is touched at random should not cost a read of many others.
  private func nextRange(around index: Int) -> Range<Int> {
    let isNext = index == lastRange.upperBound && !lastRange.isEmpty
    let isPrevious = index == lastRange.lowerBound - 1
    if request.fetchBatchSize == 0 {
      if lastUseCount * 4 < lastReadCount {
        size = max(size / 4, Self.smallestSize)
      } else if isNext || isPrevious {
        size = min(size * 4, FaultBatch.greatestSize)
      }
    }
    if isNext { return index..<min(index + size, keys.count) }
    if isPrevious { return max(index + 1 - size, 0)..<index + 1 }
    let start = index / size * size
    return start..<min(start + size, keys.count)
  }
}
