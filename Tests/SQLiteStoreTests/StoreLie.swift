import Testing

/// A change that makes the hand-written store contradict its metadata or schema, and the error message.
struct StoreLie: CustomTestStringConvertible, Sendable {
  let change: String
  let message: String

  init(_ change: String, _ message: String) {
    self.change = change
    self.message = message
  }

  var testDescription: String { change }

  /// An infinite number of rows.
  static let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"

  static let all = tables + columns + values + entities + metadata + computations + schemas

  private static let tables = [
    StoreLie(
      "DROP TABLE ZTAG; CREATE VIEW ZTAG AS \(endless) SELECT x AS Z_PK, 5 AS Z_ENT, 1 AS Z_OPT, 'a' AS ZLABEL FROM c",
      "ZTAG is a view"),
    StoreLie(
      "DROP TABLE Z_METADATA; CREATE VIEW Z_METADATA AS \(endless) SELECT 2 AS Z_VERSION, x AS Z_UUID, 1 AS Z_PLIST "
        + "FROM c", "Z_METADATA is a view"),
    StoreLie(
      "DROP TABLE Z_PRIMARYKEY; CREATE VIEW Z_PRIMARYKEY AS \(endless) SELECT x AS Z_ENT, 'a' AS Z_NAME, 0 AS Z_SUPER, "
        + "0 AS Z_MAX FROM c", "Z_PRIMARYKEY is a view"),
    StoreLie(
      "DROP TABLE Z_2FOLLOWS; CREATE VIEW Z_2FOLLOWS AS \(endless) SELECT x AS Z_2FOLLOWERS, x AS Z_2FOLLOWS FROM c",
      "Z_2FOLLOWS is a view"),
    StoreLie("DROP TABLE ZTAG; CREATE VIRTUAL TABLE ZTAG USING rtree(Z_PK, Z_ENT, Z_OPT)", "ZTAG is a virtual table"),
    StoreLie(
      "DROP TABLE ZTAG; CREATE /**/ Virtual -- TABLE\n TABLE ZTAG USING rtree(Z_PK, Z_ENT, Z_OPT)",
      "ZTAG is a virtual table"),
    StoreLie("DROP TABLE ZTAG", "it has no table ZTAG"),
    StoreLie("DROP TABLE Z_1TAGS", "it has no table Z_1TAGS"),
    StoreLie("DROP TABLE Z_METADATA", "it has no table Z_METADATA"),
  ]

  private static let columns = [
    StoreLie("ALTER TABLE ZTHING DROP COLUMN ZINT16", "the table ZTHING has no column ZINT16"),
    StoreLie("ALTER TABLE ZTAG DROP COLUMN Z_OPT", "the table ZTAG has no column Z_OPT"),
    StoreLie("ALTER TABLE Z_PRIMARYKEY DROP COLUMN Z_MAX", "the table Z_PRIMARYKEY has no column Z_MAX"),
    StoreLie("ALTER TABLE Z_METADATA DROP COLUMN Z_UUID", "the table Z_METADATA has no column Z_UUID"),
    StoreLie("ALTER TABLE Z_1TAGS RENAME COLUMN Z_1NOTES TO Z_3NOTES", "the table Z_1TAGS has no column Z_1NOTES"),
    StoreLie(
      "CREATE TABLE T AS SELECT * FROM ZTAG; DROP TABLE ZTAG; ALTER TABLE T RENAME TO ZTAG;"
        + "INSERT INTO ZTAG SELECT * FROM ZTAG", "the table ZTAG has no integer primary key Z_PK"),
    StoreLie(
      "DROP TABLE ZTAG; CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT, Z_OPT, ZLABEL) WITHOUT ROWID",
      "the table ZTAG has no integer primary key Z_PK"),
  ]

  private static let values = [
    StoreLie("UPDATE ZTHING SET ZINT16 = 'x'", "column \"ZINT16\": expected Integer 16, found the text \"x\""),
    StoreLie("UPDATE ZTHING SET ZINT64 = 1e300", "column \"ZINT64\": expected Integer 64"),
    StoreLie("UPDATE ZTHING SET ZDATE = X'00'", "column \"ZDATE\": expected Date, found 1 byte"),
    StoreLie("UPDATE ZTHING SET ZSTRING = X'00'", "column \"ZSTRING\": expected String, found 1 byte"),
    StoreLie("UPDATE ZTHING SET ZUUID = X'00'", "column \"ZUUID\": expected UUID, found 1 byte"),
    StoreLie("UPDATE ZTHING SET ZDECIMAL = 'many'", "column \"ZDECIMAL\": expected Decimal"),
    StoreLie("UPDATE ZTHING SET ZDECIMAL = 9e999", "column \"ZDECIMAL\": expected Decimal"),
    StoreLie("UPDATE ZTHING SET ZCOVER = X'07'", "does not say whether the value is in an external file"),
    StoreLie(
      "UPDATE ZTHING SET ZPHOTO = CAST(X'02' || '../../../../../../../etc/passwd-----' || X'00' AS BLOB)",
      "has no valid file name"),
    StoreLie("UPDATE ZTAG SET Z_ENT = 99", "the entity number 99, which does not belong to the table"),
    StoreLie("UPDATE ZTAG SET Z_ENT = 6", "the entity number 6, which does not belong to the table"),
    StoreLie("UPDATE ZTAG SET Z_ENT = NULL", "which does not belong to the table"),
    StoreLie("UPDATE ZTAG SET Z_ENT = 16001", "which does not belong to the table"),
    StoreLie("UPDATE ZTAG SET Z_PK = -5 WHERE Z_PK = 9", "the primary key -5 is invalid"),
    StoreLie("UPDATE ZTAG SET Z_PK = 0 WHERE Z_PK = 9", "the primary key 0 is invalid"),
    StoreLie("UPDATE ZTAG SET Z_PK = 9223372036854775807 WHERE Z_PK = 10", "no primary key left"),
  ]

