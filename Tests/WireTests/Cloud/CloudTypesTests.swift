import Foundation
import Testing
import Wire

/// The JSON of the cloud's requests and answers, pinned literally: other teams' programs read it.
@Suite struct CloudTypesTests {
    private let zone = TimezoneSettings(id: "America/New_York", tzFormat: "EST+5EDT,M3.2.0/2,M11.1.0/2")
    private let zoneJSON = #"{"id":"America/New_York","tzFormat":"EST+5EDT,M3.2.0/2,M11.1.0/2"}"#
    private let id = DeviceID(publicKeyDigest: Array(0..<32) as [UInt8])

    @Test func sessionKeyRequest() throws {
        try expectJSON(
            PairingSessionKeyRequest(timezoneSettings: zone),
            #"{"sessionType":{"kind":"other"},"timezoneSettings":\#(zoneJSON)}"#)
        try expectJSON(
            PairingSessionKeyRequest(timezoneSettings: zone, sessionType: .fourG(deviceId: "d")),
            #"{"sessionType":{"deviceId":"d","kind":"fourG"},"timezoneSettings":\#(zoneJSON)}"#)
    }

    @Test func sessionTypeMayBeLeftOut() throws {
        let expected = PairingSessionKeyRequest(timezoneSettings: zone, sessionType: .other)
        #expect(try value(fromJSON: #"{"timezoneSettings":\#(zoneJSON)}"#) == expected)
        #expect(try value(fromJSON: #"{"timezoneSettings":\#(zoneJSON),"sessionType":null}"#) == expected)
    }

    @Test(arguments: [
        ("{}", "timezoneSettings"), (#"{"timezoneSettings":5}"#, "timezoneSettings"),
        (#"{"timezoneSettings":{"tzFormat":"GMT"}}"#, "timezoneSettings.id"),
        (#"{"timezoneSettings":{"id":"a","tzFormat":null}}"#, "timezoneSettings.tzFormat"),
        (#"{"timezoneSettings":{"id":"a","tzFormat":"b"},"sessionType":{"kind":"5G"}}"#, "sessionType.kind"),
        (#"{"timezoneSettings":{"id":"a","tzFormat":"b"},"sessionType":{"kind":"fourG"}}"#, "sessionType.deviceId"),
        ("[]", ""), ("not JSON", ""), ("", ""),
    ])
    func aBadSessionKeyRequestNamesItsField(text: String, field: String) {
        expectBadField(PairingSessionKeyRequest.self, field, in: text)
    }

    @Test func sessionKey() throws {
        let model = PairingSessionKeyModel(sessionKey: "k", region: "us", expiresIn: 600)
        try expectJSON(model, #"{"expiresIn":600,"region":"us","sessionKey":"k"}"#)
        #expect("\(model)" == "PairingSessionKeyModel(sessionKey: <redacted>, region: us, expiresIn: 600)")
    }

    @Test func sessionStatus() throws {
        try expectJSON(PairingSessionStatusRequest(sessionKey: Secret("k")), #"{"sessionKey":"k"}"#)
        try expectJSON(
            PairingSessionStatus(expired: false, status: .initialized),
            #"{"deviceId":"","expired":false,"status":"initialized"}"#)
        try expectJSON(
            PairingSessionStatus(
                expired: true, status: .failed, deviceId: "d", login: PairingStep(status: PairingStep.success),
                pairing: PairingStep(status: PairingStep.failure, reason: "why")),
            #"{"deviceId":"d","expired":true,"login":{"reason":"","status":"Success"},"#
                + #""pairing":{"reason":"why","status":"Failure"},"status":"failed"}"#)
        #expect(PairingStep.pending == "Pending")
    }

    @Test func deviceAuthStatusNames() {
        #expect(
            DeviceAuthStatus.allCases.map(\.rawValue) == [
                "initialized", "authenticated", "paired", "activated", "failed",
            ])
    }

    @Test func device() throws {
        try expectJSON(
            DeviceModel(
                deviceId: "d", spaceId: "s", name: "Door", model: "m", pairingStatus: .paired, online: true,
                asleep: false, privacy: true, publicKey: "AA=="),
            #"{"asleep":false,"deviceId":"d","model":"m","name":"Door","online":true,"pairingStatus":"paired","#
                + #""privacy":true,"publicKey":"AA==","spaceId":"s"}"#)
    }

    @Test func registration() throws {
        try expectJSON(
            DeviceRegistration(
                sessionKey: Secret("k"), deviceId: id, publicKey: Data([0, 1, 2]), model: "m",
                signature: Data([0xFB, 0xFF])),
            #"{"deviceId":"PLC000G40R40M30E209185GR38E","model":"m","publicKey":"AAEC","sessionKey":"k","#
                + #""signature":"+/8="}"#)
        try expectJSON(
            DeviceRegistrationReceipt(deviceId: id, name: "Door", timezoneSettings: zone),
            #"{"deviceId":"PLC000G40R40M30E209185GR38E","name":"Door","timezoneSettings":\#(zoneJSON)}"#)
    }

    @Test(arguments: [
        ("deviceId", #""short""#), ("deviceId", "7"), ("publicKey", #""***""#), ("publicKey", "[]"),
        ("signature", "null"), ("model", "{}"), ("sessionKey", "12"),
    ])
    func aBadRegistrationNamesItsField(field: String, replacement: String) {
        var fields = [
            "deviceId": #""PLC000G40R40M30E209185GR38E""#, "model": #""m""#, "publicKey": #""AA==""#,
            "sessionKey": #""k""#, "signature": #""AA==""#,
        ]
        fields[field] = replacement
        let text = "{" + fields.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
        expectBadField(DeviceRegistration.self, field, in: text)
    }

    @Test func registrationSignsItsPurposeItsIdAndItsKey() {
        #expect(
            DeviceRegistration.signedBytes(sessionKey: Secret("the-key"), deviceId: id)
                == Data("porchlight-registration-1\nPLC000G40R40M30E209185GR38E\nthe-key".utf8))
    }

    @Test func failureReport() throws {
        try expectJSON(
            PairingFailureReport(sessionKey: Secret("k"), failure: .wrongPassword),
            #"{"failure":"wrongPassword","sessionKey":"k"}"#)
        expectBadField(PairingFailureReport.self, "failure", in: #"{"failure":"other","sessionKey":"k"}"#)
    }

    @Test func errorBody() throws {
        try expectJSON(
            APIError(code: .badField, message: "No.", field: "timezoneSettings.id"),
            #"{"error":{"code":"badField","field":"timezoneSettings.id","message":"No."}}"#)
        try expectJSON(
            APIError(code: .notFound, message: "No."), #"{"error":{"code":"notFound","message":"No."}}"#)
        #expect(
            try value(fromJSON: #"{"error":{"code":"ofTheFuture","field":null,"message":"m"}}"#)
                == APIError(code: APIError.Code(rawValue: "ofTheFuture"), message: "m"))
        expectBadField(APIError.self, "error", in: "{}")
        expectBadField(APIError.self, "error.message", in: #"{"error":{"code":"c"}}"#)
    }

    @Test func errorForAPerson() {
        #expect("\(APIError(code: .badField, message: "Too long.", field: "name"))" == "Too long. (name)")
        #expect("\(APIError(code: .notFound, message: "No such device."))" == "No such device.")
        #expect("\(APIError.Code.sessionKeyExpired)" == "sessionKeyExpired")
    }
}
