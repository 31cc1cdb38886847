/// A uniform type identifier, such as `public.jpeg`. Identifiers are case-insensitive.
///
/// There is no type database. The known conformances are those of text, images, sound, archives and similar types in
/// Apple's public list.
@usableFromInline
struct TypeIdentifier: Hashable {
  private let name: String

  @usableFromInline init(_ name: String) { self.name = name.lowercased() }

  @usableFromInline func conforms(to other: TypeIdentifier) -> Bool {
    var seen: Set<String> = []
    var waiting = [name]
    while let type = waiting.popLast() {
      if type == other.name { return true }
      if seen.insert(type).inserted { waiting += Self.parents[type] ?? [] }
    }
    return false
  }

  private static let parents: [String: [String]] = [
    "public.data": ["public.item"], "public.content": [], "public.directory": ["public.item"],
    "public.folder": ["public.directory"], "public.composite-content": ["public.content"],
    "public.text": ["public.data", "public.content"], "public.plain-text": ["public.text"],
    "public.utf8-plain-text": ["public.plain-text"], "public.utf16-plain-text": ["public.plain-text"],
    "public.rtf": ["public.text"], "public.html": ["public.text"], "public.xml": ["public.text"],
    "public.json": ["public.text"], "public.source-code": ["public.plain-text"],
    "public.swift-source": ["public.source-code"], "public.c-source": ["public.source-code"],
    "public.comma-separated-values-text": ["public.delimited-values-text"],
    "public.delimited-values-text": ["public.text"], "public.vcard": ["public.text", "public.contact"],
    "public.image": ["public.data", "public.content"], "public.jpeg": ["public.image"],
    "public.png": ["public.image"], "public.tiff": ["public.image"], "public.heic": ["public.heif-standard"],
    "public.heif-standard": ["public.image"], "com.compuserve.gif": ["public.image"],
    "com.microsoft.bmp": ["public.image"], "org.webmproject.webp": ["public.image"],
    "public.svg-image": ["public.image"],
    "public.audiovisual-content": ["public.data", "public.content"],
    "public.movie": ["public.audiovisual-content"], "public.video": ["public.movie"],
    "public.mpeg-4": ["public.movie"], "com.apple.quicktime-movie": ["public.movie"],
    "public.audio": ["public.audiovisual-content"], "public.mp3": ["public.audio"],
    "public.mpeg-4-audio": ["public.audio", "public.mpeg-4"], "com.microsoft.waveform-audio": ["public.audio"],
    "public.archive": ["public.data"], "public.zip-archive": ["public.archive"],
    "com.pkware.zip-archive": ["public.zip-archive"], "public.tar-archive": ["public.archive"],
    "com.adobe.pdf": ["public.data", "public.composite-content"],
    "com.apple.property-list": ["public.data"],
    "com.apple.xml-property-list": ["com.apple.property-list", "public.xml"],
    "com.apple.binary-property-list": ["com.apple.property-list"],
  ]
}
