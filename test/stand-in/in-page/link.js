// Joins two JavaScript worlds of one page, as Electron's context bridge does: values are copied,
// functions and promises are reachable by proxy, and nothing else of one world is seen by the other.
// Events on a message port are dispatched synchronously and their detail is cloned between worlds.
const createLink = (port, here, there) => {
  const local = new Map()
  const proxies = new WeakMap()
  const settlers = new Map()
  let nextId = 1
  let answer

  const isPlain = (value) =>
    Array.isArray(value) ||
    (value !== null &&
      typeof value === 'object' &&
      [Object.prototype, null].includes(Object.getPrototypeOf(value)))

  const send = (detail) => port.dispatchEvent(new CustomEvent(there, { detail }))

  function encode(value) {
    if (typeof value === 'function') {
      if (proxies.has(value)) return { kind: 'yours', id: proxies.get(value) }
      const id = nextId++
      local.set(id, value)
      return { kind: 'function', id }
    }
    if (typeof value?.then === 'function') {
      const id = nextId++
      value.then(
        (result) => send({ settle: id, ok: true, value: encode(result) }),
        (error) => send({ settle: id, ok: false, message: String(error?.message ?? error) }),
      )
      return { kind: 'promise', id }
    }
    if (Array.isArray(value)) return { kind: 'array', items: value.map(encode) }
    if (isPlain(value)) {
      const entries = Object.entries(value).map(([key, item]) => [key, encode(item)])
      return { kind: 'object', entries }
    }
    return { kind: 'value', value }
  }

  function decode(coded) {
    switch (coded.kind) {
      case 'function': {
        const proxy = (...args) => call(coded.id, args)
        proxies.set(proxy, coded.id)
        return proxy
      }
      case 'yours':
        return local.get(coded.id)
      case 'promise':
        return new Promise((resolve, reject) => settlers.set(coded.id, { resolve, reject }))
      case 'array':
        return coded.items.map(decode)
      case 'object':
        return Object.fromEntries(coded.entries.map(([key, item]) => [key, decode(item)]))
      default:
        return coded.value
    }
  }

  function call(id, args) {
    send({ call: id, args: args.map(encode) })
    const { ok, value, message } = answer
    if (!ok) throw new Error(message)
    return decode(value)
  }

  port.addEventListener(here, ({ detail }) => {
    if (detail.settle !== undefined) {
      const settler = settlers.get(detail.settle)
      settlers.delete(detail.settle)
      if (detail.ok) settler.resolve(decode(detail.value))
      else settler.reject(new Error(detail.message))
      return
    }
    if (detail.answer !== undefined) {
      answer = detail.answer
      return
    }
    try {
      const result = local.get(detail.call)(...detail.args.map(decode))
      send({ answer: { ok: true, value: encode(result) } })
    } catch (error) {
      send({ answer: { ok: false, message: String(error?.message ?? error) } })
    }
  })

  return {
    /** Offers a function under a number both sides know. */
    offer: (id, implementation) => local.set(-id, implementation),
    call: (id, ...args) => call(-id, args),
  }
}
