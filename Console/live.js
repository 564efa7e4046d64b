// One camera's live view, as docs/live-protocol.md has it: an offer by WHEP, the answer back, then media and readings
// straight from the camera. Nothing is fetched from anywhere but this server.

const part = (id) => document.getElementById(id);
const video = part("video");

const GATHERING_LIMIT = 3_000; // ms; candidates that are not there by then would not have helped
const CONNECT_LIMIT = 30_000; // ms from the answer to a connection
const PICTURE_LIMIT = 15_000; // ms without a new frame
const FIRST_WAIT = 1_000; // ms before the first new attempt; doubled each time, up to
const LONGEST_WAIT = 30_000;

/** What went wrong, in words. `wait` is the number of ms after which another attempt makes sense; null if none does. */
class Trouble extends Error {
  constructor(message, wait = undefined) {
    super(message);
    this.wait = wait;
  }
}

// MARK: Which camera

/** Space, device and token: from the address's fragment, which is taken out of the address at once, or from before. */
function readTarget() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("token")) {
    const target = { space: given.get("space"), device: given.get("device"), token: given.get("token") };
    history.replaceState(null, "", location.pathname + location.search);
    sessionStorage.setItem("target", JSON.stringify(target));
  }
  let target = null;
  try {
    target = JSON.parse(sessionStorage.getItem("target"));
  } catch {
    sessionStorage.removeItem("target");
  }
  return target?.space && target.device && target.token ? target : null;
}

// MARK: The cloud

