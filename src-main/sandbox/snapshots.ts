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
import { copyInto, replaceFrom } from './store/copy.ts'
import type { Database } from './store/database.ts'

const about = z.object({
  name: z.string(),
  /** The sandbox's clock when it was made, milliseconds; a revert takes a virtual clock back to it. */
  createdAt: z.number(),
  /** Height of the main network. */
  seqno: z.number(),
})

export type Snapshot = z.infer<typeof about>

/** Made at the first start; a reset returns to it. It is in no list and cannot be deleted. */
export const genesis = 'genesis'

export const snapshotName = /^[a-z0-9][a-z0-9._-]{0,63}$/

/**
 * Copies of both networks' databases, a folder each in the data directory. The caller sees to it
 * that nothing else is under way, and tells the modules afterwards.
 */
export type Snapshots = {
  list(): readonly Snapshot[]
  find(name: string): Snapshot | null
  /** One of the same name is replaced. */
  make(snapshot: Snapshot): void
  revert(name: string): void
  delete(name: string): void
  /** Finishes a revert that the end of the process cut short. @returns its snapshot, null when none was */
  finishRevert(): Snapshot | null
}

export function createSnapshots(deps: {
  readonly dataDirectory: string
  readonly databases: Readonly<Record<'mainnet' | 'testnet', Database>>
}): Snapshots {
  const folder = join(deps.dataDirectory, 'snapshots')
  const databases = Object.entries(deps.databases)
  /** Names the snapshot while a revert is under way: there are two files, and no commit over both. */
  const marker = join(deps.dataDirectory, 'reverting')
  const unfinished = join(folder, '.making')

  // A prefix, as some systems cannot have a folder of any name.
  const folderOf = (name: string) => join(folder, `snapshot-${name}`)

  function find(name: string): Snapshot | null {
    try {
      return about.parse(JSON.parse(readFileSync(join(folderOf(name), 'about.json'), 'utf8')))
    } catch {
      return null
    }
  }

  function revert(name: string): void {
    writeFileSync(marker, name)
    for (const [network, database] of databases) {
      replaceFrom(database, join(folderOf(name), `${network}.db`))
    }
    rmSync(marker)
  }

  return {
    find,
    list() {
      if (!existsSync(folder)) return []
      return readdirSync(folder)
        .flatMap((entry) => find(entry.replace(/^snapshot-/, '')) ?? [])
        .filter(({ name }) => name !== genesis)
        .sort((one, other) => one.createdAt - other.createdAt || (one.name < other.name ? -1 : 1))
    },
    make(snapshot) {
      rmSync(unfinished, { recursive: true, force: true })
      mkdirSync(unfinished, { recursive: true, mode: 0o700 })
      for (const [network, database] of databases) {
        copyInto(database, join(unfinished, `${network}.db`))
      }
      writeFileSync(join(unfinished, 'about.json'), JSON.stringify(snapshot))
      rmSync(folderOf(snapshot.name), { recursive: true, force: true })
      renameSync(unfinished, folderOf(snapshot.name))
    },
    revert,
    delete(name) {
      rmSync(folderOf(name), { recursive: true, force: true })
    },
    finishRevert() {
      if (!existsSync(marker)) return null
      const name = readFileSync(marker, 'utf8')
      const snapshot = find(name)
      if (snapshot !== null) revert(name)
      else rmSync(marker)
      return snapshot
    },
  }
}
