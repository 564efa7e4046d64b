import Wire

/// What a camera is told to join a network, checked for the protocol that it speaks.
enum CameraCredentials: Equatable {
    /// Network, session key and where to register.
    case porchlight(PairingCredentials)
    /// The network alone: an Improv device is not registered anywhere.
    case improv(ImprovCredentials)

    /// What the layouts write. The flow checks credentials for the kind of the link, so no others come to them.
    var ofPorchlight: PairingCredentials {
        guard case .porchlight(let credentials) = self else { preconditionFailure("credentials of another protocol") }
        return credentials
    }

    /// What an Improv device is told; see ``ofPorchlight``.
    var ofImprov: ImprovCredentials {
        guard case .improv(let credentials) = self else { preconditionFailure("credentials of another protocol") }
        return credentials
    }
}
