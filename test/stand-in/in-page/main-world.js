// Runs in the page's own world before any script of the page: waits for the preload's side.
if (window === window.top) {
  addEventListener(
    'stand-in-link',
    (event) => {
      event.stopImmediatePropagation()
      const link = createLink(event.ports[0], 'to-main', 'to-preload')
      const freeze = (value) => {
        if (typeof value === 'object' && value !== null) {
          Object.values(value).forEach(freeze)
          Object.freeze(value)
        }
        return value
      }
      link.offer(1, (key, api) => {
        if (key in window)
          throw new Error(`Cannot bind an API on top of an existing property: ${key}`)
        Object.defineProperty(window, key, { value: freeze(api), enumerable: true })
      })
    },
    { capture: true, once: true },
  )
}
