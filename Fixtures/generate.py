#!/usr/bin/env python3
"""Makes the golden files of this folder. README.md says which producer each comes from and how to run this.

What plistlib, plistutil or plutil can write, they write. The rest is laid out here byte by byte, from the description of the
formats, by code that shares nothing with the library under test.
"""

import base64
import datetime
import hashlib
import json
import os
import pathlib
import plistlib
import shutil
import struct
import subprocess

# GNUstep has a plutil too; the one meant here comes with the Swift toolchain, and is Foundation's PropertyListSerialization.
PLUTIL = pathlib.Path(shutil.which("swift")).resolve().parent / "plutil"
HERE = pathlib.Path(__file__).resolve().parent


def put(name, data):
    path = HERE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


# -- Values that every producer can write ----------------------------------------------------------------------------------

KINDS = {
    "zulu": "first key, last in the alphabet",
    "empty string": "",
    "ASCII": "plain text",
    "markup": "a < b && c > d \"quoted\" 'single'",
    "BMP": "Größe 東京 ελληνικά",
    "astral": "x😀y𝄞z",
    "multi\nline": "one\ntwo\n\tthree",
    "zero": 0, "one": 1, "byte": 255, "short": 256, "word": 65535, "long": 65536, "dword": 4294967295,
    "quad": 4294967296, "largest": 9223372036854775807, "minus one": -1, "smallest": -9223372036854775808,
    "unsigned": 9223372036854775808, "greatest": 18446744073709551615,
    "real": 1.5, "negative real": -0.25, "tenth": 0.1, "whole real": 2.0, "huge": 1e300, "tiny": 1e-300,
    "true": True, "false": False,
    "date": datetime.datetime(2026, 2, 28, 23, 59, 59), "epoch": datetime.datetime(2001, 1, 1),
    "before": datetime.datetime(1969, 7, 20, 20, 17, 40),
    "data": bytes(range(100)), "no data": b"", "one byte": b"\x00",
    "array": [1, "two", [3.5, []], {}],
    "empty array": [], "empty dictionary": {},
    "nested": {"a": {"b": {"c": {"d": b"deep data, wrapped more narrowly the deeper it is, in 76 - 8 n columns"}}}},
}

COUNTS = {
    **{f"string {n}": "s" * n for n in (14, 15, 16, 255, 256, 65535, 65536)},
    **{f"unicode {n}": "é" * n for n in (14, 15, 16, 255, 256)},
    **{f"data {n}": b"d" * n for n in (14, 15, 16, 255, 256)},
    **{f"array {n}": list(range(n)) for n in (14, 15, 16, 255, 256, 300)},
    **{f"dictionary {n}": {str(i): i for i in range(n)} for n in (14, 15, 16, 255, 256)},
}


def producers():
    for name, value in (("kinds", KINDS), ("counts", COUNTS)):
        xml = put(f"xml/{name}-python.plist", plistlib.dumps(value, sort_keys=False))
        put(f"binary/{name}-python.bplist", plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False))
        run("plistutil", "-i", xml, "-f", "bin", "-o", HERE / f"binary/{name}-libplist.bplist")
        run("plistutil", "-i", HERE / f"binary/{name}-libplist.bplist", "-f", "xml",
            "-o", HERE / f"xml/{name}-libplist.plist")
        run(PLUTIL, "-convert", "binary1", "-o", HERE / f"binary/{name}-foundation.bplist", xml)
        run(PLUTIL, "-convert", "xml1", "-o", HERE / f"xml/{name}-foundation.plist", xml)
    put("binary/uid-python.bplist", plistlib.dumps(
        [plistlib.UID(n) for n in (0, 1, 255, 256, 65535, 65536, 4294967295)], fmt=plistlib.FMT_BINARY))
    put("xml/uid-python.plist", plistlib.dumps([{"CF$UID": n} for n in (0, 1, 255, 256, 65535, 65536, 4294967295)]))
    shared = ["shared between several places"]
    put("binary/shared-python.bplist", plistlib.dumps({"a": shared, "b": shared, "c": [shared, shared]},
                                                       fmt=plistlib.FMT_BINARY))


def json_producers():
    value = {key: value for key, value in KINDS.items() if not contains_other_kinds(value)}
    python = put("json/kinds-python.json", json.dumps(value, ensure_ascii=False, indent=2) + "\n")
    put("json/kinds-ascii-python.json", json.dumps(value, separators=(",", ":")))
    # With its keys sorted, which are in another order in each run otherwise.
    run(PLUTIL, "-convert", "json", "-r", "-o", HERE / "json/kinds-foundation.json", python)


def openstep_producers():
    """GNUstep writes plain OpenStep and its own types. Integers beyond 64 bits with a sign become the greatest of those."""
    source = HERE / "xml/kinds-python.plist"
    plain = subprocess.run(["pl"], stdin=source.open(), check=True, stdout=subprocess.PIPE).stdout
    put("openstep/kinds-gnustep.plist", plain)
    run("plmerge", HERE / "openstep/kinds-typed-gnustep.plist", source)


def openstep_by_hand():
    put("openstep/strings.strings",
        '/* A comment. */\n"key" = "value";\n// Another one.\nbare = word;\n"shorthand";\n'
        '"escapes" = "\\a\\b\\t\\n\\v\\f\\r\\"\\\\\\U00e9\\101";\n')
    put("openstep/utf-16.strings", '\ufeff"Größe" = "東京";\n'.encode("utf-16-le"))
    put("openstep/data.plist", "( <>, <00>, <0f 0F\n\tf0>, <DEADBEEF> )\n")
    put("openstep/quotes.plist", "{ 'single' = 'it\\'s'; \"double\" = \"a \\\"b\\\"\"; a.b/c:d_e-f$g = (x,y,); }\n")
    # Of a number in octal, as NeXTSTEP's own encoding has the character.
    put("openstep/nextstep.plist", '{ "octal" = "\\341\\201"; }\n')


