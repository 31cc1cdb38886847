import Observation
import Testing

@testable import ManagedObjects

@Suite("Lifetime of tracking") struct ObservationLifetimeTests {
  typealias Paper = ObservationSamples.Paper
  typealias Writer = ObservationSamples.Writer

  private let context: ManagedObjectContext

  init() throws {
    context = try ObservationSamples.context()
    for index in 0..<200 {
      let paper = try context.insert(Paper.self)
      paper.title = "\(index)"
      paper.author = try context.insert(Writer.self)
    }
    try context.save()
  }

  private var observedCount: Int { context.state.observed.count }

  private func papers() throws -> [Paper] { try context.fetch(FetchRequest("Paper")).compactMap { $0 as? Paper } }

  @Test func `reading without tracking registers nothing`() throws {
    for paper in try papers() {
      _ = (paper.title, paper.author, paper["pages"], paper.hasChanges, paper.objectID)
      _ = try paper.value(forKeyPath: "author.name")
    }
    #expect(observedCount == 0)
  }

  @Test func `reading after tracking registers nothing`() throws {
    let papers = try papers()
    tracked { papers[0].title }
    #expect(observedCount == 1)
    for paper in papers { _ = paper.title }
    #expect(observedCount == 1)
  }

  @Test func `released objects leave nothing`() throws {
    weak var object: Paper?
    for _ in 0..<10 {
      let papers = try papers()
      object = papers[7]
      for paper in papers { tracked { (paper.title, paper.author?.name) } }
    }
    context.processPendingChanges()
    #expect(object == nil)
    #expect(observedCount == 0)
    #expect(context.registeredObjects.isEmpty)
  }

  @Test func `objects that are released in tracked functions leave nothing at the next read`() throws {
    let kept = try papers()[0]
    for _ in 0..<3 { tracked { (try? papers())?.map(\.title) } }
    _ = kept.pages
    #expect(observedCount == 1)
  }

  @Test func `the end of tracking releases what its function captured, without a call`() throws {
    final class Captured: Sendable {}
    weak var captured: Captured?
    let count = CallCount()
    do {
      let papers = try papers()
      let capture = Captured()
      captured = capture
      withObservationTracking {
        for paper in papers { _ = (paper.title, paper.author?.name) }
      } onChange: { [capture] in
        withExtendedLifetime(capture) { count.increase() }
      }
      #expect(captured != nil)
    }
    context.processPendingChanges()
    #expect(captured == nil)
    #expect(count.value == 0)
  }

  @Test func `an object stays tracked while the program has an object that leads to it`() throws {
    let papers = try papers()
    var paper: Paper? = papers[5]
    let count = tracked { paper?.author?.name }
    for paper in papers { tracked { paper.title } }
    context.processPendingChanges()
    paper?.author?.name = "Ada"
    #expect(count.value == 1)
    paper = nil
  }

  @Test func `tracked objects that refer to each other are released`() throws {
    for paper in try papers() {
      tracked { paper.author?.papers.first?.title }
      tracked { paper.author?.papers.first?.author?.name }
    }
    context.processPendingChanges()
    #expect(observedCount == 0)
  }

  @Test func `a released context releases tracked objects and functions`() throws {
    final class Captured: Sendable {}
    weak var captured: Captured?
    weak var object: Paper?
    do {
      let context = try ObservationSamples.context()
      let paper = try context.insert(Paper.self)
      object = paper
      let capture = Captured()
      captured = capture
      withObservationTracking {
        _ = paper.title
      } onChange: { [capture] in
        withExtendedLifetime(capture) {}
      }
    }
    #expect(object == nil)
    #expect(captured == nil)
  }

  @Test func `an object whose context was released is read without tracking`() throws {
    var context: ManagedObjectContext? = try ObservationSamples.context()
    let paper = try #require(try context?.insert(Paper.self))
    context = nil
    let count = tracked { paper.title }
    paper.title = "a"
    #expect(count.value == 0)
  }

  @Test func `repeated tracking of changes does not accumulate`() throws {
    let paper = try papers()[0]
    for index in 0..<100 {
      tracked { (paper.title, paper.pages) }
      paper.title = "title \(index)"
    }
    let record = try #require(context.state.observed[paper])
    #expect(record.trackings.values.map(\.count).reduce(0, +) == 1)
  }
}
