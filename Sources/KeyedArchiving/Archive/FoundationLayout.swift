/// The archived keys of a Foundation class whose objects are simple values, such as strings and arrays.
///
/// The keys are the ones in Apple's archives from macOS 10.14.
package struct FoundationLayout {
  package let form: Form
  /// True for a mutable class. A reader can create its objects before it decodes their contents, so they can contain
  /// themselves.
  package let isMutable: Bool

  package enum Form {
    case array, set, dictionary, string, data, date, uuid, url
  }

  package init?(className: String) {
    guard let (form, isMutable) = Self.classes[ClassName.normalized(className)] else { return nil }
    self.form = form
    self.isMutable = isMutable
  }

  private static let classes: [String: (Form, isMutable: Bool)] = [
    "NSArray": (.array, false), "NSMutableArray": (.array, true), "NSSet": (.set, false), "NSMutableSet": (.set, true),
    "NSDictionary": (.dictionary, false), "NSMutableDictionary": (.dictionary, true), "NSString": (.string, false),
    "NSMutableString": (.string, true), "NSData": (.data, false), "NSMutableData": (.data, true),
    "NSDate": (.date, false), "NSUUID": (.uuid, false), "NSURL": (.url, false),
  ]

  package var keys: [String] {
    switch form {
    case .array, .set: ["NS.objects"]
    case .dictionary: ["NS.keys", "NS.objects"]
    case .string: ["NS.string"]
    case .data: ["NS.data"]
    case .date: ["NS.time"]
    case .uuid: ["NS.uuidbytes"]
    case .url: ["NS.relative", "NS.base"]
    }
  }

  /// True if views show the value without the name of the class, because its form, such as `[…]`, implies the class.
  package var isTold: Bool {
    switch form {
    case .array, .dictionary, .string, .data, .date: !isMutable
    case .set, .uuid, .url: false
    }
  }

  package var isCollection: Bool {
    switch form {
    case .array, .set, .dictionary: true
    case .string, .data, .date, .uuid, .url: false
    }
  }
}
