#if DEBUG
    import Foundation
    import Wire

    extension FuzzTarget {
        /// What an Improv device sends, and what a client sends to one.
        static func readImprov(_ input: Data) {
            var assembler = ImprovResultAssembler()
            var networks = ImprovNetworkReader()
            var rest = input[...]
            while let length = rest.popFirst() {
                let value = Data(rest.prefix(Int(length)))
                rest = rest.dropFirst(Int(length))
                readImprovValue(value)
                guard let result = try? assembler.receive(value) else { continue }
                precondition(!assembler.isIncomplete, "a result was given out and kept")
                let again = (try? result.encoded()).flatMap { try? ImprovResult(decoding: $0) }
                precondition(again == result, "a result changed when it was written and read")
                _ = result.redirect
                _ = try? ImprovDeviceInfo(result)
                for network in networks.read(result).networks {
                    precondition(
                        (1...32).contains(network.ssid.count), "a network without a name, or with too long a one")
                }
            }
        }

        private static func readImprovValue(_ value: Data) {
            if let command = try? ImprovCommand(decoding: value) {
                precondition((try? command.encoded()) == value, "a command changed when it was read and written")
            }
            if let result = try? ImprovResult(decoding: value) {
                precondition((try? result.encoded()) == value, "a result changed when it was read and written")
            }
            if let state = try? ImprovState(decoding: value) {
                precondition(Data([state.rawValue]) == value, "a state changed when it was read and written")
            }
            if let error = try? ImprovErrorState(decoding: value) {
                precondition(Data([error.code]) == value, "an error changed when it was read and written")
            }
            if let data = try? ImprovServiceData(decoding: value) {
                precondition(
                    data.encoded().prefix(2) == value.prefix(2), "service data changed when it was read and written")
            }
            _ = try? ImprovCapabilities(decoding: value)
        }
    }
#endif