def contains_other_kinds(value):
    """Whether there are dates or data in a value, which JSON has not."""
    if isinstance(value, dict):
        return any(contains_other_kinds(child) for child in value.values())
    return isinstance(value, (datetime.datetime, bytes))


def run(*command):
    # Foundation writes the keys of a dictionary in the order of a hash table, which has another seed in each process.
    environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, env=environment)


# -- The binary format by hand ---------------------------------------------------------------------------------------------

def layout(objects, *, offset_width=1, reference_width=1, top=0, count=None, table=None, offsets=None, magic=b"bplist00",
           tail=b"", gap=b""):
    """A file of the given objects, each its own bytes, with a trailer that says what the arguments say."""
    body = magic
    places = []
    for data in objects:
        places.append(len(body))
        body += data
    start = len(body)
    body += gap
    for place in offsets if offsets is not None else places:
        body += place.to_bytes(offset_width, "big")
    body += bytes(6) + bytes([offset_width & 255, reference_width & 255])
    body += struct.pack(">QQQ", len(places) if count is None else count, top, start + len(gap) if table is None else table)
    return body + tail


def by_hand():
    for width in range(1, 9):
        reference = lambda n: n.to_bytes(width, "big")
        objects = [b"\xd1" + reference(1) + reference(2), b"\x51A", b"\x51B"]
        put(f"binary/reference-width-{width}.bplist", layout(objects, reference_width=width))
        put(f"binary/offset-width-{width}.bplist", layout([b"\xd1\x01\x02", b"\x51A", b"\x51B"], offset_width=width))
    put("binary/null.bplist", layout([b"\xa1\x01", b"\x00"]))
    put("binary/set.bplist", layout([b"\xc2\x01\x02", b"\x10\x01", b"\x10\x02"]))
    put("binary/float.bplist", layout([b"\xa2\x01\x02", b"\x22" + struct.pack(">f", 24), b"\x23" + struct.pack(">d", 24)]))
    put("binary/date-fraction.bplist", layout([b"\x33" + struct.pack(">d", 0.5)]))
    put("binary/wide-integers.bplist", layout([
        b"\xa6\x01\x02\x03\x04\x05\x06", b"\x11\x00\x05", b"\x12\x00\x00\x00\x05", b"\x13" + bytes(7) + b"\x05",
        b"\x14" + bytes(15) + b"\x05", b"\x14" + bytes(8) + b"\xff" * 8, b"\x14" + b"\xff" * 16]))
    put("binary/wide-counts.bplist", layout([b"\xaf\x13" + bytes(7) + b"\x02\x01\x02", b"\x5f\x10\x01A", b"\x6f\x11\x00\x01\x00B"]))
    put("binary/wide-uid.bplist", layout([b"\x87" + bytes(7) + b"\x07"]))
    put("binary/version-01.bplist", layout([b"\x09"], magic=b"bplist01"))
    put("binary/orphans.bplist", layout([b"\xa1\x02", b"\xf0", b"\x09"]))


# -- XML by hand -----------------------------------------------------------------------------------------------------------

DOCTYPE = ('<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
           '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">')
SAMPLE = "<dict><key>käse</key><string>Größe</string></dict>"


def xml(body, head='<?xml version="1.0" encoding="UTF-8"?>\n' + DOCTYPE + "\n"):
    return f'{head}<plist version="1.0">{body}</plist>\n'


