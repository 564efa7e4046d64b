#pragma once
// GST_USE_UNSTABLE_API is webrtc's own switch: without it the header warns on each include.
#define GST_USE_UNSTABLE_API
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/sdp/sdp.h>
#include <gst/video/video.h>
#include <gst/webrtc/webrtc.h>

// Swift cannot call variadic C functions: each call of GObject's that the wrapper needs has its fixed form here.

static inline void pl_set_string(gpointer object, const gchar *name, const gchar *value) {
    g_object_set(object, name, value, NULL);
}
static inline void pl_set_boolean(gpointer object, const gchar *name, gboolean value) {
    g_object_set(object, name, value, NULL);
}
static inline void pl_set_caps(gpointer object, const gchar *name, const GstCaps *caps) {
    g_object_set(object, name, caps, NULL);
}
/// The caller owns the reference.
static inline gpointer pl_get_object(gpointer object, const gchar *name) {
    gpointer value = NULL;
    g_object_get(object, name, &value, NULL);
    return value;
}
static inline gint pl_get_int(gpointer object, const gchar *name) {
    gint value = 0;
    g_object_get(object, name, &value, NULL);
    return value;
}
static inline guint64 pl_get_uint64(gpointer object, const gchar *name) {
    guint64 value = 0;
    g_object_get(object, name, &value, NULL);
    return value;
}
static inline gboolean pl_has_property(gpointer object, const gchar *name) {
    return g_object_class_find_property(G_OBJECT_GET_CLASS(object), name) != NULL;
}
/// The caller frees the string.
static inline gchar *pl_get_string(gpointer object, const gchar *name) {
    gchar *value = NULL;
    g_object_get(object, name, &value, NULL);
    return value;
}
/// The caller frees the description.
static inline GstWebRTCSessionDescription *pl_get_description(gpointer object, const gchar *name) {
    GstWebRTCSessionDescription *value = NULL;
    g_object_get(object, name, &value, NULL);
    return value;
}

static inline void pl_create_description(gpointer bin, const gchar *signal, GstPromise *promise) {
    g_signal_emit_by_name(bin, signal, NULL, promise);
}
static inline void pl_set_description(
    gpointer bin, const gchar *signal, GstWebRTCSessionDescription *description, GstPromise *promise) {
    g_signal_emit_by_name(bin, signal, description, promise);
}
static inline void pl_add_candidate(gpointer bin, guint line, const gchar *candidate) {
    g_signal_emit_by_name(bin, "add-ice-candidate", line, candidate);
}
static inline void pl_get_stats(gpointer bin, GstPromise *promise) {
    g_signal_emit_by_name(bin, "get-stats", NULL, promise);
}
static inline gboolean pl_add_turn_server(gpointer bin, const gchar *uri) {
    gboolean added = FALSE;
    g_signal_emit_by_name(bin, "add-turn-server", uri, &added);
    return added;
}
static inline gboolean pl_add_local_address(gpointer ice, const gchar *address) {
    gboolean added = FALSE;
    g_signal_emit_by_name(ice, "add-local-ip-address", address, &added);
    return added;
}
/// The caller owns the reference.
static inline gpointer pl_add_transceiver(
    gpointer bin, GstWebRTCRTPTransceiverDirection direction, GstCaps *caps) {
    gpointer transceiver = NULL;
    g_signal_emit_by_name(bin, "add-transceiver", direction, caps, &transceiver);
    return transceiver;
}
/// The caller owns the reference.
static inline gpointer pl_create_data_channel(gpointer bin, const gchar *label, GstStructure *options) {
    gpointer channel = NULL;
    g_signal_emit_by_name(bin, "create-data-channel", label, options, &channel);
    return channel;
}
static inline GstStructure *pl_channel_options(
    gboolean ordered, gint max_packet_lifetime, gint max_retransmits, const gchar *protocol, gboolean negotiated,
    gint id) {
    GstStructure *options = gst_structure_new(
        "options", "ordered", G_TYPE_BOOLEAN, ordered, "protocol", G_TYPE_STRING, protocol, "negotiated",
        G_TYPE_BOOLEAN, negotiated, NULL);
    if (max_packet_lifetime >= 0)
        gst_structure_set(options, "max-packet-lifetime", G_TYPE_INT, max_packet_lifetime, NULL);
    if (max_retransmits >= 0) gst_structure_set(options, "max-retransmits", G_TYPE_INT, max_retransmits, NULL);
    if (id >= 0) gst_structure_set(options, "id", G_TYPE_INT, id, NULL);
    return options;
}

// Type macros and tests that Swift does not import.

static inline GType pl_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType pl_type_int(void) { return G_TYPE_INT; }
static inline GType pl_type_uint(void) { return G_TYPE_UINT; }
static inline GType pl_type_int64(void) { return G_TYPE_INT64; }
static inline GType pl_type_uint64(void) { return G_TYPE_UINT64; }
static inline GType pl_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType pl_type_string(void) { return G_TYPE_STRING; }
static inline GType pl_type_structure(void) { return GST_TYPE_STRUCTURE; }
static inline GType pl_value_type(const GValue *value) { return G_VALUE_TYPE(value); }
static inline gboolean pl_value_is_enum(const GValue *value) { return G_VALUE_HOLDS_ENUM(value); }
static inline gboolean pl_is_delta_unit(GstBuffer *buffer) {
    return GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
}
static inline void pl_set_discontinuous(GstBuffer *buffer) {
    GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
}
static inline GstBuffer *pl_probe_buffer(GstPadProbeInfo *info) { return GST_PAD_PROBE_INFO_BUFFER(info); }
static inline GstEvent *pl_probe_event(GstPadProbeInfo *info) { return GST_PAD_PROBE_INFO_EVENT(info); }
static inline guint pl_plane_width(const GstVideoFrame *frame, guint component) {
    return GST_VIDEO_FRAME_COMP_WIDTH(frame, component);
}
static inline guint pl_plane_height(const GstVideoFrame *frame, guint component) {
    return GST_VIDEO_FRAME_COMP_HEIGHT(frame, component);
}
static inline const guint8 *pl_plane_data(const GstVideoFrame *frame, guint component) {
    return (const guint8 *)GST_VIDEO_FRAME_COMP_DATA(frame, component);
}
static inline gint pl_plane_stride(const GstVideoFrame *frame, guint component) {
    return GST_VIDEO_FRAME_COMP_STRIDE(frame, component);
}
