/// The GATT service of Improv Wi-Fi, the open standard by which devices of other makers take Wi-Fi credentials.
///
/// Source: improv-wifi.com/ble, revisions 1.0 to 2.4. Nothing of it is encrypted. UUIDs are strings here so that this
/// storey needs no radio.
public enum ImprovService {
    /// The service; it stands in the advertising packet itself.
    public static let service = "00467768-6228-2272-4663-277478268000"

    /// The key of ``ImprovServiceData`` in the advertising packet, from revision 2.0 on.
    public static let serviceData = "4677"

    /// A device has this long to join the network that it was told.
    public static let joinLimit: Duration = .seconds(30)

    /// Each characteristic, by what it carries.
    public enum Characteristic: String, Sendable, CaseIterable {
        /// Read and notify: ``ImprovState``.
        case state = "00467768-6228-2272-4663-277478268001"
        /// Read and notify: ``ImprovErrorState``.
        case error = "00467768-6228-2272-4663-277478268002"
        /// Write: ``ImprovCommand``.
        case command = "00467768-6228-2272-4663-277478268003"
        /// Read and notify: ``ImprovResult``.
        case result = "00467768-6228-2272-4663-277478268004"
        /// Read: ``ImprovCapabilities``.
        case capabilities = "00467768-6228-2272-4663-277478268005"
    }
}
