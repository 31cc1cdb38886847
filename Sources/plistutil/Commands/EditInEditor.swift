import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// The verb `edit`, which opens a file in an editor. The verbs that change one value are in `Edit.swift`.
struct EditInEditor: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "edit",
    abstract: "Edit a property list as text in your editor.",
    discussion: """
      The editor is $VISUAL, else $EDITOR, else vi. Its command must not end before the text is saved; use code \
      --wait, for example. A text file is edited as it is, a binary file as XML, or in the format of --as, and the \
      file keeps its format. What the text cannot show, such as fractions of seconds, is kept unless you edit that \
      value. If XML has no form for a value, the text is JSON.

      If the text has defects, they are shown as by lint, and you can edit it again. Nothing is written if the text \
      did not change, if the editor failed, or if another program changed the file meanwhile. A changed text that was \
      not written is kept; the message says where.

      Examples:
        plistutil edit Info.plist
        EDITOR='code --wait' plistutil edit --as json Settings.bplist
      """)

  @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
  var file: String

  @Option(name: .customLong("as"), help: ArgumentHelp("Edit the file in this text format.", valueName: "format"))
  var textFormat: FormatName?

  @Flag(help: "Write the text even if another program has changed the file meanwhile.")
  var force = false

  @OptionGroup var reading: ReadingArguments
  @OptionGroup var color: ColorArgument

  func validate() throws {
    if file == "-" { throw ValidationError("Standard input cannot be edited; give a file.") }
    if textFormat?.format == .binary {
      throw ValidationError("Binary is not a text format; use --as with xml, json or openstep.")
    }
  }

  func run() throws {
    let input = Input(file)
    let exitCode = try telling(about: input.name) { () throws(PropertyListError) in try edit(input) }
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }

  private func edit(_ input: Input) throws(PropertyListError) -> Int32 {
    let found = try PropertyListError.converting(
      FileSystem.readRegularFile(input.path, limit: ParsingLimits().inputSize))
    guard let (data, identity) = found else {
      throw PropertyListError(.inputOutput(errno: ENOENT), "cannot open \(input.path): No such file or directory")
    }
    let shown = try shownText(data)
    var folder = try PropertyListError.converting(PrivateFolder())
    let isItself = shown.text == data
    let name = isItself ? input.relativePath : input.relativePath.withoutPathExtension + "." + shown.fileExtension
    let path = try PropertyListError.converting(folder.create(name, with: shown.text))
    // A signal that ends this program also ends the editor, and the text must be kept.
    Signals.deferInterruption()
    while true {
      let failure = try Editor.edit(path)
      let text: Data
      do { text = try savedText(path) } catch {
        // The editor may have saved the text under another name in the folder.
        folder.keep()
        note("\(input.name): not written")
        throw error
      }
      if let failure {
        if text != shown.text { folder.keep() }
        let kept = text == shown.text ? "" : "; the text is kept in \(path)"
        throw PropertyListError(.inputOutput(errno: ECANCELED), "\(failure); \(input.name) is unchanged\(kept)")
      }
      if text == shown.text {
        note("\(input.name): not changed")
        return ExitCodes.success
      }
      if let signal = Signals.interruptedBy {
        folder.keep()
        note("plistutil: error: interrupted; \(input.name) is unchanged, and the text is kept in \(path)")
        return 128 + signal
      }
      do {
        if let file = try checked(text, shown, input) { return try write(file, data, identity, input) }
      } catch {
        guard error.kind == .notRepresentable, Editor.canAsk else {
          folder.keep()
          note(error.line(about: input.name))
          note("\(input.name): not written; the text is kept in \(path)")
          return error.exitCode
        }
        note(error.line(about: input.name))
      }
      guard Editor.canAsk, Editor.asksAgain() else {
        folder.keep()
        note("\(input.name): not written; the text is kept in \(path)")
        return Signals.interruptedBy.map { 128 + $0 } ?? ExitCodes.malformed
      }
    }
  }

  /// Returns the text that the editor has saved. Throws if the path is not a regular file: reading a pipe would wait.
  private func savedText(_ path: String) throws(PropertyListError) -> Data {
    let found = try PropertyListError.converting(FileSystem.readRegularFile(path, limit: ParsingLimits().inputSize))
    if let found { return found.0 }
    throw PropertyListError(.inputOutput(errno: ENOENT), "the editor did not leave a file at \(path)")
  }

  /// Returns the text that the editor shows for the contents of the file.
  private func shownText(_ data: Data) throws(PropertyListError) -> ShownText {
    let found = reading.inputFormat?.format ?? PropertyListFormat(detecting: data.bytes)
    if let found, found != .binary, textFormat.map({ $0.format == found }) ?? true {
      return ShownText(text: data, format: found, options: reading.options)
    }
    let document = try PropertyListDocument(data, format: found, options: reading.options)
    try document.validateWhole()
    if let textFormat { return try ShownText(document, as: textFormat) }
    do { return try ShownText(document, as: FormatName(.xml)) } catch {
      guard error.kind == .notRepresentable else { throw error }
      note("the text is JSON: \(error.detail)")
      return try ShownText(document, as: FormatName(.json))
    }
  }

  /// Returns the new contents of the file for an edited text. If the text has defects, prints them and returns nil.
  private func checked(_ text: Data, _ shown: ShownText, _ input: Input) throws(PropertyListError) -> Edited? {
    let linter = Linter(format: shown.format, options: shown.options, limit: 20)
    let result = linter.lint(text)
    if result.document == nil {
      var report = FileReport(input, isForMachines: false, replacements: nil)
      try report.list(result, text, linter, FindingText(name: input.name, isColored: color.isOn(for: 2)), true)
      return nil
    }
    return Edited(bytes: try shown.file(for: text, coerces: reading.coerce))
  }

  /// The result of checking an edited text that has no defects.
  private struct Edited {
    /// The new contents of the file; nil if no value has changed.
    let bytes: Data?
  }

  private func write(
    _ edited: Edited, _ data: Data, _ identity: FileIdentity, _ input: Input
  ) throws(PropertyListError) -> Int32 {
    guard let bytes = edited.bytes else {
      note("\(input.name): no value was changed")
      return ExitCodes.success
    }
    let isWritten = try PropertyListError.converting { () throws(FileError) in
      if force {
        try FileSystem.replace(input.path, with: bytes)
        return true
      }
      if try FileSystem.replace(input.path, with: bytes, unlessChangedSince: identity) { return true }
      // A file whose modification time changed may have the same bytes.
      let limit = ParsingLimits().inputSize
      guard let (current, now) = try FileSystem.readRegularFile(input.path, limit: limit), current == data else {
        return false
      }
      return try FileSystem.replace(input.path, with: bytes, unlessChangedSince: now)
    }
    if isWritten { return ExitCodes.success }
    throw PropertyListError(
      .conflict, "another program has changed the file since it was opened; use --force to write the text anyway")
  }
}
