import { DatabaseSync, StatementSync } from 'node:sqlite'
import zlib from 'node:zlib'

// undici names this decoder while it loads. The sandbox decodes no responses; Node has it since 22.15.
zlib.createZstdDecompress ??= () => {
  throw new Error('This Node does not decode zstd.')
}

// Node 22 has no AsyncDisposableStack. The sandbox uses these methods of it.
globalThis.AsyncDisposableStack ??= class AsyncDisposableStack {
  #disposers = []
  defer(dispose) {
    this.#disposers.push(dispose)
  }
  use(resource) {
    this.defer(() => resource[Symbol.asyncDispose]())
    return resource
  }
  move() {
    const moved = new AsyncDisposableStack()
    moved.#disposers = this.#disposers.splice(0)
    return moved
  }
  async disposeAsync() {
    for (const dispose of this.#disposers.splice(0).reverse()) await dispose()
  }
  [Symbol.asyncDispose]() {
    return this.disposeAsync()
  }
}

// Node 22.13 to 22.15 has node:sqlite without rows as arrays, the names of columns and `isTransaction`.
if (!('setReturnArrays' in StatementSync.prototype)) {
  const texts = new WeakMap()
  const { prepare, exec } = DatabaseSync.prototype
  Object.assign(DatabaseSync.prototype, {
    isTransaction: false,
    prepare(text) {
      const statement = prepare.call(this, text)
      texts.set(statement, { database: this, text })
      return statement
    },
    exec(text) {
      if (/^\s*ROLLBACK/i.test(text)) this.isTransaction = false
      exec.call(this, text)
      if (/^\s*(BEGIN|COMMIT)/i.test(text)) this.isTransaction = /BEGIN/i.test(text)
    },
  })

  const arrays = new WeakSet()
  const toArray = (statement, row) =>
    row !== undefined && arrays.has(statement) ? Object.values(row) : row
  const { all, get, iterate } = StatementSync.prototype
  Object.assign(StatementSync.prototype, {
    setReturnArrays(enabled) {
      if (enabled) arrays.add(this)
    },
    columns() {
      const { database, text } = texts.get(this)
      const [, returned] = /\bRETURNING\s+([^;]+)$/i.exec(text) ?? []
      if (returned !== undefined) {
        return returned.split(',').map((each) => ({ name: /\w+\s*$/.exec(each)[0].trim() }))
      }
      if (!/^\s*(SELECT|WITH|VALUES)\b/i.test(text)) return []
      // One row of NULLs, whatever the query finds: unbound parameters are NULL, which no limit can be.
      const query = text.replaceAll(/\b(LIMIT|OFFSET)\s+\?/gi, '$1 0')
      const names = `SELECT found.* FROM (SELECT 1) LEFT JOIN (${query}) found ON 0`
      return Object.keys(get.call(prepare.call(database, names))).map((name) => ({ name }))
    },
    all(...values) {
      return all.call(this, ...values).map((row) => toArray(this, row))
    },
    get(...values) {
      return toArray(this, get.call(this, ...values))
    },
    *iterate(...values) {
      for (const row of iterate.call(this, ...values)) yield toArray(this, row)
    },
  })
}
