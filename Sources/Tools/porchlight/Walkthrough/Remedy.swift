import Porchlight

/// What the person at the command line does about an error of the SDK, whose own words are for the person with an app.
struct Remedy {
    /// What happened; nil where the error says it well.
    var reason: String?
    var advice: String

    /// Nil where the step knows better than the error.
    init?(for error: any Error) {
        switch error {
        case CameraPairingError.setupCodeRequired:
            advice = "Give it with --setup-code-file; it is printed on the camera."
        case CameraPairingError.wrongSetupCode:
            advice = "Read it again from the camera; too many wrong ones lock it for a minute."
        case CameraPairingError.pairingLocked: advice = "Wait a minute, then start again with the right code."
        case CameraPairingError.protectedPairingNotOffered:
            advice = "Leave --protected and the setup code out if nobody near may listen, or update the camera."
        case CloudError.unauthorized:
            reason = "the cloud does not accept the token"
            advice = "Name the file of a token of this cloud with --token-file; 'porchlight serve' prints one."
        case CloudError.api(let refusal, let status, _) where status == 403 || status == 404:
            reason = refusal.message
            advice = "Give a space of this cloud with --space; 'porchlight serve' prints one."
        case CloudError.badAddress(let text):
            reason = "the cloud's address cannot be used: \(text)"
            advice = "Give the one that 'porchlight serve' prints with --cloud."
        case CloudError.redirected: advice = "Give that address with --cloud if it is yours."
        case CloudError.tooLarge, CloudError.unexpectedAnswer:
            advice = "Check that --cloud is the address of a Porchlight cloud."
        default: return nil
        }
    }
}
