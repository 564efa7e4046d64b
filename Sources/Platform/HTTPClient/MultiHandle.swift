import CCurl

/// libcurl's handle of many transfers.
///
/// Unchecked because only ``wake()`` may be called from another thread than the one that the handle belongs to, and
/// ``Mailbox`` keeps it from meeting ``free()``.
struct MultiHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    /// - Returns: nil without memory, and without descriptors to wake it by.
    init?(maximumConnectionsPerHost: Int) {
        Library.prepare()
        guard let pointer = curl_multi_init() else { return nil }
        let limit = max(1, maximumConnectionsPerHost)
        guard porchlight_curl_multi_set_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, limit) == CURLM_OK,
            curl_multi_wakeup(pointer) == CURLM_OK
        else {
            curl_multi_cleanup(pointer)
            return nil
        }
        self.pointer = pointer
    }

    func wake() { curl_multi_wakeup(pointer) }
    func free() { curl_multi_cleanup(pointer) }
}
