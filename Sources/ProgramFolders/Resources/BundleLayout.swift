internal import FoundationEssentials
internal import SystemFiles

/// The paths of the parts of a bundle.
///
/// | bundle | resources | information |
/// |---|---|---|
/// | `X.app` of macOS, `X.bundle` | `Contents/Resources` | `Contents/Info.plist` |
/// | `X.framework` of macOS | `Resources` | `Resources/Info.plist` |
/// | `X.app` and `X.framework` of iOS, any folder | the bundle itself | `Info.plist` |
///
/// The source is the Bundle Programming Guide, section "Bundle Structures".
struct BundleLayout {
  /// The folder with the resources. It may not exist.
  let resources: String
  /// The file `Info.plist`. It may not exist.
  let information: String

  init(of bundle: String) {
    let contents = FileSystem.join(bundle, "Contents")
    let framework = FileSystem.join(bundle, "Resources")
    if FileSystem.isFolder(contents) {
      resources = FileSystem.join(contents, "Resources")
      information = FileSystem.join(contents, BundleLayout.informationName)
    } else {
      let isFramework = FileSystem.exists(FileSystem.join(framework, BundleLayout.informationName))
      resources = isFramework ? framework : bundle
      information = FileSystem.join(resources, BundleLayout.informationName)
    }
  }

  private static let informationName = "Info.plist"
}
