// The peer of the first-frame benchmark: two webrtcbins in one process, joined by function calls, nothing else.
//
// Each line "go" on standard input makes both ends anew and prints the milliseconds from that moment to the first
// decoded frame. The settings are those of our camera: the same encoder, jitter buffer, ICE options, and a key frame
// forced when the connection is up.
#define GST_USE_UNSTABLE_API
#include <gst/gst.h>
#include <gst/sdp/sdp.h>
#include <gst/video/video.h>
#include <gst/webrtc/webrtc.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    GMutex mutex;
    GCond changed;
    gboolean gathered_offer, gathered_answer, got_frame;
    gint64 first_frame;
    GstElement *pipeline, *camera, *viewer, *encoder;
} Run;

static void raise_flag(Run *run, gboolean *flag) {
    g_mutex_lock(&run->mutex);
    *flag = TRUE;
    g_cond_broadcast(&run->changed);
    g_mutex_unlock(&run->mutex);
}

static gboolean wait_flag(Run *run, gboolean *flag) {
    gint64 deadline = g_get_monotonic_time() + 20 * G_TIME_SPAN_SECOND;
    gboolean ok = TRUE;
    g_mutex_lock(&run->mutex);
    while (!*flag && ok) ok = g_cond_wait_until(&run->changed, &run->mutex, deadline);
    g_mutex_unlock(&run->mutex);
    return ok;
}

static void on_gathering(GstElement *end, GParamSpec *spec, gpointer data) {
    (void)spec;
    Run *run = data;
    GstWebRTCICEGatheringState state;
    g_object_get(end, "ice-gathering-state", &state, NULL);
    if (state != GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE) return;
    raise_flag(run, end == run->viewer ? &run->gathered_offer : &run->gathered_answer);
}

static void on_connection(GstElement *end, GParamSpec *spec, gpointer data) {
    (void)spec;
    Run *run = data;
    GstWebRTCPeerConnectionState state;
    g_object_get(end, "connection-state", &state, NULL);
    if (state != GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED) return;
    GstPad *pad = gst_element_get_static_pad(run->encoder, "src");
    gst_pad_send_event(pad, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
    gst_object_unref(pad);
}

static GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    (void)pad;
    (void)info;
    Run *run = data;
    run->first_frame = g_get_monotonic_time();
    raise_flag(run, &run->got_frame);
    return GST_PAD_PROBE_REMOVE;
}

static void on_pad(GstElement *end, GstPad *pad, gpointer data) {
    (void)end;
    Run *run = data;
    if (GST_PAD_DIRECTION(pad) != GST_PAD_SRC) return;
    GstElement *decoder = gst_parse_bin_from_description(
        "rtph264depay ! h264parse ! avdec_h264 max-threads=1 ! fakesink name=sink sync=false", TRUE, NULL);
    gst_bin_add(GST_BIN(run->pipeline), decoder);
    GstElement *sink = gst_bin_get_by_name(GST_BIN(decoder), "sink");
    GstPad *frames = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(frames, GST_PAD_PROBE_TYPE_BUFFER, on_frame, run, NULL);
    gst_object_unref(frames);
    gst_object_unref(sink);
    gst_element_sync_state_with_parent(decoder);
    GstPad *target = gst_element_get_static_pad(decoder, "sink");
    gst_pad_link(pad, target);
    gst_object_unref(target);
}

static GstWebRTCSessionDescription *ask(GstElement *end, const char *what, const char *field) {
    GstPromise *promise = gst_promise_new();
    g_signal_emit_by_name(end, what, NULL, promise);
    gst_promise_wait(promise);
    GstWebRTCSessionDescription *description = NULL;
    gst_structure_get(
        gst_promise_get_reply(promise), field, GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &description, NULL);
    gst_promise_unref(promise);
    return description;
}

static void set(GstElement *end, const char *what, GstWebRTCSessionDescription *description) {
    GstPromise *promise = gst_promise_new();
    g_signal_emit_by_name(end, what, description, promise);
    gst_promise_wait(promise);
    gst_promise_unref(promise);
}

// The local description once all its candidates are in it, as text and back: that is what a relay carries.
static GstWebRTCSessionDescription *complete(GstElement *end, GstWebRTCSDPType type) {
    GstWebRTCSessionDescription *local = NULL;
    g_object_get(end, "local-description", &local, NULL);
    gchar *text = gst_sdp_message_as_text(local->sdp);
    GstSDPMessage *copy = NULL;
    gst_sdp_message_new_from_text(text, &copy);
    g_free(text);
    gst_webrtc_session_description_free(local);
    return gst_webrtc_session_description_new(type, copy);
}

