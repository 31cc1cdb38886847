import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists
import ToolSupport

struct Patch: EditingVerb {
  static let configuration = CommandConfiguration(
    verb: "patch",
    abstract: "Make the changes that diff --patch has written.",
    discussion: """
      A change that does not fit is an error, and the file stays as it is: what it removes or replaces has to be there, \
      and what it inserts must not. What no change touches may be different.

      \(EditingHelp.text)

      Example: plistutil patch changes.plist --in-place Info.plist
      """)

  @Argument(file: "The patch, in any format.", "patch")
  var patch: String

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination

  @Flag(help: "Undo the changes.")
  var reverse = false

  func validate() throws {
    if patch == "-", files.haveStandardInput { throw Input.readTwice }
  }

  func run() throws {
    let input = Input(patch)
    let difference = try telling(about: input.name) { () throws(PropertyListError) in
      var options = reading.options
      options.restoresCoercedValues = true
      let data = try input.data()
      do throws(PropertyListError) {
        return try PropertyListDifference(patch: PropertyList(data, options: options))
      } catch {
        throw error.namingDuplicatesOption
      }
    }
    try edit { [difference = reverse ? difference.inverse : difference] document, options throws(PropertyListError) in
      let value = try difference.applied(to: PropertyList(document.root))
      return EditedBytes(try document.data(updatedTo: value, options: options))
    }
  }
}
