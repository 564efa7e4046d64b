// One import for an app: pairing, cloud and live view, with the values they exchange and the publishers they give.
@_exported public import CameraPairing
@_exported public import CloudClient
@_exported public import Combine
@_exported public import LiveView
@_exported public import Wire