  private static let entities = [
    StoreLie("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807", "no primary key left"),
    StoreLie("UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 WHERE Z_ENT = 2", "the superentity number 3 for \"Person\""),
    StoreLie("UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT", "has the superentity number"),
    StoreLie("UPDATE Z_PRIMARYKEY SET Z_SUPER = 'x' WHERE Z_ENT = 4", "the superentity number 0 for \"Manager\""),
    StoreLie("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Note' WHERE Z_ENT = 5", "the entity \"Note\" twice"),
    StoreLie("INSERT INTO Z_PRIMARYKEY VALUES (7, 'x\"; DROP TABLE ZTAG; --', 0, 0)", "which the model does not have"),
    StoreLie("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 5", "no row for the entity \"Tag\""),
    StoreLie("UPDATE Z_PRIMARYKEY SET Z_ENT = -1 WHERE Z_ENT = 5", "has the invalid entity number -1"),
    StoreLie("UPDATE Z_PRIMARYKEY SET Z_ENT = 9223372036854775807 WHERE Z_ENT = 5", "no row for the entity \"Tag\""),
    StoreLie(
      "CREATE TABLE P AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE P RENAME TO Z_PRIMARYKEY;"
        + "INSERT INTO Z_PRIMARYKEY SELECT * FROM Z_PRIMARYKEY", "the entity number 1 twice"),
  ]

  private static let metadata = [
    StoreLie("UPDATE Z_METADATA SET Z_UUID = NULL", "has no store identifier"),
    StoreLie("UPDATE Z_METADATA SET Z_PLIST = X'00'", "the metadata cannot be read"),
    StoreLie("UPDATE Z_METADATA SET Z_PLIST = CAST('bplist00' || X'FF' AS BLOB)", "the metadata cannot be read"),
    StoreLie("DELETE FROM Z_METADATA", "it has no metadata"),
  ]

  private static let computations = [
    StoreLie(
      "ALTER TABLE ZTAG DROP COLUMN ZLABEL; ALTER TABLE ZTAG ADD COLUMN ZLABEL AS (hex(zeroblob(500000000)))",
      "the column ZLABEL of the table ZTAG is computed"),
    StoreLie("CREATE INDEX X ON ZTAG (hex(zeroblob(1000)))", "has an expression or a condition"),
    StoreLie("ALTER TABLE ZTAG ADD COLUMN ZX CHECK (length(hex(zeroblob(1000))) > 0)", "has a CHECK constraint"),
    StoreLie(
      "CREATE TRIGGER X AFTER UPDATE ON ZTAG BEGIN UPDATE ZTAG SET ZLABEL = (\(endless) SELECT count(*) FROM c); END",
      "takes too much work"),
    StoreLie(
      "CREATE TRIGGER X BEFORE DELETE ON ZTHING BEGIN SELECT * FROM (\(endless) SELECT x FROM c) WHERE x < 0; END",
      "takes too much work"),
    StoreLie("CREATE TRIGGER X BEFORE INSERT ON ZTAG BEGIN SELECT RAISE(ABORT, 'not here'); END", "not here"),
    StoreLie("CREATE TRIGGER X BEFORE INSERT ON ZTAG BEGIN SELECT load_extension('/tmp/x'); END", "load_extension"),
    StoreLie("CREATE TRIGGER X BEFORE INSERT ON ZTAG BEGIN INSERT INTO gone VALUES (1); END", "gone"),
  ]

  private static func schema(_ change: String) -> String {
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET \(change) WHERE name = 'ZTAG'"
  }

  private static let schemas = [
    StoreLie(schema("sql = 'rubbish'"), "malformed"),
    StoreLie(schema("rootpage = 99999"), "invalid rootpage"),
    StoreLie(
      schema("sql = replace(sql, 'Z_PK INTEGER', 'Z_PK VARCHAR')"), "the table ZTAG has no integer primary key Z_PK"),
    StoreLie(
      schema("rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'ZPERSON')"),
      "which does not belong to the table"),
    StoreLie(schema("rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'ZNOTE_ZAUTHOR_INDEX')"), "malformed"),
    StoreLie(
      schema("sql = 'CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, ZLABEL VARCHAR, Z_OPT INTEGER, Z_ENT INTEGER )'"),
      "which does not belong to the table"),
  ]
}
