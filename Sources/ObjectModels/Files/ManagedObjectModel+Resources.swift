internal import FoundationEssentials
public import ProgramFolders

extension ManagedObjectModel {
  /// Reads a model from the resources of a program or a module, by its name.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(named: "Notes", in: .module("NotesKit"))
  /// ```
  ///
  /// The model is a compiled one (`Notes.momd`, `Notes.mom`), or else a source (`Notes.xcdatamodeld`,
  /// `Notes.xcdatamodel`), because there is no compiler for models on Linux.
  ///
  /// - Throws: ``ManagedObjectModelError/resource(_:)`` with all folders that were searched if there is no such model,
  ///   and the errors of ``init(contentsOf:)``.
  public convenience init(named name: String, in bundle: ResourceBundle) throws(ManagedObjectModelError) {
    try self.init(contentsOf: ModelResource.url(of: name, in: bundle))
  }

  /// Returns a model that combines all models in the resources of programs and modules: Core Data's
  /// `mergedModel(from:)`.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel.mergedModel(from: ResourceBundle.allBundles)
  /// ```
  ///
  /// If a bundle has a compiled model and a source with the same name, only the compiled one is read.
  ///
  /// - Throws: ``ManagedObjectModelError/resource(_:)`` with all folders that were searched if there is no model, the
  ///   errors of ``init(contentsOf:)`` for any of them, and those of ``merging(_:)-swift.type.method``.
  public static func mergedModel(
    from bundles: [ResourceBundle]
  ) throws(ManagedObjectModelError) -> ManagedObjectModel {
    var models: [ManagedObjectModel] = []
    for bundle in bundles {
      for url in try ModelResource.urls(in: bundle) { models.append(try ManagedObjectModel(contentsOf: url)) }
    }
    guard !models.isEmpty else {
      throw .resource(.notFound("*" + ModelResource.extensions, searched: bundles.map(\.resourceURL)))
    }
    return try merging(models)
  }
}

extension ModelLocalization {
  /// Creates the localization of a model from the `.strings` file that belongs to it, in the preferred languages of a
  /// bundle.
  ///
  /// ```swift
  /// let strings = try ModelLocalization(forModelNamed: "Notes", in: .main)   // de.lproj/NotesModel.strings
  /// ```
  ///
  /// The name of the file is the name of the model with `Model` appended, even if the name of the model already ends
  /// with `Model` (Core Data Programming Guide, "Localizing a Managed Object Model"). Without a file, the localization
  /// is empty.
  ///
  /// - Throws: The errors of `ResourceBundle.localizedStrings(table:)`.
  public init(forModelNamed name: String, in bundle: ResourceBundle) throws(ProgramFoldersError) {
    self.init(try bundle.localizedStrings(table: name + "Model"))
  }

  /// Creates the localization of a merged model from the `.strings` files of all models in the resources of bundles. If
  /// two files have the same key, the string of the first bundle is used.
  ///
  /// ```swift
  /// let bundles = try ResourceBundle.allBundles
  /// let model = try ManagedObjectModel.mergedModel(from: bundles)
  /// let strings = try ModelLocalization(forModelsIn: bundles)
  /// ```
  ///
  /// - Throws: The errors of `ResourceBundle.localizedStrings(table:)`.
  public init(forModelsIn bundles: [ResourceBundle]) throws(ProgramFoldersError) {
    self.init()
    for bundle in bundles {
      for url in try ModelResource.urls(inResourcesOf: bundle) {
        let name = url.deletingPathExtension().lastPathComponent
        let strings = try ModelLocalization(forModelNamed: name, in: bundle)
        entries.merge(strings.entries) { first, _ in first }
      }
    }
  }
}

/// Finds the files and folders of models in resources.
private enum ModelResource {
  /// The extensions of models. The first one that exists is used.
  private static let kinds = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

  /// The extensions in error messages.
  static var extensions: String { ".{\(kinds.joined(separator: ","))}" }

  static func url(of name: String, in bundle: ResourceBundle) throws(ManagedObjectModelError) -> URL {
    var searched: [URL] = []
    for kind in kinds {
      do throws(ProgramFoldersError) {
        return try bundle.url(forResource: name, withExtension: kind)
      } catch {
        guard case .notFound(_, let folders) = error else { throw .resource(error) }
        searched = folders
      }
    }
    throw .resource(.notFound(name + extensions, searched: searched))
  }

  static func urls(in bundle: ResourceBundle) throws(ManagedObjectModelError) -> [URL] {
    do throws(ProgramFoldersError) { return try urls(inResourcesOf: bundle) } catch { throw .resource(error) }
  }

  /// Returns the models of a bundle, one for each name.
  static func urls(inResourcesOf bundle: ResourceBundle) throws(ProgramFoldersError) -> [URL] {
    var names: Set<String> = []
    var models: [URL] = []
    for kind in kinds {
      for url in try bundle.urls(forResourcesWithExtension: kind)
      where names.insert(url.deletingPathExtension().lastPathComponent).inserted {
        models.append(url)
      }
    }
    return models
  }
}
