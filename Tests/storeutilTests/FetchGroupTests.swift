import Foundation
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@Suite("storeutil fetch --group-by") struct FetchGroupTests {
  private static let model = """
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Customer" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="orders" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Order" inverseName="customer" inverseEntity="Order"/>
        </entity>
        <entity name="Order" syncable="YES">
            <attribute name="amount" optional="YES" attributeType="Decimal"/>
            <attribute name="count" optional="YES" attributeType="Integer 32" usesScalarValueType="NO"/>
            <attribute name="placed" optional="YES" attributeType="Date"/>
            <relationship name="customer" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Customer" inverseName="orders" inverseEntity="Customer"/>
        </entity>
    </model>
    """

  private let folder = TemporaryFolder(isInMemory: true)

  init() throws {
    let shop = try Self.shop.get()
    for name in shop.names {
      try FileManager.default.copyItem(at: shop.url.appending(path: name), to: folder.url.appending(path: name))
    }
  }

  private static let shop: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder.keptUntilExit()
    try makeShop(in: folder)
    return folder
  }

  private static func makeShop(in folder: TemporaryFolder) throws {
    let model = folder.url.appending(path: "Shop.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data(Self.model.utf8).write(to: model.appending(path: "contents"))
    let context = try Library(in: folder).context("Shop.sqlite", model: "Shop.xcdatamodel", isReadOnly: false)
    let customers = try ["Ada", "Bob"].map { try context.add("Customer", ["name": .string($0)]) }
    func add(_ amount: Decimal, _ count: Int64?, day: Int, _ customer: ManagedObject?) throws {
      // 2026-05-31
      let placed = Date(timeIntervalSince1970: 1_780_185_600 + Double(day) * 86_400)
      try context.add(
        "Order",
        ["amount": .decimal(amount), "count": count.map(AttributeValue.integer) ?? .null, "placed": .date(placed)],
        ["customer": customer.map(ManagedObject.Value.object) ?? .null])
    }
    try add(2.5, 3, day: 4, customers[0])
    try add(0.25, 1, day: 4, customers[1])
    try add(10, nil, day: 2, customers[0])
    try add(1, 8, day: 1, nil)
  }

  private func csv(_ options: String...) throws -> [Substring] {
    let result = try Program.run("storeutil", ["fetch", "Shop.sqlite"] + options + ["--csv"], in: folder.url)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return result.text.split(separator: "\r\n")
  }

  private func failure(_ options: String...) throws -> String {
    let result = try Program.run("storeutil", ["fetch", "Shop.sqlite"] + options, in: folder.url)
    #expect(result.status == 64 && result.text == "")
    return result.errors
  }

  @Test func `without --keys, each group is printed with its number of objects`() throws {
    #expect(try csv("Order", "--group-by", "customer.name") == ["customer.name,@count", "Ada,2", "Bob,1", ",1"])
    #expect(try csv("Order", "amount < 2", "--group-by", "customer.name") == ["customer.name,@count", "Bob,1", ",1"])
    let objects = try Tool.json("fetch", "Shop.sqlite", "Order", "--group-by", "customer", in: folder.url)
    #expect(objects[0]?["customer"]?.string?.hasSuffix("/Customer/p1") == true && objects[0]?["@count"] == 2)
    #expect(objects[2]?["customer"] == .null)
  }

  @Test func `aggregates use the values that are not null`() throws {
    #expect(
      try csv(
        "Order", "--group-by", "customer.name", "--keys",
        "customer.name, @sum.amount,@count.count,@avg.count,@min.amount,@max.placed")
        == [
          "customer.name,@sum.amount,@count.count,@avg.count,@min.amount,@max.placed",
          "Ada,12.5,1,3.0,2.5,2026-06-04T00:00:00Z", "Bob,0.25,1,1.0,0.25,2026-06-04T00:00:00Z",
          ",1,1,8.0,1,2026-06-01T00:00:00Z",
        ])
    #expect(
      try csv("Order", "--keys", "@count,@sum.amount,@max.customer.name") == [
        "@count,@sum.amount,@max.customer.name", "4,13.75,Bob",
      ])
    #expect(
      try csv("Order", "amount > 99", "--keys", "@count,@sum.amount,@min.amount") == [
        "@count,@sum.amount,@min.amount", "0,0,",
      ])
  }

  @Test func `groups can be sorted by printed keys, with a limit and an offset`() throws {
    let sorted = ["Order", "--group-by", "customer.name", "--keys", "customer.name,@sum.amount"]
    func names(_ options: String...) throws -> [String] {
      let result = try Program.run(
        "storeutil", ["fetch", "Shop.sqlite"] + sorted + options + ["--csv"], in: folder.url)
      return result.text.split(separator: "\r\n").dropFirst().map { String($0.prefix { $0 != "," }) }
    }
    #expect(try names("--sort", "@sum.amount:desc") == ["Ada", "", "Bob"])
    #expect(try names("--sort", "customer.name") == ["", "Ada", "Bob"])
    #expect(try names("--sort", "@sum.amount", "--offset", "1", "--limit", "1") == [""])
  }

  @Test func `keys that cannot be printed for groups are errors`() throws {
    #expect(try failure("Order", "--group-by", "customer.name", "--keys", "amount").contains("such as @min.amount"))
    #expect(try failure("Order", "--keys", "@count,amount").contains("\"amount\" can differ within a group"))
    #expect(try failure("Order", "--keys", "@total.amount").contains("\"@total.amount\" is not an aggregate"))
    #expect(try failure("Order", "--keys", "@sum").contains("\"@sum\" is not an aggregate"))
    #expect(try failure("Order", "--keys", "@sum.amuont").contains("did you mean amount?"))
    #expect(try failure("Order", "--group-by", "custmer").contains("--group-by: Order has no \"custmer\""))
    #expect(try failure("Order", "--group-by", "customer.@id").contains("but not by @id"))
    #expect(try failure("Order", "--group-by", "count", "--sort", "amount").contains("is not in --keys"))
    #expect(try failure("Order", "--group-by", "count", "--unwrap").contains("cannot be combined with groups"))
  }

  @Test func `several --keys are combined`() throws {
    #expect(
      try csv("Order", "--group-by", "customer.name", "--keys", "customer.name", "--keys", "@count")
        == ["customer.name,@count", "Ada,2", "Bob,1", ",1"])
  }

  @Test func `aggregates of a to-many key path are errors, except of @count`() throws {
    for key in LongForm.cases(["@sum.orders.amount", "@count.orders"], every: 2) {
      #expect(try failure("Customer", "--keys", key).contains("is a to-many relationship"))
    }
    #expect(try csv("Customer", "--keys", "@sum.orders.@count") == ["@sum.orders.@count", "3"])
  }

  @Test func `@count of a to-many relationship is printed for each object`() throws {
    #expect(try csv("Customer", "--keys", "name,orders.@count") == ["name,orders.@count", "Ada,2", "Bob,1"])
    #expect(try failure("Customer", "--keys", "orders.@count.x").contains("nothing can follow @count"))
    #expect(try failure("Order", "--keys", "customer.@count").contains("Customer has no \"@count\""))
  }
}