static void prepare(GstElement *end, Run *run) {
    GObject *ice = NULL, *agent = NULL;
    g_object_get(end, "ice-agent", &ice, NULL);
    g_object_get(ice, "agent", &agent, NULL);
    g_object_set(agent, "upnp", FALSE, NULL);
    g_object_unref(agent);
    g_object_unref(ice);
    g_signal_connect(end, "notify::ice-gathering-state", G_CALLBACK(on_gathering), run);
}

static double measure(void) {
    Run run = {0};
    g_mutex_init(&run.mutex);
    g_cond_init(&run.changed);
    gint64 start = g_get_monotonic_time();
    run.pipeline = gst_parse_launch(
        "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=1280,height=720,framerate=30/1 "
        "! x264enc name=encoder tune=zerolatency speed-preset=ultrafast bitrate=2000 key-int-max=300 bframes=0 "
        "threads=1 ! video/x-h264,profile=constrained-baseline ! h264parse "
        "! rtph264pay pt=96 config-interval=-1 aggregate-mode=zero-latency "
        "! application/x-rtp,media=video,encoding-name=H264,payload=96 "
        "! webrtcbin name=camera bundle-policy=max-bundle latency=50 "
        "webrtcbin name=viewer bundle-policy=max-bundle latency=50",
        NULL);
    run.camera = gst_bin_get_by_name(GST_BIN(run.pipeline), "camera");
    run.viewer = gst_bin_get_by_name(GST_BIN(run.pipeline), "viewer");
    run.encoder = gst_bin_get_by_name(GST_BIN(run.pipeline), "encoder");
    prepare(run.camera, &run);
    prepare(run.viewer, &run);
    g_signal_connect(run.viewer, "pad-added", G_CALLBACK(on_pad), &run);
    g_signal_connect(run.camera, "notify::connection-state", G_CALLBACK(on_connection), &run);
    GstCaps *caps = gst_caps_from_string(
        "application/x-rtp,media=video,encoding-name=H264,payload=96,clock-rate=90000,packetization-mode=(string)1,"
        "profile-level-id=(string)42e01f");
    GstWebRTCRTPTransceiver *transceiver = NULL;
    g_signal_emit_by_name(
        run.viewer, "add-transceiver", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY, caps, &transceiver);
    gst_object_unref(transceiver);
    gst_caps_unref(caps);
    // The answer must not depend on whether the encoder has spoken yet.
    caps = gst_caps_from_string("application/x-rtp,media=video,encoding-name=H264,payload=96,clock-rate=90000");
    g_signal_emit_by_name(run.camera, "get-transceiver", 0, &transceiver);
    g_object_set(transceiver, "codec-preferences", caps, NULL);
    gst_object_unref(transceiver);
    gst_caps_unref(caps);
    gst_element_set_state(run.pipeline, GST_STATE_PLAYING);
    GObject *channel = NULL;
    g_signal_emit_by_name(run.viewer, "create-data-channel", "porchlight", NULL, &channel);

    GstWebRTCSessionDescription *offer = ask(run.viewer, "create-offer", "offer");
    set(run.viewer, "set-local-description", offer);
    gst_webrtc_session_description_free(offer);
    double result = -1;
    if (wait_flag(&run, &run.gathered_offer)) {
        offer = complete(run.viewer, GST_WEBRTC_SDP_TYPE_OFFER);
        set(run.camera, "set-remote-description", offer);
        gst_webrtc_session_description_free(offer);
        GstWebRTCSessionDescription *answer = ask(run.camera, "create-answer", "answer");
        set(run.camera, "set-local-description", answer);
        gst_webrtc_session_description_free(answer);
        if (wait_flag(&run, &run.gathered_answer)) {
            answer = complete(run.camera, GST_WEBRTC_SDP_TYPE_ANSWER);
            set(run.viewer, "set-remote-description", answer);
            gst_webrtc_session_description_free(answer);
            if (wait_flag(&run, &run.got_frame)) result = (run.first_frame - start) / 1000.0;
        }
    }
    gst_element_set_state(run.pipeline, GST_STATE_NULL);
    if (channel) g_object_unref(channel);
    gst_object_unref(run.camera);
    gst_object_unref(run.viewer);
    gst_object_unref(run.encoder);
    gst_object_unref(run.pipeline);
    return result;
}

int main(int count, char **words) {
    gst_init(&count, &words);
    char line[16];
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "go", 2) != 0) break;
        printf("%.1f\n", measure());
        fflush(stdout);
    }
    return 0;
}
