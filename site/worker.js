/*
** A worker in a hidden frame, for pages that come from a disk, where browsers refuse workers: the search of the theme needs one.
*/
if (location.protocol === "file:") window.Worker = class extends EventTarget {
  constructor(url) {
    super()
    const frame = document.createElement("iframe")
    frame.hidden = true
    document.body.appendChild(frame)
    const inside = frame.contentWindow
    inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}))
    inside.importScripts = () => {} // stemmers of other languages
    const script = inside.document.createElement("script")
    script.src = url
    this.ready = new Promise(done => { script.onload = done })
    inside.document.body.appendChild(script)
    this.inside = inside
  }

  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", {data})))
  }

  terminate() {}
}
