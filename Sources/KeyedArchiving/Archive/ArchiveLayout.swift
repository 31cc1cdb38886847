@_spi(Archives) package import PropertyLists

/// The parts at the root of every keyed archive.
package struct ArchiveLayout {
  package static let archiverName = "NSKeyedArchiver"
  package static let version = 100_000

  /// `$archiver`: the name of the class that wrote the archive.
  package let archiver: String
  /// `$top`: a dictionary with the top-level values by key. References to objects are UIDs.
  package let top: FlatNode
  /// `$objects`: an array with the objects by UID. The first is `$null`.
  package let objects: FlatNode

  package init(_ document: PropertyListDocument) throws(KeyedArchiveError) {
    let parts = ArchiveParts(document)
    if let finding = parts.findings.first { throw finding.error }
    guard let archiver = parts.archiver, let top = parts.top, let objects = parts.objects else {
      throw KeyedArchiveError(.notAnArchive, "the property list is not a keyed archive")
    }
    self.archiver = archiver
    self.top = top
    self.objects = objects
  }
}

/// The parts of an archive that a property list contains, and a finding for each part that is missing or invalid.
package struct ArchiveParts {
  package private(set) var archiver: String?
  package private(set) var top: FlatNode?
  package private(set) var objects: FlatNode?
  package private(set) var findings: [(kind: KeyedArchive.Finding.Kind, error: KeyedArchiveError)] = []

  package init(_ document: PropertyListDocument) {
    let root = document.flatRoot
    guard root.kind == .dictionary else {
      lacks(.root, "its root is not a dictionary")
      return
    }
    var parts: [String: FlatNode] = [:]
    // A keyed archive has four keys. At most 64 are read, so that a damaged file cannot cause much work.
    for entry in 0..<min(root.count, 64) {
      do {
        let key = try document.key(ofEntry: entry, of: root)
        guard parts.updateValue(try document.value(ofEntry: entry, of: root), forKey: key) == nil else {
          let error = PropertyListError(.duplicateKey, "duplicate key \(key.quoted)")
          findings.append((.duplicateKey, KeyedArchiveError(error)))
          continue
        }
      } catch {
        findings.append((.unreadableValue, KeyedArchiveError(error)))
      }
    }
    if let node = parts["$archiver"], node.kind == .string {
      do { archiver = try document.text(of: node) } catch {
        findings.append((.unreadableValue, KeyedArchiveError(error)))
      }
    } else {
      lacks(.archiver, "it has no string $archiver")
    }
    if let version = parts["$version"], version.kind == .integer {
      if version.integer != PropertyList.Integer(ArchiveLayout.version) {
        lacks(.version, "its $version is \(version.integer), not \(ArchiveLayout.version)")
      }
    } else {
      lacks(.version, "it has no integer $version")
    }
    if let node = parts["$top"], node.kind == .dictionary {
      top = node
    } else {
      lacks(.top, "it has no dictionary $top")
    }
    if let node = parts["$objects"], node.kind == .array {
      objects = node
    } else {
      lacks(.objectTable, "it has no array $objects")
    }
  }

  private mutating func lacks(_ kind: KeyedArchive.Finding.Kind, _ reason: String) {
    findings.append((kind, KeyedArchiveError(.notAnArchive, "the property list is not a keyed archive: \(reason)")))
  }
}

extension PropertyListReadingOptions {
  package static func archive(_ limits: ParsingLimits) -> PropertyListReadingOptions {
    PropertyListReadingOptions(limits: limits, restoresCoercedValues: true)
  }
}