/** Calls the cloud; turns what is not a success into Trouble. */
async function call(target, method, path, { body, type, signal } = {}) {
  const headers = { Authorization: `Bearer ${target.token}` };
  if (type) headers["Content-Type"] = type;
  let response;
  try {
    response = await fetch(path, { method, headers, body, signal, cache: "no-store", credentials: "omit" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Trouble("The cloud does not answer. Check that it runs and that you are on its network.");
  }
  if (response.ok) return response;
  let message = `The cloud answered ${response.status}.`;
  try {
    message = (await response.json()).error.message;
  } catch {
    // A proxy's page, perhaps; the status says enough.
  }
  const seconds = Number(response.headers.get("Retry-After"));
  const isFinal = [400, 401, 403, 404, 405, 413, 415].includes(response.status);
  throw new Trouble(message, isFinal ? null : seconds > 0 ? seconds * 1000 : undefined);
}

const devicePath = ({ space, device }) =>
  `/v1/spaces/${encodeURIComponent(space)}/devices/${encodeURIComponent(device)}`;

// MARK: One attempt

/** One attempt at a view, from the first request to the end of its connection. */
class Attempt {
  constructor(target, { onState, onFrame, onReading, onEnd }) {
    Object.assign(this, { target, onState, onFrame, onReading, onEnd });
    this.started = performance.now();
    this.abort = new AbortController();
    this.timers = [];
    this.over = false;
  }

  async run() {
    try {
      this.onState("Asking for the camera");
      const device = await (await call(this.target, "GET", devicePath(this.target), { signal: this.abort.signal })).json();
      part("name").textContent = device.name;
      document.title = `${device.name} – Porchlight`;

      const peer = (this.peer = new RTCPeerConnection({ bundlePolicy: "max-bundle" }));
      peer.addTransceiver("video", { direction: "recvonly" });
      peer.ontrack = ({ track, streams }) => this.show(track, streams[0] ?? new MediaStream([track]));
      peer.onconnectionstatechange = () => this.connectionChanged();
      this.channel = peer.createDataChannel("porchlight");
      this.channel.onmessage = ({ data }) => this.hear(data);

      await peer.setLocalDescription(await peer.createOffer());
      await this.gathered();
      if (this.over) return;
      this.onState("Waiting for the camera");
      const answer = await call(this.target, "POST", `${devicePath(this.target)}/live`, {
        body: peer.localDescription.sdp, type: "application/sdp", signal: this.abort.signal,
      });
      this.address = answer.headers.get("Location");
      const sdp = await answer.text();
      if (this.over) return this.tellCloud();
      await peer.setRemoteDescription({ type: "answer", sdp });
      this.onState("Connecting");
      this.after(CONNECT_LIMIT, () => {
        if (peer.connectionState !== "connected") {
          this.end(new Trouble("No way to the camera was found. Both must be able to reach each other."));
        }
      });
    } catch (error) {
      if (this.over) return;
      this.end(error instanceof Trouble ? error : new Trouble(`The view could not be opened: ${error.message}`));
    }
  }

  /** Resolves when all candidates are in the offer: the answer comes back once, so the offer has to be whole. */
  gathered() {
    const { peer } = this;
    if (peer.iceGatheringState === "complete") return Promise.resolve();
    return new Promise((resolve) => {
      peer.addEventListener("icegatheringstatechange", () => {
        if (peer.iceGatheringState === "complete") resolve();
      });
      this.after(GATHERING_LIMIT, resolve);
    });
  }

  connectionChanged() {
    switch (this.peer.connectionState) {
      case "connected":
        this.onState(this.hasPicture ? "Live" : "Waiting for the picture", this.hasPicture);
        break;
      case "disconnected": // passes by itself, or becomes 'failed'
        this.onState("Connection is unsteady");
        break;
      case "failed":
        this.end(new Trouble("The connection to the camera was lost."));
        break;
    }
  }

  show(track, stream) {
    video.srcObject = stream;
    // Browsers start a muted video by themselves; where one does not, its own message is of no use to a viewer.
    video.play().catch(() => {});
    const first = () => {
      if (this.over || this.hasPicture) return;
      this.hasPicture = true;
      this.onFrame(performance.now() - this.started);
      this.onState("Live", true);
    };
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(first);
    else video.addEventListener("loadeddata", first, { once: true });
    this.watchPicture();
  }

  /** A connection can be up with a picture that stands still; frames are what counts. */
  watchPicture() {
    let decoded = -1;
    let newest = performance.now();
    const look = async () => {
      if (this.over) return;
      for (const report of (await this.peer.getStats()).values()) {
        if (report.type === "inbound-rtp" && report.kind === "video" && report.framesDecoded !== decoded) {
          decoded = report.framesDecoded;
          newest = performance.now();
        }
      }
      if (document.hidden) newest = performance.now(); // a hidden page may be given no frames
      if (performance.now() - newest > PICTURE_LIMIT) return this.end(new Trouble("The picture stands still."));
      this.after(1_000, look);
    };
    look();
  }

  hear(data) {
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return; // not one of ours, which is no error
    }
    switch (message?.type) {
      case "rssi":
      case "temperature":
      case "humidity":
        if (Number.isInteger(message.value)) this.onReading(message.type, message.value);
        break;
      case "stream_ended":
        this.end(new Trouble(message.reason || "The camera has ended the view.", null));
        break;
      case "stream_failed":
        this.end(new Trouble(message.reason || "The camera's stream has failed."));
        break;
    }
  }

  after(milliseconds, action) {
    this.timers.push(setTimeout(() => this.over || action(), milliseconds));
  }

  /** Ends the attempt, tells the camera and the cloud, and says why it ended. */
  end(trouble) {
    if (this.over) return;
    this.over = true;
    this.timers.forEach(clearTimeout);
    if (this.channel?.readyState === "open") this.channel.send(JSON.stringify({ type: "goodbye" }));
    this.tellCloud();
    this.abort.abort();
    this.peer?.close();
    if (trouble) this.onEnd(trouble);
  }

  tellCloud() {
    if (!this.address) return;
    // `keepalive` lets the request outlive the page.
    fetch(this.address, { method: "DELETE", keepalive: true, credentials: "omit" }).catch(() => {});
    this.address = null;
  }
}

// MARK: The page

const signed = (value) => `${value}`.replace("-", "−");
const words = {
  rssi: (value) => `${signed(value)} dBm, ${value >= -60 ? "good" : value >= -72 ? "fair" : "weak"}`,
  temperature: (value) => `${signed(value)} °C`,
  humidity: (value) => `${value} %`,
};

let attempt = null;
let failures = 0;
let countdown = null;

function setState(text, kind) {
  if (part("state").textContent !== text) part("state").textContent = text;
  part("state").dataset.kind = kind;
}

/** The words over the picture; those of a trouble interrupt a screen reader, those of progress do not. */
function setNotice(text, { isTrouble = false, canRetry = false } = {}) {
  part("notice").hidden = !text;
  if (isTrouble) part("message").setAttribute("role", "alert");
  else part("message").removeAttribute("role");
  part("message").textContent = text;
  part("retry").hidden = !canRetry;
}

function start() {
  clearInterval(countdown);
  attempt?.end();
  const target = readTarget();
  if (!target) {
    setState("No camera", "failed");
    setNotice("Open this page by the whole address that Porchlight printed: it names the camera and lets you in.", {
      isTrouble: true,
    });
    return;
  }
  attempt = new Attempt(target, {
    onState: (text, isLive = false) => {
      setState(text, isLive ? "live" : "waiting");
      setNotice(isLive || video.readyState > 1 ? "" : text);
    },
    onFrame: (milliseconds) => {
      failures = 0;
      part("firstFrame").textContent = `${Math.round(milliseconds)} ms`;
      part("enlarge").hidden = !document.fullscreenEnabled;
    },
    onReading: (name, value) => {
      part(name).textContent = words[name](value);
    },
    onEnd: (trouble) => retryAfter(trouble),
  });
  attempt.run();
}

function retryAfter(trouble) {
  video.srcObject = null;
  part("enlarge").hidden = true;
  // Readings of a view that has ended would pass for today's.
  for (const name of ["resolution", "firstFrame", ...Object.keys(words)]) part(name).textContent = "–";
  if (trouble.wait === null) {
    setState("Not connected", "failed");
    setNotice(trouble.message, { isTrouble: true, canRetry: true });
    return;
  }
  // Full jitter, so that many viewers of a cloud that was away do not come back in step.
  const most = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures);
  failures += 1;
  const until = performance.now() + Math.max(trouble.wait ?? 0, FIRST_WAIT * 0.5 + Math.random() * most);
  setState("Reconnecting", "failed");
  setNotice(trouble.message, { isTrouble: true, canRetry: true });
  countdown = setInterval(() => {
    if (performance.now() >= until) start();
  }, 250);
}

part("retry").addEventListener("click", () => {
  failures = 0;
  start();
});
part("enlarge").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else part("screen").requestFullscreen();
});
document.addEventListener("fullscreenchange", () => {
  part("enlarge").textContent = document.fullscreenElement ? "Leave full screen" : "Full screen";
});
video.addEventListener("resize", () => {
  if (video.videoWidth) part("resolution").textContent = `${video.videoWidth} × ${video.videoHeight}`;
});
addEventListener("hashchange", start);
addEventListener("pagehide", () => {
  clearInterval(countdown);
  attempt?.end();
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) start(); // back from the history, where the connection had been given up
});
start();
