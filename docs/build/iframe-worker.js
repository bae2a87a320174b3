// Browsers start no Worker on pages from files. There, this class runs a worker's script in a
// hidden frame instead, which is enough for the search.
if (location.protocol === "file:") {
  const load = (document, address) =>
    new Promise((done, failed) => {
      const script = document.createElement("script");
      Object.assign(script, { src: address, onload: done, onerror: failed });
      document.head.append(script);
    });
  const send = (to, data) => to.dispatchEvent(new MessageEvent("message", { data }));

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      Object.assign(this.frame, { hidden: true, srcdoc: "<!doctype html>" });
      this.ready = new Promise((done) => (this.frame.onload = done)).then(() => this.start(url));
      document.documentElement.append(this.frame);
    }

    async start(url) {
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => send(this, data);
      inside.importScripts = async (...addresses) => {
        for (const address of addresses) await load(inside.document, new URL(address, url).href);
      };
      await load(inside.document, url);
      return inside;
    }

    async postMessage(data) {
      send(await this.ready, data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
