#pragma once
#include <libwebsockets.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <uv.h>

// Macros that Swift cannot import (computed or 64-bit), under names of their own.
static const size_t porchlight_lws_pre = LWS_PRE;
static const uint64_t porchlight_lws_libuv = LWS_SERVER_OPTION_LIBUV;
static const uint64_t porchlight_lws_no_signal_spin = LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN;
static const uint64_t porchlight_lws_explicit_vhosts = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
static const uint64_t porchlight_lws_no_client_tls = LWS_SERVER_OPTION_ADOPT_APPLY_LISTEN_ACCEPT_CONFIG;
static const uint64_t porchlight_lws_ssl_init = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
static const int porchlight_lws_no_listen = CONTEXT_PORT_NO_LISTEN;
static const int porchlight_lws_adopts = CONTEXT_PORT_NO_LISTEN_SERVER;
static const int porchlight_lws_kill_async = LWS_TO_KILL_ASYNC;
static const enum lws_write_protocol porchlight_lws_write_raw = LWS_WRITE_RAW;

static inline void porchlight_tls_require_1_2(SSL_CTX *context) { SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION); }
static inline int porchlight_tls_name(SSL *tls, const char *host) { return SSL_set_tlsext_host_name(tls, host) == 1; }
static inline void porchlight_tls_ignore_name(SSL_CTX *context) { SSL_CTX_set_tlsext_servername_callback(context, NULL); }
static inline size_t porchlight_tls_pending(BIO *bio) { return BIO_ctrl_pending(bio); }