def xml_by_hand():
    bare = '<?xml version="1.0"?>\n'
    put("xml/utf8-mark.plist", b"\xef\xbb\xbf" + xml(SAMPLE).encode())
    for name, codec in (("utf16-little", "utf-16-le"), ("utf16-big", "utf-16-be"),
                        ("utf32-little", "utf-32-le"), ("utf32-big", "utf-32-be")):
        put(f"xml/{name}-mark.plist", ("\ufeff" + xml(SAMPLE, bare)).encode(codec))
    put("xml/utf16-little.plist", xml(SAMPLE, bare).encode("utf-16-le"))
    put("xml/utf16-big.plist", xml(SAMPLE, bare).encode("utf-16-be"))
    put("xml/latin1.plist", xml(SAMPLE, '<?xml version="1.0" encoding="ISO-8859-1"?>\n').encode("latin-1"))
    put("xml/windows-1252.plist", xml("<string>„Größe“ €</string>",
                                      "<?xml version='1.0' encoding='windows-1252'?>\n").encode("cp1252"))
    put("xml/shift-jis.plist", xml("<string>東京</string>",
                                   '<?xml version="1.0" encoding="Shift_JIS"?>\n').encode("shift_jis"))
    put("xml/references.plist", xml(
        "<array><string>&lt;&gt;&amp;&quot;&apos;</string><string>&#65;&#x42;&#x1F600;&#13;</string></array>"))
    put("xml/cdata.plist", xml(
        "<dict><key><![CDATA[a&b]]></key><string>x<![CDATA[<y>]]>z<![CDATA[]]></string></dict>"))
    put("xml/comments.plist", xml(
        "<!-- one --><dict><!-- two --><key>a<!-- three -->b</key><?pi some?><string>c<!-- four -->d</string></dict><!-- five -->",
        "<!-- before -->\n<?pi?>\n"))
    put("xml/line-ends.plist", xml("<array>\r\n<string>a\r\nb\rc\nd</string>\r\n</array>\r\n"))
    put("xml/no-plist-tag.plist", "<array><integer>1</integer></array>")
    put("xml/attributes.plist", '<plist version="1.0" xmlns="urn:x"><array id="1"><true a=\'&lt;\'/></array></plist>')
    put("xml/integers.plist", xml("<array>" + "".join(f"<integer>{text}</integer>" for text in (
        "0", "-0", "+7", " 42", "- 5", "007", "0x1F", "0Xff", "-0x10", "18446744073709551615", "-9223372036854775808",
        "0xFFFFFFFFFFFFFFFF")) + "</array>"))
    put("xml/reals.plist", xml("<array>" + "".join(f"<real>{text}</real>" for text in (
        "0", "0.0", "-0.0", "1", "1.5", "-1e10", "+2.5E-3", ".5", "5.", "0.1", "123456789012345678901234567890",
        "2.2250738585072014e-308", "5e-324", "1.7976931348623157e308", "nan", "NaN", "inf", "-INF", "+infinity", "-Infinity"))
        + "</array>"))
    put("xml/dates.plist", xml("<array>" + "".join(f"<date>{text}</date>" for text in (
        "2001-01-01T00:00:00Z", "2000-02-29T12:34:56Z", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z", "1600-02-29T00:00:00Z")) + "</array>"))
    put("xml/base64.plist", xml("<array>" + "".join(f"<data>{text}</data>" for text in (
        "", " \n\t", "AA==", "AAE=", "AAEC", "\n\tAA\n\tEC\n", "A A E C A w = =")) + "</array>"))
    put("xml/uid-spelled-with-reference.plist", xml("<dict><key>CF$UI&#68;</key><integer>5</integer></dict>"))
    put("xml/style-sheet.plist", xml("<string>é</string>", '<?xml-stylesheet encoding="iso-8859-1"?>\n'))
    put("xml/angle-bracket-in-attribute.plist", xml('<array><data a="/>"></data><string a=">"/></array>'))
    put("xml/shift-jis-backslash.plist", xml("<string>日本\\~ｱ</string>",
                                             '<?xml version="1.0" encoding="shift_jis"?>\n').encode("shift_jis"))
    put("xml/empty-tags.plist", xml(
        "<array><string/><string></string><dict/><dict></dict><array/><array></array><true></true><false></false><data></data></array>"))


# -- Hostile inputs --------------------------------------------------------------------------------------------------------

def hostile():
    put("hostile/self-array.bplist", layout([b"\xa1\x00"]))
    put("hostile/circle-of-two.bplist", layout([b"\xa1\x01", b"\xa1\x00"]))
    put("hostile/dictionary-in-itself.bplist", layout([b"\xd1\x01\x00", b"\x51k"]))
    put("hostile/circle-below.bplist", layout([b"\xa2\x01\x02", b"\x09", b"\xa1\x03", b"\xa1\x02"]))
    levels = 60
    put("hostile/expansion.bplist", layout([bytes([0xA2, n + 1, n + 1]) for n in range(levels)] + [b"\x51x"]))
    put("hostile/expansion-of-nothing.bplist", layout(
        [bytes([0xA8] + [n + 1] * 8) for n in range(40)] + [b"\xa0"], offset_width=2))
    wide = [b"\xa8" + bytes([n + 1] * 8) for n in range(40)] + [b"\x5f\x10\x64" + b"x" * 100]
    put("hostile/expansion-of-text.bplist", layout(wide, offset_width=2))
    put("hostile/count-2-63.bplist", layout([b"\xaf\x13\x7f" + b"\xff" * 7]))
    put("hostile/count-negative.bplist", layout([b"\xaf\x13\xff" + b"\xff" * 7]))
    put("hostile/count-times-width.bplist", layout([b"\xdf\x13\x40" + bytes(7)], reference_width=8))
    put("hostile/count-of-16-bytes.bplist", layout([b"\x5f\x14\x01" + bytes(15) + b"abc"]))
    put("hostile/count-is-string.bplist", layout([b"\x5f\x51A"]))
    put("hostile/count-cut-off.bplist", layout([b"\x5f"]))
    put("hostile/width-0-references.bplist", layout([b"\xa1\x00"], reference_width=0))
    put("hostile/width-0-offsets.bplist", bytes(b"bplist00\x09") + b"\x08" + bytes(6) + b"\x00\x01" + struct.pack(">QQQ", 1, 0, 9))
    put("hostile/width-9.bplist", bytes(b"bplist00\x09") + bytes(8) + b"\x08" + bytes(6) + b"\x09\x01" + struct.pack(">QQQ", 1, 0, 9))
    put("hostile/table-beyond-end.bplist", layout([b"\x09"], table=2**64 - 1))
    put("hostile/table-in-trailer.bplist", layout([b"\x09"], table=20))
    put("hostile/table-in-header.bplist", layout([b"\x09"], table=3))
    put("hostile/table-overflow.bplist", layout([b"\x09"], count=2**61, offset_width=8))
    put("hostile/no-objects.bplist", layout([b"\x09"], count=0))
    put("hostile/top-beyond.bplist", layout([b"\x09"], top=1))
    put("hostile/gap.bplist", layout([b"\x09"], gap=b"\x00\x00", table=9))
    put("hostile/trailing-bytes.bplist", layout([b"\x09"], tail=b"\n"))
    put("hostile/narrow-references.bplist", layout([b"\x09"] * 256, offset_width=2))
    put("hostile/offset-in-header.bplist", layout([b"\xa1\x01", b"\x09"], offsets=[8, 2]))
    put("hostile/offset-in-table.bplist", layout([b"\xa1\x01", b"\x09"], offsets=[8, 12]))
    put("hostile/reference-beyond.bplist", layout([b"\xa1\x09"]))
    put("hostile/string-into-table.bplist", layout([b"\x5e" + b"abc"]))
    put("hostile/integer-into-table.bplist", layout([b"\x13\x00"]))
    put("hostile/integer-of-32-bytes.bplist", layout([b"\x15" + bytes(32)]))
    put("hostile/integer-of-80-bits.bplist", layout([b"\x14" + bytes(6) + b"\x01" + bytes(9)]))
    put("hostile/real-of-2-bytes.bplist", layout([b"\x21\x00\x00"]))
    put("hostile/uid-too-large.bplist", layout([b"\x84\x01" + bytes(4)]))
    put("hostile/unknown-marker.bplist", layout([b"\xf0"]))
    put("hostile/url-marker.bplist", layout([b"\x0c\x51a"]))
    put("hostile/key-is-array.bplist", layout([b"\xd1\x01\x02", b"\xa0", b"\x09"]))
    put("hostile/key-is-integer.bplist", layout([b"\xd1\x01\x02", b"\x10\x01", b"\x09"]))
    put("hostile/key-twice.bplist", layout([b"\xd2\x01\x01\x02\x02", b"\x51k", b"\x09"]))
    put("hostile/key-twice-in-two-objects.bplist", layout([b"\xd2\x01\x02\x03\x03", b"\x51k", b"\x61\x00k", b"\x09"]))
    put("hostile/not-ascii.bplist", layout([b"\x52a\xe9"]))
    put("hostile/lone-surrogate.bplist", layout([b"\x62\xd8\x3d\x00a"]))
    put("hostile/surrogate-at-end.bplist", layout([b"\x62\x00a\xd8\x3d"]))
    put("hostile/key-with-escapes.bplist", layout([b"\xd2\x01\x01\x02\x02", b"\x5a\x1b]0;hi\x07\nEV", b"\x09"]))
    put("hostile/expansion-of-numbers.bplist", layout([bytes([0xA2, n + 1, n + 1]) for n in range(40)] + [b"\x10\x05"]))
    put("hostile/expansion-far-below.bplist", layout(
        [b"\xa1" + (n + 1).to_bytes(2, "big") for n in range(480)]
        + [b"\xa2" + (n + 481).to_bytes(2, "big") * 2 for n in range(19)] + [b"\x50"], offset_width=2, reference_width=2))
    put("hostile/integer-all-ones-but-one.bplist", layout([b"\x14" + b"\xff" * 8 + bytes(7) + b"\x05"]))
    deep = 100_000
    width = 3
    put("hostile/deep-100000.bplist", layout(
        [b"\xa1" + (n + 1).to_bytes(width, "big") for n in range(deep)] + [b"\x09"], offset_width=3, reference_width=3))
    put("hostile/deep-513.bplist", layout(
        [b"\xa1" + (n + 1).to_bytes(2, "big") for n in range(513)] + [b"\x09"], offset_width=2, reference_width=2))
    put("hostile/overlap.bplist", overlap(20_000))
    put("hostile/truncated.bplist", plistlib.dumps(KINDS, fmt=plistlib.FMT_BINARY)[:-20])
    put("hostile/header-only.bplist", b"bplist00")
    put("hostile/version-15.bplist", b"bplist15" + bytes(64))

    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    put("hostile/billion-laughs.plist", f'<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY l0 "lol">{lol}]>'
        '<plist><string>&l9;</string></plist>')
    put("hostile/external-entity.plist", '<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        "<plist><string>&x;</string></plist>")
    put("hostile/unknown-entity.plist", xml("<string>&copy;</string>"))
    put("hostile/deep-100000.plist", xml("<array>" * 100_000 + "</array>" * 100_000))
    put("hostile/deep-513.plist", xml("<array>" * 513 + "</array>" * 513))
    put("hostile/many-attributes.plist", "<plist " + " ".join(f'a{n}=""' for n in range(200_000)) + "><true/></plist>")
    attributes = " ".join(f'a{n}=""' for n in range(40_000))
    put("hostile/many-attributes-after-an-error.plist", f'<array><a "<![CDATA[" > <!-- ]]> <e {attributes}/> --></array>')
    put("hostile/utf16-after-utf8-mark.plist", b"\xef\xbb\xbf" + xml("<string>hi</string>", "").encode("utf-16-le"))
    put("hostile/nul-after-the-end.plist", xml("<true/>") + "\0more")
    put("hostile/not-ascii-as-declared.plist", xml("<string>a?b</string>", '<?xml version="1.0" encoding="ascii"?>').encode()
        .replace(b"?b", b"\xe9b"))
    put("hostile/many-namespaces.plist", "<plist>" + "".join(
        f'<array xmlns:n{n}="u{n}">' for n in range(400)) + "</array>" * 400 + "</plist>")
    put("hostile/key-twice.plist", xml("\n<dict>\n<key>a</key><true/>\n<key>b</key><true/>\n  <key>a</key><false/>\n</dict>\n"))
    put("hostile/key-twice-spelled.plist", xml("<dict><key>a&amp;</key><true/><key>a&#38;</key><false/></dict>"))
    put("hostile/value-missing.plist", xml("<dict><key>a</key></dict>"))
    put("hostile/value-without-key.plist", xml("<dict><true/></dict>"))
    put("hostile/second-root.plist", xml("<true/><false/>"))
    put("hostile/unknown-tag.plist", xml("<array><foo/></array>"))
    put("hostile/prefixed-tag.plist", '<plist xmlns:p="urn:p"><p:true/></plist>')
    put("hostile/tag-in-string.plist", xml("<string>a<true/></string>"))
    put("hostile/text-in-array.plist", xml("<array>text</array>"))
    put("hostile/cdata-in-integer.plist", xml("<integer><![CDATA[1]]></integer>"))
    put("hostile/no-value.plist", xml(""))
    put("hostile/unclosed.plist", xml("<array><true/>").replace("</plist>", ""))
    put("hostile/after-the-end.plist", xml("<true/>") + "more")
    put("hostile/control-character.plist", xml("<string>a\x01b</string>"))
    put("hostile/nul.plist", xml("<string>a\x00b</string>"))
    put("hostile/noncharacter.plist", xml("<string>a\uffffb</string>"))
    put("hostile/cdata-end-in-text.plist", xml("<string>a]]>b</string>"))
    put("hostile/not-utf8.plist", xml("<string>a?b</string>").encode().replace(b"?b", b"\xffb"))
    put("hostile/utf8-cut-off.plist", xml("<string>a\x00</string>").encode().replace(b"a\x00", b"a\xe6\x9d"))
    put("hostile/utf16-odd.plist", b"\xff\xfe" + xml("<true/>", "").encode("utf-16-le") + b"\x00")
    put("hostile/unknown-encoding.plist", xml("<true/>", '<?xml version="1.0" encoding="x-none"?>'))
    put("hostile/encoding-with-options.plist", xml("<true/>", '<?xml version="1.0" encoding="UTF-8//IGNORE"?>'))
    for name, body in {
        "integer-empty": "<integer></integer>", "integer-junk": "<integer>12x</integer>",
        "integer-too-large": "<integer>18446744073709551616</integer>",
        "integer-too-small": "<integer>-9223372036854775809</integer>", "integer-tag-empty": "<integer/>",
        "real-empty": "<real></real>", "real-junk": "<real>1.5.2</real>", "real-hexadecimal": "<real>0x1p3</real>",
        "real-too-large": "<real>1e999</real>",
        "date-no-such-day": "<date>2026-02-30T00:00:00Z</date>", "date-no-such-hour": "<date>2026-01-01T25:00:00Z</date>",
        "date-with-fraction": "<date>2026-01-01T00:00:00.5Z</date>", "date-without-zone": "<date>2026-01-01T00:00:00</date>",
        "date-empty": "<date></date>",
        "data-cut-off": "<data>AAE</data>", "data-bad-character": "<data>AA*C</data>",
        "data-after-padding": "<data>AA==AA==</data>", "data-one-digit": "<data>A</data>",
    }.items():
        put(f"hostile/{name}.plist", xml(body))
    put("hostile/empty", b"")
    put("hostile/blank", b" \n\t ")
    put("hostile/text", b"just some text\n")


def overlap(count):
    """As many strings as bytes, each of which says that it runs to the end: the square of the file's length in text."""
    array = b"\xaf\x12" + struct.pack(">I", count) + b"".join((n + 1).to_bytes(3, "big") for n in range(count))
    start = 8 + len(array)
    filler = b"\x5f\x12" + struct.pack(">I", count) + b"\x20" * count
    return layout([array] + [filler] + [b""] * (count - 1), offset_width=3, reference_width=3,
                  offsets=[8] + [start] * count)


def archives():
    """The archive that a public description of the format prints byte by byte: an app on iOS wrote it."""
    key = lambda text: bytes([0x50 | len(text)]) + text.encode()
    put("archives/foo-ios.bplist", layout([
        bytes([0xD4, 1, 2, 3, 4, 5, 6, 22, 23]), key("$version"), key("$objects"), key("$archiver"), key("$top"),
        bytes.fromhex("12000186a0"), bytes([0xA4, 7, 8, 15, 16]), key("$null"),
        bytes([0xD3, 9, 10, 11, 12, 13, 14]), key("kBar"), key("kBaz"), key("$class"), bytes([0x80, 2]),
        bytes.fromhex("2241c00000"), bytes([0x80, 3]), b"\x67" + "祈求者Kael".encode("utf-16-be"),
        bytes([0xD2, 17, 18, 19, 20]), key("$classname"), key("$classes"), key("Foo"), bytes([0xA2, 19, 21]),
        key("NSObject"), b"\x5f\x10\x0fNSKeyedArchiver", bytes([0xD1, 24, 25]), key("root"), bytes([0x80, 1]),
    ]))


class Archive:
    """A keyed archive, put together object by object as Apple's archiver numbers them."""

    def __init__(self, archiver="NSKeyedArchiver"):
        self.archiver, self.objects, self.top, self.classes = archiver, ["$null"], {}, {}

    def place(self):
        """A UID for an object that is filled in later."""
        self.objects.append(None)
        return plistlib.UID(len(self.objects) - 1)

    def add(self, value):
        uid = self.place()
        self.objects[uid.data] = value
        return uid

    def describe(self, *names):
        if names not in self.classes:
            self.classes[names] = self.add({"$classname": names[0], "$classes": list(names)})
        return self.classes[names]

    def fill(self, uid, names, fields):
        self.objects[uid.data] = {**fields, "$class": self.describe(*names, "NSObject")}
        return uid

    def put(self, name):
        archive = {"$version": 100000, "$archiver": self.archiver, "$top": self.top, "$objects": self.objects}
        put(name, plistlib.dumps(archive, fmt=plistlib.FMT_BINARY, sort_keys=False))


def values_of_apples_classes():
    """Objects in the layouts that keyed-archive descriptions give for Apple's classes."""
    # Values without keys at the top, and the user's key $0, which has one more dollar.
    archive = Archive()
    archive.top = {"$0": archive.add("first"), "$1": archive.add(2), "$$0": archive.add("keyed"), "name": archive.add("n")}
    archive.put("archives/unkeyed.bplist")

    # An empty URL relative to another.
    archive = Archive()
    url, base = archive.place(), archive.place()
    text = archive.add("http://example.com/a/b?c")
    archive.fill(base, ["NSURL"], {"NS.base": plistlib.UID(0), "NS.relative": text})
    archive.top = {"root": archive.fill(url, ["NSURL"], {"NS.base": base, "NS.relative": archive.add("")})}
    archive.put("archives/empty-relative-url.bplist")

    # Text in two runs with the same font, a paragraph style with tab stops, and an attachment and its cell, which point
    # at each other. A class has a hint; the sizes are 8-byte, 4-byte and integer numbers, and bytes stand in their object.
    archive = Archive()
    archive.top = {"root": archive.place()}
    string = archive.add("ab")
    runs, first = archive.place(), archive.place()
    font_key, font, font_name = archive.add("NSFont"), archive.place(), archive.add("Helvetica")
    archive.objects[font.data] = {
        "NSName": font_name, "NSSize": 12.0, "NSfFlags": 16, "NSHinted": True, "NSBytes": b"\x01\x02",
        "NSMatrix": [1, 2.5, {"a": font_name}],
    }
    font_class = archive.add({
        "$classname": "NSFont", "$classes": ["NSFont", "NSObject"], "$classhints": ["UIFont"]})
    archive.objects[font.data]["$class"] = font_class
    archive.fill(first, ["NSDictionary"], {"NS.keys": [font_key], "NS.objects": [font]})
    second, style_key = archive.place(), archive.add("NSParagraphStyle")
    style, stops, stop = archive.place(), archive.place(), archive.place()
    archive.fill(stop, ["NSTextTab"], {"NSLocation": 28.0})
    archive.fill(stops, ["NSArray"], {"NS.objects": [stop]})
    archive.fill(style, ["NSMutableParagraphStyle", "NSParagraphStyle"], {"NSTabStops": stops, "NSAlignment": 4})
    attachment_key, attachment, cell = archive.add("NSAttachment"), archive.place(), archive.place()
    archive.fill(cell, ["NSTextAttachmentCell", "NSCell"], {"NSAttachment": attachment, "NSNothing": plistlib.UID(0)})
    archive.fill(attachment, ["NSTextAttachment"], {"NSCell": cell})
    archive.fill(second, ["NSDictionary"], {
        "NS.keys": [font_key, style_key, attachment_key], "NS.objects": [font, style, attachment]})
    archive.fill(runs, ["NSMutableArray", "NSArray"], {"NS.objects": [first, second]})
    information = archive.place()
    archive.fill(information, ["NSMutableData", "NSData"], {"NS.data": bytes([1, 0, 1, 1])})
    archive.fill(archive.top["root"], ["NSAttributedString"], {
        "NSString": string, "NSAttributeInfo": information, "NSAttributes": runs})
    archive.put("archives/attributed-font.bplist")

    # An object with properties of the types that Foundation has classes for.
    archive = Archive()
    root = archive.place()
    rows, name, span = archive.place(), archive.place(), archive.place()
    archive.fill(rows, ["NSIndexSet"], {"NSRangeCount": 1, "NSLocation": 1, "NSLength": 3})
    given = archive.add("Ada")
    parts = {f"NS.{part}": plistlib.UID(0) for part in ("namePrefix", "middleName", "familyName", "nameSuffix", "nickname")}
    archive.fill(name, ["NSPersonNameComponents"], {**parts, "NS.givenName": given})
    length, location = archive.add(2), archive.add(7)
    archive.fill(span, ["NSValue"], {
        "NS.special": 4, "NS.rangeval.length": length, "NS.rangeval.location": location})
    archive.top = {"root": archive.fill(root, ["Selection"], {
        "rows": rows, "name": name, "span": span, "lines": span})}
    archive.put("archives/foundation-values.bplist")


def readme():
    """Two objects that point at each other, for the examples of the package's README."""
    uid = plistlib.UID
    array = lambda *elements: {"$class": uid(7), "NS.objects": list(elements)}
    objects = [
        "$null", {"$class": uid(8), "name": uid(2), "friends": uid(3)}, "Ada", array(uid(4)),
        {"$class": uid(8), "name": uid(5), "friends": uid(6)}, "Grace", array(uid(1)),
        {"$classname": "NSArray", "$classes": ["NSArray", "NSObject"]},
        {"$classname": "Person", "$classes": ["Person", "NSObject"]},
    ]
    archive = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": uid(1)}, "$objects": objects}
    put("readme/Friends.archive", plistlib.dumps(archive, fmt=plistlib.FMT_BINARY, sort_keys=False))
    nested_archives()


def nested_archives():
    """Files as Apple's programs write them, with archives in data, for the recipes."""
    uid = plistlib.UID
    binary = lambda value: plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)

    def keyed(*objects):
        return binary({
            "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": uid(1)}, "$objects": ["$null", *objects]})

    def described(name):
        return {"$classname": name, "$classes": [name, "NSObject"]}

    color = keyed({"NSRGB": b"0.5 0.25 1\0", "NSColorSpace": 1, "$class": uid(2)}, described("NSColor"))
    # A color, and a text, as NSArchiver writes them.
    head = b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@"
    reals = b"".join(b"\x83" + struct.pack("<f", value) for value in (0.5, 0.25, 1, 1))
    old = head + b"\x84\x84\x84\x07NSColor\0\x84\x84\x08NSObject\0\x85\x84\x01c\x01\x84\x04ffff" + reals + b"\x86"
    text = head + b"\x84\x84\x84\x08NSString\x01\x84\x84\x08NSObject\0\x85\x84\x01+\x0cSee you at 5\x86"

    put("readme/Library/Terminal.plist", binary({
        "Window Settings": {"Basic": {"TextColor": color, "columnCount": 80}}, "QSBackground": old}))
    put("readme/Library/Page.webarchive", binary({
        "WebMainResource": {
            "WebResourceURL": "https://example.com/", "WebResourceMIMEType": "text/html",
            "WebResourceTextEncodingName": "UTF-8", "WebResourceData": b"<html><body>Hello</body></html>"},
        "WebSubresources": [{
            "WebResourceURL": "https://example.com/data.plist", "WebResourceMIMEType": "application/xml",
            "WebResourceData": plistlib.dumps({"port": 80}, sort_keys=False)}]}))
    put("readme/Library/Recent.sfl2", keyed(
        {"NS.keys": [uid(2)], "NS.objects": [uid(3)], "$class": uid(9)}, "items",
        {"NS.objects": [uid(4)], "$class": uid(10)},
        {"NS.keys": [uid(5), uid(6)], "NS.objects": [uid(7), uid(8)], "$class": uid(9)},
        "Name", "Bookmark", "Report.pdf", b"book\x30\0\0\0mark", described("NSDictionary"), described("NSArray")))
    put("readme/Library/App.loctable", binary({"en": {"ok": "OK", "quit": "Quit"}, "de": {"ok": "OK", "quit": "Beenden"}}))
    put("readme/Library/windows.plist", binary([
        {"NSTitle": "Report.pdf", "NSWindowID": 7, "NSDockMenu": keyed(
            {"NS.objects": [uid(2)], "$class": uid(3)}, "Show All Windows", described("NSArray"))}]))
    put("readme/Library/attributedBody", text)


# -- Models of managed objects ---------------------------------------------------------------------------------------------

NOTES_SOURCE = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" systemVersion="23E224" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="one">
    <entity name="Author" representedClassName="Author" parentEntity="Person" syncable="YES">
        <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="-31536000" usesScalarValueType="NO"/>
        <relationship name="notes" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Note" inverseName="author" inverseEntity="Note"/>
    </entity>
    <entity name="Note" representedClassName="Note" elementID="Memo" versionHashModifier="second" syncable="YES">
        <attribute name="content" attributeType="String" defaultValueString="a &amp; &quot;b&quot;"/>
        <attribute name="cursor" optional="YES" transient="YES" attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES"/>
        <attribute name="identifier" attributeType="UUID" usesScalarValueType="NO" preserveAfterDeletion="YES"/>
        <attribute name="picture" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES">
            <userInfo>
                <entry key="kind" value="png"/>
            </userInfo>
        </attribute>
        <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="12.5"/>
        <attribute name="rank" attributeType="Integer 16" defaultValueString="3" usesScalarValueType="YES" elementID="order"/>
        <attribute name="starred" attributeType="Boolean" defaultValueString="YES" usesScalarValueType="YES" versionHashModifier="x"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="notes" inverseEntity="Author"/>
        <relationship name="related" optional="YES" toMany="YES" minCount="1" maxCount="5" deletionRule="Deny" destinationEntity="Note" inverseName="related" inverseEntity="Note"/>
        <fetchIndex name="byContent">
            <fetchIndexElement property="content" type="Binary" order="ascending"/>
            <fetchIndexElement property="rank" type="Binary" order="descending"/>
        </fetchIndex>
        <uniquenessConstraints>
            <uniquenessConstraint>
                <constraint value="identifier"/>
            </uniquenessConstraint>
        </uniquenessConstraints>
    </entity>
    <entity name="Person" representedClassName="Person" isAbstract="YES" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <userInfo>
            <entry key="icon" value="face"/>
        </userInfo>
    </entity>
    <fetchRequest name="all" entity="Note" fetchLimit="10"/>
    <configuration name="Local">
        <memberEntity name="Note"/>
        <memberEntity name="Author"/>
    </configuration>
</model>"""

NSNUMBER, NSSTRING = "NSNumber", "NSString"


class ModelArchive:
    """A compiled model, as descriptions of the format give it: object by object, each class with its keys."""

    def __init__(self):
        self.archive = Archive()
        self.model = self.archive.place()
        self.texts = {}

    def text(self, value):
        if value is None:
            return plistlib.UID(0)
        if value not in self.texts:
            self.texts[value] = self.archive.add(value)
        return self.texts[value]

    def dictionary(self, entries, name="NSMutableDictionary"):
        classes = [name, "NSDictionary"] if name != "NSDictionary" else [name]
        return self.archive.fill(self.archive.place(), classes, {
            "NS.keys": [self.text(key) for key in entries], "NS.objects": list(entries.values())})

    def array(self, elements, name="NSMutableArray"):
        classes = [name, "NSArray"] if name != "NSArray" else [name]
        return self.archive.fill(self.archive.place(), classes, {"NS.objects": list(elements)})

    def set(self, elements):
        return self.archive.fill(self.archive.place(), ["NSSet"], {"NS.objects": list(elements)})

    def decimal(self, digits, exponent):
        return self.archive.fill(
            self.archive.place(), ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue"], {
                "NS.exponent": exponent, "NS.length": 1, "NS.negative": False, "NS.compact": True, "NS.mantissa.bo": 1,
                "NS.mantissa": digits.to_bytes(16, "little")})

    def date(self, seconds):
        return self.archive.fill(self.archive.place(), ["NSDate"], {"NS.time": float(seconds)})

    def entity(self, place, name, properties, parent=None, children={}, renaming=None, modifier=None, info={}, more={}):
        return self.archive.fill(place, ["NSEntityDescription"], {
            "NSEntityName": self.text(name), "NSClassNameForEntity": self.text(name),
            "NSManagedObjectModel": self.model, "NSSuperentity": parent or plistlib.UID(0),
            "NSSubentities": self.dictionary(children), "NSProperties": self.dictionary(properties),
            "NSRenamingIdentifier": self.text(renaming or name), "NSVersionHashModifier": self.text(modifier),
            "NSUserInfo": self.dictionary({k: self.text(v) for k, v in info.items()}, "NSDictionary"), **more})

    def property(self, place, classes, entity, name, keys, optional=False, transient=False, modifier=None, renaming=None,
                 info={}, ordered=False):
        bits = 1 + 16 + 32
        bits += 2 * optional + 8 * transient + 64 * (not info) + 128 * (modifier is None) + 1024 * ordered
        common = {
            "NSPropertyName": self.text(name), "NSEntity": entity, "NSRenamingIdentifier": self.text(renaming or name),
            "_P": bits}
        if optional:
            common["NSIsOptional"] = True
        if transient:
            common["NSIsTransient"] = True
        if modifier is not None:
            common["NSVersionHashModifier"] = self.text(modifier)
        if info:
            common["NSUserInfo"] = self.dictionary({k: self.text(v) for k, v in info.items()}, "NSDictionary")
        return self.archive.fill(place, classes + ["NSPropertyDescription"], {**common, **keys})

    def attribute(self, entity, name, number, value_class, default=None, flags=0, **traits):
        return self.property(self.archive.place(), ["NSAttributeDescription"], entity, name, {
            "NSAttributeType": number, "NSAttributeValueClassName": self.text(value_class),
            "NSDefaultValue": default if default is not None else plistlib.UID(0),
            "NSValueTransformerName": plistlib.UID(0), "NSFlagsKey": flags}, **traits)

    def relationship(self, place, entity, name, to, to_name, inverse, inverse_name, fewest, most, rule, ordered=False,
                     **traits):
        keys = {
            "NSDestinationEntity": to, "_NSDestinationEntityName": self.text(to_name), "NSInverseRelationship": inverse,
            "_NSInverseRelationshipName": self.text(inverse_name), "NSMinCount": fewest, "NSMaxCount": most,
            "NSDeleteRule": rule}
        if ordered:
            keys["NSIsOrdered"] = True
        return self.property(
            place, ["NSRelationshipDescription"], entity, name, keys, ordered=ordered, optional=True, **traits)


def managed_object_models():
    """A source model, the same compiled, and its version hashes by the formula."""
    put("models/Notes.xcdatamodel/contents", NOTES_SOURCE)
    model = ModelArchive()
    archive = model.archive
    person, author, note = archive.place(), archive.place(), archive.place()
    notes, back, related = archive.place(), archive.place(), archive.place()
    model.relationship(notes, author, "notes", note, "Note", back, "author", 0, 0, 2, ordered=True)
    model.relationship(back, note, "author", author, "Author", notes, "notes", 0, 1, 1)
    model.relationship(related, note, "related", note, "Note", related, "related", 1, 5, 3)
    model.entity(person, "Person", {"name": model.attribute(person, "name", 700, NSSTRING)}, children={"Author": author},
                 info={"icon": "face"}, more={"NSIsAbstract": True})
    born = model.attribute(author, "born", 900, "NSDate", model.date(-31536000), optional=True)
    model.entity(author, "Author", {"notes": notes, "born": born}, parent=person)
    properties = {
        "content": model.attribute(note, "content", 700, NSSTRING, model.text('a & "b"')),
        "cursor": model.attribute(note, "cursor", 300, NSNUMBER, archive.add(0), optional=True, transient=True),
        "identifier": model.attribute(note, "identifier", 1100, "NSUUID", flags=16),
        "picture": model.attribute(note, "picture", 1000, "NSData", flags=4, optional=True, info={"kind": "png"}),
        "price": model.attribute(note, "price", 400, "NSDecimalNumber", model.decimal(125, -1), optional=True),
        "rank": model.attribute(note, "rank", 100, NSNUMBER, archive.add(3), renaming="order"),
        "starred": model.attribute(note, "starred", 800, NSNUMBER, archive.add(True), modifier="x"),
        "author": back, "related": related}
    index = archive.place()
    parts = [archive.fill(archive.place(), ["NSFetchIndexElementDescription"], {
        "NSPropertyName": model.text(name), "NSFetchIndexElementType": 0, "NSAscending": ascending,
        "NSFetchIndexDescription": index}) for name, ascending in (("content", True), ("rank", False))]
    archive.fill(index, ["NSFetchIndexDescription"], {
        "NSIndexName": model.text("byContent"), "NSEntity": note, "NSIndexElements": model.array(parts, "NSArray"),
        "NSPartialIndexPredicate": plistlib.UID(0)})
    model.entity(note, "Note", properties, renaming="Memo", modifier="second", more={
        "NSUniqueTuples": model.array([model.array([model.text("identifier")])]),
        "NSCompoundIndexes": model.array([model.array([model.text("content"), model.text("rank")])]),
        "NSFetchIndexDescriptions": model.array([index])})
    request = archive.fill(archive.place(), ["NSFetchRequest", "NSPersistentStoreRequest"], {
        "NSEntity": note, "NSFetchLimit": 10, "NSFetchOffset": 0, "NSBatchSize": 0, "NSResultType": 0,
        "NSHasFetchRequestFlags": True, "NSFetchRequestFlags": 30,
        **{key: plistlib.UID(0) for key in (
            "NSPredicate", "NSHavingPredicate", "NSSortDescriptors", "NSValuesToFetch", "NSValuesToGroupBy",
            "NSRelationshipKeyPathsForPrefetching")}})
    archive.fill(model.model, ["NSManagedObjectModel"], {
        "NSEntities": model.dictionary({"Note": note, "Author": author, "Person": person}),
        "NSConfigurations": model.dictionary({"Local": model.set([note, author])}),
        "NSFetchRequestTemplates": model.dictionary({"all": request}),
        "NSVersionIdentifiers": model.set([model.text("one")])})
    archive.top = {"root": model.model}
    archive.put("models/Notes.mom")
    put("models/Notes.hashes.json", json.dumps(notes_hashes(), indent=2) + "\n")


def notes_hashes():
    digest = lambda *parts: hashlib.sha256(b"".join(parts)).digest()
    number = lambda value: struct.pack("<i", value)

    def base(name, optional=False, transient=False, modifier=""):
        return digest(name.encode(), bytes([optional + 2 * transient, 0]), modifier.encode())

    def attribute(name, kind, more=b"", **traits):
        return digest(base(name, **traits), number(kind), more)

    def relationship(name, to, inverse, most, fewest, ordered=False):
        return digest(
            base(name, optional=True), to.encode(), inverse.encode(), number(most), number(fewest),
            b"\x01\x00" if ordered else b"")

    name = attribute("name", 700)
    person = digest(b"Person", b"\x01", name)
    author = digest(
        b"Author", b"\x00", person, attribute("born", 900, optional=True), name,
        relationship("notes", "Note", "author", 0, 0, ordered=True))
    note = digest(
        b"Note", b"\x00", relationship("author", "Author", "notes", 1, 0), attribute("content", 700),
        attribute("identifier", 1100, b"\x01"), attribute("picture", 1000, b"\x01", optional=True),
        attribute("price", 400, optional=True), attribute("rank", 100), relationship("related", "Note", "related", 5, 1),
        attribute("starred", 800, modifier="x"), b"identifier", b"second")
    hashes = {"Author": author, "Note": note, "Person": person}
    encoded = lambda data: base64.b64encode(data).decode()
    return {
        "entities": {entity: encoded(value) for entity, value in hashes.items()},
        "digest": encoded(hashlib.sha512(b"".join(k.encode() + v for k, v in hashes.items())).digest()),
        "checksum": encoded(hashlib.sha256(b"".join(hashes.values())).digest()),
    }


if __name__ == "__main__":
    archives()
    managed_object_models()
    values_of_apples_classes()
    readme()
    producers()
    json_producers()
    openstep_producers()
    openstep_by_hand()
    by_hand()
    xml_by_hand()
    hostile()
