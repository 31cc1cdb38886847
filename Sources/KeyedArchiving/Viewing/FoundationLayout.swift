/// The classes of Foundation whose objects everybody knows by their value, and what their objects consist of.
///
/// The keys are those that Apple's archives of macOS 10.14 have.
struct FoundationLayout {
  let form: Form
  /// Whether it is the mutable class of its kind, whose objects can be made before their contents, and so contain
  /// themselves.
  let isMutable: Bool

  enum Form {
    case array, set, dictionary, string, data, date, uuid, url
  }

  init?(className: String) {
    switch ClassName.normalized(className) {
    case "NSArray": self.init(form: .array, isMutable: false)
    case "NSMutableArray": self.init(form: .array, isMutable: true)
    case "NSSet": self.init(form: .set, isMutable: false)
    case "NSMutableSet": self.init(form: .set, isMutable: true)
    case "NSDictionary": self.init(form: .dictionary, isMutable: false)
    case "NSMutableDictionary": self.init(form: .dictionary, isMutable: true)
    case "NSString": self.init(form: .string, isMutable: false)
    case "NSMutableString": self.init(form: .string, isMutable: true)
    case "NSData": self.init(form: .data, isMutable: false)
    case "NSMutableData": self.init(form: .data, isMutable: true)
    case "NSDate": self.init(form: .date, isMutable: false)
    case "NSUUID": self.init(form: .uuid, isMutable: false)
    case "NSURL": self.init(form: .url, isMutable: false)
    default: return nil
    }
  }

  private init(form: Form, isMutable: Bool) {
    self.form = form
    self.isMutable = isMutable
  }

  /// The keys of an object.
  var keys: [String] {
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

  /// Whether the value tells the class.
  var isTold: Bool {
    switch form {
    case .array, .dictionary, .string, .data, .date: !isMutable
    case .set, .uuid, .url: false
    }
  }

  var isCollection: Bool {
    switch form {
    case .array, .set, .dictionary: true
    case .string, .data, .date, .uuid, .url: false
    }
  }
}
