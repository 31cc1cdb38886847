/// The HTML, the style sheet and the scripts that all pages share.
struct PageCode {
  /// The SHA-256 hash of ``script``, in base64. The policy of the page allows only a script with this hash. If it is
  /// wrong, a test fails and reports the right one.
  static let scriptHash = "96ZjgrQMha8Gu7eYBsIpFU12R4YHLdFgJPwySQIonTc="
  /// The SHA-256 hash of ``style``, in base64, like ``scriptHash``.
  static let styleHash = "aG33bTcS6kg+05uha+mR3QFsbu28fRHQOg9qpPrFIOo="

  /// The scripts, in the order of their dependencies.
  static var script: [UInt8] {
    PackageResources.text_js + PackageResources.data_js + PackageResources.values_js + PackageResources.tree_js
      + PackageResources.filter_js + PackageResources.table_js + PackageResources.object_js
      + PackageResources.search_js + PackageResources.page_js
  }

  static var style: [UInt8] { PackageResources.page_css }

  /// The part of the page before the rows. Its content security policy allows the page to run only its own script, and
  /// not to load or send anything.
  var beginning: [UInt8] {
    let policy = """
      default-src 'none'; script-src 'sha256-\(Self.scriptHash)'; style-src 'sha256-\(Self.styleHash)'; img-src data:; \
      base-uri 'none'; form-action 'none'
      """
    let head = """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <title>Objects</title>
      <style>
      """
    return Array(head.utf8) + Self.style + Array("</style>\n".utf8) + PackageResources.page_html
  }

  /// The part of the page after the rows and the JSON of ``PageHead``.
  static var end: [UInt8] { Array("<script>".utf8) + script + Array("</script>\n</html>\n".utf8) }
}
