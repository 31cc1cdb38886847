internal import ObjectModels
internal import PropertyLists

/// Errors in the words of a language. It is given with each call and not kept by a model, so that one process can
/// answer in several languages, and programs still decide by codes and keys.
extension ManagedObjectError {
  /// As ``description``, with the names and texts of a localisation: `Notiz, Titel: zu lang`. Several errors have a
  /// line each.
  ///
  /// Entity and property have their names there, and what is wrong is ``ModelLocalization/text(of:)``.
  public func description(in localization: ModelLocalization) -> String {
    if !details.isEmpty { return details.map { $0.description(in: localization) }.joined(separator: "\n") }
    var location: [String] = []
    if let entity = objectID?.entity {
      location.append(localization.name(of: entity))
      if let key { location.append(localization.name(ofProperty: key, in: entity).printable(limit: 100)) }
    } else if let key {
      location.append(key.printable(limit: 100))
    }
    let text = localization.text(of: self)
    return withFile((location.isEmpty ? text : "\(location.joined(separator: ", ")): \(text)") + end(\.text))
  }
}

extension ModelLocalization {
  /// The text of an error, without a location.
  ///
  /// It is the text under `ErrorString/` and the error's message, which of a validation with a warning is the warning;
  /// without that the text under `ErrorString/` and the error's code, such as `ErrorString/1570` for a value that is
  /// missing; else the message.
  public func text(of error: ManagedObjectError) -> String {
    entries["ErrorString/\(error.message)"] ?? entries["ErrorString/\(error.code.rawValue)"] ?? error.message
  }
}
