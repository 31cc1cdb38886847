import Foundation
import KeyedArchiving

/// The archived objects: notes with two strings, an integer, a date and two tags each. They are the same in every run.
enum Notes {
  static func make<T>(count: Int, _ note: (String, String, Int, Date, [String]) -> T) -> [T] {
    (0..<count).map { number in
      note(
        "Note \(number)", "What to remember about number \(number), and about \(number / 7) too", number % 5,
        Date(timeIntervalSinceReferenceDate: Double(number) * 977.25),
        ["tag \(number % 50)", "list \(number % 1000)"])
    }
  }
}

final class Note: SecureCoding {
  static let archivedClass = ArchivedClass("Note")

  let title: String
  let text: String
  let priority: Int
  let date: Date
  let tags: [String]

  init(title: String, text: String, priority: Int, date: Date, tags: [String]) {
    self.title = title
    self.text = text
    self.priority = priority
    self.date = date
    self.tags = tags
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(title, forKey: "title")
    try coder.encode(text, forKey: "text")
    try coder.encode(priority, forKey: "priority")
    try coder.encode(date, forKey: "date")
    try coder.encode(tags, forKey: "tags")
  }

  init(coder: KeyedUnarchiver) throws {
    title = try coder.decode(String.self, forKey: "title")
    text = try coder.decode(String.self, forKey: "text")
    priority = try coder.decode(Int.self, forKey: "priority")
    date = try coder.decode(Date.self, forKey: "date")
    tags = try coder.decode([String].self, forKey: "tags")
  }
}

/// The same note for Foundation.
final class FoundationNote: NSObject, NSSecureCoding {
  static let supportsSecureCoding = true

  let title: String
  let text: String
  let priority: Int
  let date: Date
  let tags: [String]

  init(title: String, text: String, priority: Int, date: Date, tags: [String]) {
    self.title = title
    self.text = text
    self.priority = priority
    self.date = date
    self.tags = tags
  }

  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "title")
    coder.encode(text as NSString, forKey: "text")
    coder.encode(priority, forKey: "priority")
    coder.encode(date as NSDate, forKey: "date")
    coder.encode(tags as NSArray, forKey: "tags")
  }

  init?(coder: NSCoder) {
    guard let title = coder.decodeObject(of: NSString.self, forKey: "title"),
      let text = coder.decodeObject(of: NSString.self, forKey: "text"),
      let date = coder.decodeObject(of: NSDate.self, forKey: "date"),
      let tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [String]
    else { return nil }
    self.title = title as String
    self.text = text as String
    priority = coder.decodeInteger(forKey: "priority")
    self.date = date as Date
    self.tags = tags
  }
}
