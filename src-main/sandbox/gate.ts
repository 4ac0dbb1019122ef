/** Shared work runs together; exclusive work runs alone and before later shared work. */
export type Gate = {
  shared<T>(work: () => Promise<T>): Promise<T>
  alone<T>(work: () => T | Promise<T>): Promise<T>
}

export function createGate(): Gate {
  let inside = 0
  let emptied = Promise.withResolvers<undefined>()
  let lastAlone: Promise<unknown> | null = null

  async function shared<T>(work: () => Promise<T>): Promise<T> {
    while (lastAlone !== null) await lastAlone
    inside += 1
    try {
      return await work()
    } finally {
      inside -= 1
      if (inside === 0) {
        emptied.resolve(undefined)
        emptied = Promise.withResolvers()
      }
    }
  }

  async function alone<T>(work: () => T | Promise<T>): Promise<T> {
    const before = lastAlone
    const turn = (async () => {
      await before
      while (inside > 0) await emptied.promise
      return await work()
    })()
    const settled = turn.then(
      () => undefined,
      () => undefined,
    )
    lastAlone = settled
    void settled.then(() => {
      if (lastAlone === settled) lastAlone = null
    })
    return await turn
  }

  return { shared, alone }
}
