// Runs in the isolated world: gives the preload what a sandboxed preload of Electron may require.
// `standInPost` is a binding of this world only; `runPreload` is the app's own script.
if (window === window.top) {
  const { port1 } = new MessageChannel()
  const link = createLink(port1, 'to-preload', 'to-main')
  dispatchEvent(new MessageEvent('stand-in-link', { ports: [port1] }))

  const waiting = new Map()
  const listeners = new Map()
  let nextId = 1

  // JSON has no `undefined`, and for a route it is not the same as null.
  const pack = (args) =>
    structuredClone(args).map((value) => (value === undefined ? {} : { value }))

  const ipcRenderer = {
    invoke(channel, ...args) {
      const id = nextId++
      const message = JSON.stringify({ id, channel, args: pack(args) })
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        standInPost(message)
      })
    },
    on(channel, listener) {
      const all = listeners.get(channel) ?? []
      listeners.set(channel, [...all, listener])
      return ipcRenderer
    },
    off(channel, listener) {
      const all = listeners.get(channel) ?? []
      listeners.set(
        channel,
        all.filter((other) => other !== listener),
      )
      return ipcRenderer
    },
  }

  globalThis.standInSettle = (id, { ok, value, message }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (ok) resolve(value)
    else reject(new Error(message))
  }
  globalThis.standInReceive = (channel, args) => {
    for (const listener of listeners.get(channel) ?? []) listener({ sender: ipcRenderer }, ...args)
  }

  const electron = {
    contextBridge: { exposeInMainWorld: (key, api) => void link.call(1, key, api) },
    ipcRenderer,
  }
  const module = { exports: {} }
  runPreload(
    (name) => {
      if (name === 'electron') return electron
      throw new Error(`module not found: ${name}`)
    },
    module,
    module.exports,
  )
}
