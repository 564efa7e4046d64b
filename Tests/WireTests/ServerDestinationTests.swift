import Testing
import Wire

@Suite struct ServerDestinationTests {
    @Test(arguments: [(ServerRegion.us, "us", "1"), (.apac, "apac", "3")])
    func aRegionHasANameAndACode(region: ServerRegion, name: String, code: String) throws {
        #expect(region.rawValue == name)
        #expect(region.code == code)
        #expect(ServerRegion(nameOrCode: name) == region)
        #expect(ServerRegion(nameOrCode: code) == region)
        try expectJSON([region], #"["\#(name)"]"#)
    }

    @Test(arguments: [
        (ServerEnvironment.production, "production", "1"), (.staging, "staging", "2"), (.dev, "dev", "3"),
    ])
    func anEnvironmentHasANameAndACode(environment: ServerEnvironment, name: String, code: String) throws {
        #expect(environment.rawValue == name)
        #expect(environment.code == code)
        #expect(ServerEnvironment(nameOrCode: name) == environment)
        #expect(ServerEnvironment(nameOrCode: code) == environment)
        try expectJSON([environment], #"["\#(name)"]"#)
    }

    @Test(arguments: ["", "0", "2", "4", "US", " us", "us\n", "eu", "11"])
    func otherTextIsNoRegion(text: String) {
        #expect(ServerRegion(nameOrCode: text) == nil)
    }

    @Test(arguments: ["", "0", "4", "Production", "prod", "production\n", "12"])
    func otherTextIsNoEnvironment(text: String) {
        #expect(ServerEnvironment(nameOrCode: text) == nil)
    }

    @Test func everyCaseIsCovered() {
        #expect(ServerRegion.allCases.count == 2)
        #expect(ServerEnvironment.allCases.count == 3)
    }
}
