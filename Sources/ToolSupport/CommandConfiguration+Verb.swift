package import ArgumentParser

extension CommandConfiguration {
  /// A verb of the tool. It is parsed by itself, without the other verbs, and its usage says whose verb it is.
  package init(
    verb: String, abstract: String, usage: String? = nil, discussion: String,
    subcommands: [any ParsableCommand.Type] = [], aliases: [String] = []
  ) {
    self.init(
      commandName: verb, _superCommandName: ToolName.current, abstract: abstract, usage: usage, discussion: discussion,
      subcommands: subcommands, aliases: aliases)
  }
}
