import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { SandboxClock, Scheduler } from './clock.ts'
import { HttpProblem } from './http.ts'
import { type ControlStore, copyInto, replaceFrom, type Database } from './store/database.ts'

const about = z.object({
  name: z.string(),
  createdAt: z.number(),
  seqno: z.number(),
})

export type Snapshot = z.infer<typeof about>

/** The state after the first start, for `reset`; hidden, and cannot be deleted. */
const genesis = 'genesis'

/** Manages copies of both databases in the data directory. The caller ensures that nothing else is running. */
export function createSnapshots(deps: {
  readonly dataDirectory: string
  readonly databases: Readonly<Record<'mainnet' | 'testnet', Database>>
}) {
  const folder = join(deps.dataDirectory, 'snapshots')
  const databases = Object.entries(deps.databases)
  /** The file marks a running revert, because two databases have no common commit. */
  const marker = join(deps.dataDirectory, 'reverting')
  const unfinished = join(deps.dataDirectory, 'snapshot.new')

  // The folder's name is a digest, because file systems restrict names.
  const folderOf = (name: string) =>
    join(folder, createHash('sha256').update(name).digest('hex').slice(0, 16))

  const find = (name: string) => readAbout(folderOf(name))

  function revert(name: string): void {
    writeFileSync(marker, name)
    for (const [network, database] of databases) {
      replaceFrom(database, join(folderOf(name), `${network}.db`))
    }
    rmSync(marker)
  }

  return {
    find,
    list(): Snapshot[] {
      if (!existsSync(folder)) return []
      return readdirSync(folder)
        .flatMap((entry) => readAbout(join(folder, entry)) ?? [])
        .filter(({ name }) => name !== genesis)
        .sort((one, other) => one.createdAt - other.createdAt || (one.name < other.name ? -1 : 1))
    },
    make(snapshot: Snapshot): void {
      rmSync(unfinished, { recursive: true, force: true })
      mkdirSync(unfinished, { mode: 0o700 })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      for (const [network, database] of databases) {
        copyInto(database, join(unfinished, `${network}.db`))
      }
      writeFileSync(join(unfinished, 'about.json'), JSON.stringify(snapshot))
      rmSync(folderOf(snapshot.name), { recursive: true, force: true })
      renameSync(unfinished, folderOf(snapshot.name))
    },
    revert,
    delete(name: string): void {
      rmSync(folderOf(name), { recursive: true, force: true })
    },
    /** Finishes an interrupted revert. @returns its snapshot, or null */
    finishRevert(): Snapshot | null {
      if (!existsSync(marker)) return null
      const name = readFileSync(marker, 'utf8')
      const snapshot = find(name)
      if (snapshot !== null) revert(name)
      else rmSync(marker)
      return snapshot
    },
  }
}

function readAbout(folder: string): Snapshot | null {
  try {
    return about.parse(JSON.parse(readFileSync(join(folder, 'about.json'), 'utf8')))
  } catch {
    return null
  }
}

const lasting = ['port', 'hasBegun']

export type State = ReturnType<typeof createState>

/** Each change of the state waits until nothing else is running. */
export function createState(deps: {
  readonly snapshots: ReturnType<typeof createSnapshots>
  readonly store: ControlStore
  readonly clock: SandboxClock
  readonly gate: Gate
  readonly scheduler: Scheduler
  readonly head: () => number
  /** Aborts deliveries; none starts before `reload`. */
  readonly suspendDeliveries: () => Promise<void>
  readonly reload: () => void
}) {
  const { snapshots, store, clock, gate, scheduler } = deps

  const make = (name: string): Snapshot => {
    const snapshot = { name, createdAt: clock.now(), seqno: deps.head() }
    snapshots.make(snapshot)
    return snapshot
  }

  async function returnTo(name: string): Promise<void> {
    // Pending responses are obsolete, so nothing waits for them.
    scheduler.interrupt()
    await gate.alone(async () => {
      const snapshot = snapshots.find(name)
      if (snapshot === null) throw new HttpProblem(404, 'snapshot not found')
      try {
        await deps.suspendDeliveries()
        const values = lasting.map((each) => [each, store.get(each)] as const)
        snapshots.revert(name)
        for (const [each, value] of values) if (value !== undefined) store.set(each, value)
        clock.returnTo(snapshot.createdAt)
      } finally {
        deps.reload()
      }
    })
    scheduler.poke()
  }

  return {
    /** Takes the genesis snapshot at the first start. */
    begin(): void {
      if (store.get('hasBegun') === true) return
      if (snapshots.find(genesis) === null) make(genesis)
      store.set('hasBegun', true)
    },
    list: () => snapshots.list(),
    find: (name: string) => (name === genesis ? null : snapshots.find(name)),
    snapshot: (name: string) => gate.alone(() => make(name)),
    revert: returnTo,
    /** @throws HttpProblem 409 if the genesis snapshot is missing */
    async reset(): Promise<void> {
      if (snapshots.find(genesis) === null) {
        throw new HttpProblem(409, 'the genesis is missing in the data directory')
      }
      await returnTo(genesis)
    },
    delete: (name: string) => snapshots.delete(name),
  }
}

/** Shared work may run concurrently; exclusive work runs alone and before later shared work. */
export type Gate = ReturnType<typeof createGate>

export function createGate() {
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
    const settled = turn.catch(() => undefined)
    lastAlone = settled
    try {
      return await turn
    } finally {
      if (lastAlone === settled) lastAlone = null
    }
  }

  return { shared, alone }
}
