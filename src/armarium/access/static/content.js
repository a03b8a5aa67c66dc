/* Runs first in every archived page, on the origin of the content.

   It closes ways to the live web that no policy of a page can close, keeps links inside the frame, and tells the
   frame around it (and nobody else) which page this is and when its parts were captured. It is no wall against a
   page that means harm: those are the headers of each answer (access/replay/guarding.py). */

(function () {
  "use strict";

  const READING = "@READING@"; // the origin of the frame; written in when the file is served
  const TOP = "___wb_replay_top_frame"; // as wombat calls the window of the archived page
  const SHUT = "__armarium_shut";
  const info = typeof wbinfo === "object" && wbinfo ? wbinfo : {};
  const send = window.top === window ? null : window.top.postMessage.bind(window.top);

  /* Connections beside HTTP are bound by no Content-Security-Policy. */
  const WAYS_OUT = [
    "RTCPeerConnection", "webkitRTCPeerConnection", "mozRTCPeerConnection", "RTCIceGatherer", "WebTransport",
    "WebSocketStream", "PresentationRequest", "BackgroundFetchManager", "PushManager", "PaymentRequest",
    "TCPSocket", "UDPSocket", "SharedStorage",
  ];

  function attempt(work) {
    try {
      return work();
    } catch {
      return undefined; // denied, or of another origin, which has its own
    }
  }

  function shut(target) {
    if (attempt(() => target[SHUT] || !Object.defineProperty(target, SHUT, { value: true })) !== false) return;
    for (const name of WAYS_OUT) {
      // What is assigned is forgotten: many scripts try to put one vendor's name in the place of another's.
      attempt(() => name in target && Object.defineProperty(target, name, { get() {}, set() {} }));
    }
    lendStorage(target, "sessionStorage");
    lendStorage(target, "localStorage");
    attempt(() => lendCaches(target));
    attempt(() => lendSharedWorker(target));
    attempt(() => shutNavigator(target.navigator));
    attempt(() => watch(target));
    attempt(() => guardSources(target));
  }

  function shutNavigator(navigator) {
    const refuse = () => Promise.reject(new DOMException("Not in an archive.", "SecurityError"));
    for (const name of ["registerProtocolHandler", "share", "joinAdInterestGroup", "runAdAuction"]) {
      if (name in navigator) Object.defineProperty(navigator, name, { value: refuse, writable: true });
    }
    const workers = navigator.serviceWorker;
    if (workers) Object.defineProperty(Object.getPrototypeOf(workers), "register", { get: () => refuse, set() {} });
  }

  /* Where a browser keeps no storage for pages in frames of another site, to ask for it is an error that most
     scripts, wombat among them, do not expect. Theirs lasts as long as the page. */
  function lendStorage(target, name) {
    if (attempt(() => target[name]) !== undefined) return;
    const kept = new Map();
    const storage = {
      get length() { return kept.size; },
      key: (number) => [...kept.keys()][number] ?? null,
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => void kept.set(String(key), String(value)),
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
    };
    attempt(() => Object.defineProperty(target, name, { value: storage, configurable: true }));
  }

  /* The same holds for caches, and wombat lets a page put into them what it never finds again. */
  function lendCaches(target) {
    if (!target.caches) return;
    const all = new Map();
    const address = (asked) => new URL(asked.url || asked, target.document.baseURI).href.split("#")[0];
    const cache = () => {
      const kept = new Map();
      const fill = async (asked) => void kept.set(address(asked), await target.fetch(asked));
      return {
        match: async (asked) => kept.get(address(asked))?.clone(),
        matchAll: async (asked) =>
          [...kept].filter(([key]) => !asked || key === address(asked)).map(([, answer]) => answer.clone()),
        add: fill,
        addAll: async (several) => void (await Promise.all([...several].map(fill))),
        put: async (asked, answer) => void kept.set(address(asked), answer),
        delete: async (asked) => kept.delete(address(asked)),
        keys: async () => [...kept.keys()].map((key) => new target.Request(key)),
      };
    };
    const storage = {
      open: async (name) => all.get(String(name)) || all.set(String(name), cache()).get(String(name)),
      has: async (name) => all.has(String(name)),
      delete: async (name) => all.delete(String(name)),
      keys: async () => [...all.keys()],
      match: async (asked) => {
        for (const one of all.values()) {
          const found = await one.match(asked);
          if (found) return found;
        }
      },
    };
    Object.defineProperty(target, "caches", { value: storage, configurable: true });
  }

  /* A shared worker is refused in such frames, too, and elsewhere would be shared by archived pages that have
     nothing to do with each other: it becomes a worker of this page. */
  const CONNECT = "__armarium_connect";
  const SHARED = `let waiting=[];const connect=(ports)=>{
    const told=new MessageEvent("connect",{data:"",ports,source:ports[0]});dispatchEvent(told);
    if(typeof self.onconnect==="function")self.onconnect(told)};
    addEventListener("message",(event)=>{if(event.data!=="${CONNECT}")return;event.stopImmediatePropagation();
    if(waiting)waiting.push(event.ports);else connect(event.ports)});
    const ready=()=>{const all=waiting;waiting=null;all.forEach(connect)};
    const failed=(error)=>setTimeout(()=>{throw error});`; // whoever comes before a module has loaded waits

  function lendSharedWorker(target) {
    const { SharedWorker, Worker, Blob, URL, MessageChannel } = target;
    if (!SharedWorker) return;
    const running = new Map();
    const begin = (url, given) => {
      const at = JSON.stringify(url);
      const load = given.type === "module" ? `import(${at}).then(ready,failed)` : `importScripts(${at});ready()`;
      const source = `{${SHARED}self.name=${JSON.stringify(given.name || "")};${load}}`;
      return new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), given);
    };
    const lent = function (address, given) {
      const options = typeof given === "string" ? { name: given } : given || {};
      const url = new URL(address, target.location.href).href; // wombat has rewritten it
      const key = `${url} ${options.name || ""}`;
      const worker = running.get(key) || running.set(key, begin(url, options)).get(key);
      const { port1, port2 } = new MessageChannel();
      worker.postMessage(CONNECT, [port2]);
      const shared = new target.EventTarget();
      worker.addEventListener("error", (event) => {
        const told = new target.ErrorEvent("error", { message: event.message });
        shared.dispatchEvent(told);
        if (typeof shared.onerror === "function") shared.onerror(told);
      });
      return Object.assign(shared, { port: port1 });
    };
    target.SharedWorker = lent;
  }

  function lendCookies() {
    const mark = "armarium_try=1";
    attempt(() => { document.cookie = mark; });
    if (attempt(() => document.cookie.includes(mark))) {
      document.cookie = `${mark}; Max-Age=0`;
      return;
    }
    const kept = new Map();
    const set = (written) => {
      const [pair, ...rules] = String(written).split(";");
      const name = pair.split("=")[0].trim();
      const ends = rules.some((rule) => {
        const [key, value] = rule.split("=").map((one) => one.trim());
        return /^max-age$/i.test(key) ? value <= 0 : /^expires$/i.test(key) && new Date(value) <= new Date();
      });
      if (ends) kept.delete(name);
      else if (name) kept.set(name, pair.trim());
    };
    const get = () => [...kept.values()].join("; ");
    attempt(() => Object.defineProperty(Document.prototype, "cookie", { get, set, configurable: true }));
  }

  /* A frame that is written by its page has this script, too. */
  function guardSources(target) {
    const script = document.currentScript || document.querySelector(`script[src$="/-/static/content.js"]`);
    if (!script) return;
    const guard = `<script src="${script.src}"><\/script>`;
    const guarded = (source) => String(source).replace(/^(\s*<!doctype[^>]*>)?/i, `$1${guard}`);
    const frame = target.HTMLIFrameElement.prototype;
    const written = Object.getOwnPropertyDescriptor(frame, "srcdoc");
    Object.defineProperty(frame, "srcdoc", {
      ...written,
      set(source) { written.set.call(this, guarded(source)); },
    });
    const element = target.Element.prototype;
    const set = element.setAttribute;
    element.setAttribute = function (name, value) {
      const source = this instanceof target.HTMLIFrameElement && String(name).toLowerCase() === "srcdoc";
      return set.call(this, name, source ? guarded(value) : value);
    };
  }

  /* A new frame is empty and open to its page at once, before anything of ours could load in it. */
  const INSERTING = {
    Node: ["appendChild", "insertBefore", "replaceChild"],
    Element: [
      "after", "append", "before", "insertAdjacentElement", "insertAdjacentHTML", "innerHTML", "moveBefore",
      "outerHTML", "prepend", "replaceChildren", "replaceWith", "setHTMLUnsafe",
    ],
    Document: ["append", "prepend", "replaceChildren", "write", "writeln"],
    DocumentFragment: ["append", "prepend", "replaceChildren"],
    CharacterData: ["after", "before", "replaceWith"],
    Range: ["insertNode", "surroundContents"],
    ShadowRoot: ["innerHTML", "setHTMLUnsafe"],
  };

  function watch(target) {
    const look = () => {
      for (let number = 0; number < target.length; number++) shut(target[number]);
    };
    const followed = (work) => function (...given) {
      const result = work.apply(this, given);
      look();
      return result;
    };
    for (const [owner, names] of Object.entries(INSERTING)) {
      const proto = target[owner] && target[owner].prototype;
      for (const name of proto ? names : []) {
        const known = Object.getOwnPropertyDescriptor(proto, name);
        if (!known) continue;
        const part = known.set ? "set" : "value";
        Object.defineProperty(proto, name, { ...known, [part]: followed(known[part]) });
      }
    }
    target.document.addEventListener("load", look, true); // frames that have gone on to another page
  }

  /* wombat does not expect `addEventListener(…)` without `window.` before it. */
  function nameTheWindow() {
    for (const name of ["addEventListener", "removeEventListener"]) {
      const value = function (...given) {
        return EventTarget.prototype[name].apply(this ?? window, given);
      };
      Object.defineProperty(window, name, { value, writable: true, configurable: true });
    }
  }

  /* The sandbox opens no windows, and lets a frame lead only itself and what lies inside it. What wants a window
     of its own is shown in the frame, where the banner tells what it is; what leads another frame of the page is
     done by the window that holds both. */
  const GO = "__armarium_go";
  const hrefOf = {
    A: Object.getOwnPropertyDescriptor(HTMLAnchorElement.prototype, "href").get,
    AREA: Object.getOwnPropertyDescriptor(HTMLAreaElement.prototype, "href").get,
  }; // as they are: wombat will tell pages another address
  const submit = HTMLFormElement.prototype.submit;

  function isInside(other) {
    return attempt(() => other !== window.top && Boolean(other.document)) || false;
  }

  function outermost() {
    let outer = window;
    while (outer.parent !== outer && isInside(outer.parent)) outer = outer.parent;
    return outer;
  }

  function named(name) {
    const all = [outermost()];
    for (let at = 0; at < all.length && at < 500; at++) {
      const here = all[at];
      if (attempt(() => here.name) === name) return here;
      for (let n = 0; n < (attempt(() => here.length) || 0); n++) all.push(here[n]);
    }
    return null;
  }

  function windowFor(target) {
    switch ((target || "").toLowerCase()) {
      case "":
      case "_self":
        return window;
      case "_parent":
        return isInside(window.parent) ? window.parent : window;
      case "_top":
      case "_blank":
      case "_new":
        return outermost();
      default:
        return named(target) || outermost();
    }
  }

  function targetOf(element) {
    const base = document.querySelector("base[target]");
    return element.getAttribute("target") || (base && base.getAttribute("target")) || "";
  }

  function follow(event) {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.composedPath().find((one) => one.tagName in hrefOf && one.hasAttribute("href"));
    const target = link && targetOf(link);
    const address = link && hrefOf[link.tagName].call(link);
    if (!target || target === "_self" || !/^https?:/.test(address)) return;
    event.preventDefault();
    outermost()[GO](windowFor(target), address);
  }

  function sendForm(event) {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    const by = event.submitter;
    const other = windowFor((by && by.getAttribute("formtarget")) || targetOf(form));
    if (other === window) return;
    event.preventDefault();
    // A copy of it in the other window: each may lead itself.
    const copy = other.document.createElement("form");
    copy.action = (by && by.getAttribute("formaction")) || form.action;
    copy.method = form.method;
    copy.enctype = form.enctype;
    for (const [name, value] of new FormData(form, by)) {
      const field = other.document.createElement("input");
      Object.assign(field, { type: "hidden", name, value });
      copy.append(field);
    }
    (other.document.body || other.document.documentElement).append(copy);
    submit.call(copy);
  }

  function keepInside() {
    Object.defineProperty(window, GO, { value: (other, address) => { other.location.href = address; } });
    window.addEventListener("click", follow);
    window.addEventListener("submit", sendForm);
    const open = window.open;
    window.open = function (address, target, features) {
      const other = windowFor(target || "_blank");
      if (address) outermost()[GO](other, new URL(address, document.baseURI).href);
      return address ? other : open.call(this, address, TOP, features);
    };
  }

  /* What the frame is told. */
  function original(address) {
    if (!info.prefix || !address.startsWith(info.prefix)) return address;
    return address.slice(info.prefix.length).replace(/^[0-9]*(?:[a-z]+[0-9]?_)*\//, "");
  }

  /* The frame that led here itself, to see what is here, has put a mark into the address. It goes before any
     script of the page could read it. */
  function takeMark() {
    const found = /^#armarium-([0-9a-f]{32})-(.*)$/.exec(window.location.hash);
    if (!found) return "";
    history.replaceState(history.state, "", window.location.pathname + window.location.search);
    if (found[2]) window.location.replace(`#${found[2]}`);
    return found[1];
  }

  function tell(said) {
    if (send) send(said, READING);
  }

  function tellPage(number) {
    const asked = { ...(mark && { mark }), ...(number && { number }) };
    const notice = document.body && document.body.dataset.armariumNotice;
    if (notice) {
      const url = document.body.dataset.armariumUrl;
      tell({ armarium: "page", url, timestamp: "", title: document.title, reason: notice, ...asked });
    } else if (info.url) {
      const here = original(String(document.URL || info.url));
      const url = /^https?:/.test(here) ? here : info.url;
      const loaded = String(info.url);
      tell({ armarium: "page", url, loaded, timestamp: String(info.timestamp), title: document.title, ...asked });
    }
  }

  function tellPart(entry) {
    const timing = (entry.serverTiming || []).find((one) => one.name === "capture");
    if (timing) tell({ armarium: "part", url: original(entry.name), timestamp: timing.description });
  }

  function watchParts() {
    if (!window.PerformanceObserver) return;
    const types = window.name === TOP ? ["resource"] : ["resource", "navigation"];
    for (const type of types) {
      new PerformanceObserver((list) => list.getEntries().forEach(tellPart)).observe({ type, buffered: true });
    }
  }

  function watchPage() {
    const changed = () => tellPage();
    document.addEventListener("DOMContentLoaded", changed);
    window.addEventListener("load", changed);
    window.addEventListener("hashchange", changed);
    if (window.navigation) window.navigation.addEventListener("currententrychange", changed);
    window.addEventListener("message", (event) => {
      if (event.source !== window.top || event.origin !== READING) return;
      event.stopImmediatePropagation(); // no page expects it
      if (event.data && event.data.armarium === "who") tellPage(event.data.number);
    });
  }

  if (window.top === window) {
    if (info.top_url) window.location.replace(info.top_url); // without its frame nobody knows what this is
    return;
  }
  const mark = takeMark();
  shut(window);
  lendCookies();
  nameTheWindow();
  if (outermost() === window) {
    window.name = TOP;
    watchPage();
  }
  // A page of ours has this script at its end; its link to the calendar leads the window around it.
  if (!(document.body && "armariumNotice" in document.body.dataset)) keepInside();
  watchParts();
})();
