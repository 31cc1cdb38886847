public import OrderedCollections
internal import PropertyLists

/// Functions that return the source text of Swift classes for a model.
extension ManagedObjectModel {
  /// Returns Swift code with a class for each entity of the model, in the form that the module ManagedObjects needs.
  ///
  /// ```swift
  /// let code = model.swiftSource(named: "Notes") { message in print("note:", message) }
  /// try code.write(to: URL(filePath: "Notes.swift"), atomically: true, encoding: .utf8)
  /// ```
  ///
  /// The model that the code creates from the classes, `NotesModel.model()`, has the same version hashes as this model,
  /// so that it opens the same stores. The classes can also be joined with this model: `joined(with:
  /// NotesModel.classes)`.
  ///
  /// Parts that a class cannot have, such as a property with a name that every object uses, become comments in the
  /// code, and are reported. Settings that only model editors use, such as `codeGenerationType`, are left out.
  ///
  /// - Parameters:
  ///   - name: The name of the model.
  ///   - isPublic: True for public classes.
  ///   - report: Called with a message for each part of the model that the classes do not have, or that needs a type of
  ///     the program.
  /// - Complexity: O(*n*) in the number of properties.
  public func swiftSource(
    named name: String = "", isPublic: Bool = false, report: (String) -> Void = { _ in }
  ) -> String {
    let source = SwiftSource(self, name, isPublic, report)
    return source.file(source.classes + [source.modelType])
  }

  /// Returns the contents of Swift files, by file name. Each file has the class of an entity; the last one lists the
  /// classes.
  ///
  /// ```swift
  /// for (name, code) in model.swiftFiles(named: "Notes") {
  ///   try code.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
  /// }
  /// ```
  ///
  /// See ``swiftSource(named:isPublic:report:)`` for the code and the parameters.
  ///
  /// - Complexity: O(*n*) in the number of properties.
  public func swiftFiles(
    named name: String = "", isPublic: Bool = false, report: (String) -> Void = { _ in }
  ) -> OrderedDictionary<String, String> {
    let source = SwiftSource(self, name, isPublic, report)
    var files: OrderedDictionary<String, String> = [:]
    for (name, part) in zip(source.names.classes, source.classes) { files["\(name).swift"] = source.file([part]) }
    files["\(source.names.modelType).swift"] = source.file([source.modelType])
    return files
  }
}

/// The parts of the code for a model.
private struct SwiftSource {
  struct Part {
    let lines: [String]
    let code: SwiftCode
  }

  let names: SwiftNames
  /// The class of each entity.
  let classes: [Part]
  /// The type that lists the classes.
  let modelType: Part
  private let modelName: String
  private let isPublic: Bool

  init(_ model: ManagedObjectModel, _ name: String, _ isPublic: Bool, _ report: (String) -> Void) {
    let names = SwiftNames(model, named: name)
    self.names = names
    modelName = name
    self.isPublic = isPublic
    let inverses = SwiftInverses(model, names)
    let classes = model.entities.map { entity in
      SwiftClass(entity, names: names, inverses: inverses, isPublic: isPublic)
    }
    let described = classes.map { !$0.statements.isEmpty }
    self.classes = classes.map { one in
      one.notes.forEach(report)
      let describesBelow = one.entity.selfAndDescendants.dropFirst().contains { described[$0.index] }
      return Part(lines: one.lines(describesBelow: describesBelow), code: one.code)
    }
    modelType = Self.modelType(model, names, isPublic ? "public " : "", report)
  }

  /// Returns the text of a file with classes.
  func file(_ parts: [Part]) -> String {
    var code = SwiftCode(names: names)
    for part in parts { code.addModules(of: part.code) }
    let ofModel = modelName.isEmpty ? "a model" : "the model \(modelName.printable(limit: 100))"
    var lines = [
      "// Generated from \(ofModel). Write methods in extensions in other files.", "// swift-format-ignore-file", "",
    ]
    let access = isPublic ? "public " : ""
    if code.usesFoundation || code.declaresFoundationTypes {
      lines.append("\(code.declaresFoundationTypes ? access : "")import FoundationEssentials")
    }
    lines.append("\(access)import ManagedObjects")
    if code.usesPropertyLists { lines.append("import PropertyLists") }
    for part in parts { lines += [""] + part.lines }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func modelType(
    _ model: ManagedObjectModel, _ names: SwiftNames, _ access: String, _ report: (String) -> Void
  ) -> Part {
    let code = SwiftCode(names: names)
    let modelClass = names.type("ManagedObjectModel")
    var body: [String] = []
    var arguments = ["classes: classes"]
    if !model.configurations.isEmpty {
      let entries = model.configurations.map { "\(code.literal($0)): \(code.literal($1))" }
      arguments.append("configurations: [\(entries.joined(separator: ", "))]")
    }
    var settings = SwiftSettings(code: code)
    var templates: [String] = []
    for (index, (name, request)) in model.fetchRequestTemplates.enumerated() {
      var template = SwiftSettings(code: settings.code)
      body.append(template.declaration("template\(index)", request))
      body += template.statements
      for message in template.notes {
        report("fetch-request template \(name.quoted): \(message)")
        body.append("// \(name.quoted): \(message)")
      }
      templates.append("\(code.literal(name)): template\(index)")
      settings.code = template.code
    }
    if !templates.isEmpty { arguments.append("fetchRequestTemplates: [\(templates.joined(separator: ", "))]") }
    if !model.versionIdentifiers.isEmpty {
      arguments.append("versionIdentifiers: \(code.literal(model.versionIdentifiers))")
    }
    let classes = model.entities.map { names.classOf($0) + ".self" }
    let effects = templates.isEmpty ? "throws(\(names.type("ManagedObjectModelError")))" : "throws"
    body.append("\(body.isEmpty ? "" : "return ")try \(modelClass)(\(arguments.joined(separator: ", ")))")
    let lines =
      [
        "/// The classes of the model, and the model that is made of them.", "\(access)enum \(names.modelType) {",
        "  \(access)static var classes: [\(names.type("ManagedObject")).Type] {",
      ]
      + SwiftLayout.lines("[\(classes.joined(separator: ", "))]", indentation: 4).map { "    " + $0 }
      + ["  }", "", "  \(access)static func model() \(effects) -> \(modelClass) {"]
      + body.flatMap { SwiftLayout.lines($0, indentation: 4) }.map { "    " + $0 } + ["  }", "}"]
    return Part(lines: lines, code: settings.code)
  }
}
