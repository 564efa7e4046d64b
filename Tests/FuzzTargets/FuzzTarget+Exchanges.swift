#if DEBUG
    @testable import CameraDevice
    import Foundation
    import Wire

    extension FuzzTarget {
        /// The messages of the chunked and the protected layout, whole.
        static func readExchanges(_ input: Data) {
            readRequest(input)
            readAnswer(input)
            if let position = try? ExchangePosition(decoding: input) {
                precondition(position.encoded == input, "a position changed when it was read and written")
            }
            if let code = try? SetupCode(String(decoding: input, as: UTF8.self)) {
                precondition(code.revealed.utf8.count == SetupCode.digitCount, "a code has not eight digits")
                let again = try? SetupCode(code.printed)
                precondition(again == code, "a code changed when it was printed and read")
            }
        }

        private static func readRequest(_ input: Data) {
            if let request = try? ExchangeRequest(decoding: input) {
                let again = try? ExchangeRequest(decoding: request.encoded)
                precondition(again == request, "a request changed when it was written and read")
                if case .credentials(let fields) = request {
                    readFields(fields)
                } else {
                    precondition(request.encoded == input, "a request changed when it was read and written")
                }
            }
            if let request = try? ExchangeRequest(decodingSealed: input) {
                precondition(request.isSealable, "a request came sealed that may not")
            }
        }

        private static func readFields(_ fields: CredentialFields) {
            guard let credentials = try? StagedFields.credentials(from: fields) else { return }
            let written = ExchangeRequest.credentials(CredentialFields(credentials))
            guard case .credentials(let again)? = try? ExchangeRequest(decoding: written.encoded) else {
                preconditionFailure("credentials that a message gave cannot be written as one")
            }
            let same = try? StagedFields.credentials(from: again)
            precondition(same == credentials, "credentials changed when they were written and read")
        }

        private static func readAnswer(_ input: Data) {
            if let (conversation, answer) = try? ExchangeAnswer.addressed(decoding: input) {
                guard let bytes = try? answer.encoded(for: conversation) else {
                    preconditionFailure("an answer that was read cannot be written")
                }
                let again = try? ExchangeAnswer.addressed(decoding: bytes)
                precondition(again?.conversation == conversation, "an answer went to another conversation")
                precondition(again?.answer == answer, "an answer changed when it was written and read")
            }
            if let answer = try? ExchangeAnswer(decodingSealed: input) {
                precondition(answer.isSealable, "an answer came sealed that may not")
                let again = (try? answer.encodedForSealing()).flatMap { try? ExchangeAnswer(decodingSealed: $0) }
                precondition(again == answer, "a sealed answer changed when it was written and read")
            }
        }
    }
#endif
