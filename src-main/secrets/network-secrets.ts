import { z } from 'zod'
import {
  type StoredSecret,
  type Network,
  type NetworkId,
  type SecretSlot,
  secretSlot,
} from '../../src-preload/contract/network.ts'
import type { NetworkSecretRecord, NetworkSecretRecords } from '../networks/store/networks.ts'
import type { SecretBackend } from './secret-store.ts'

type NetworkSecretDeps = {
  readonly secrets: SecretBackend
  readonly records: NetworkSecretRecords
  /**
   * The origins that a secret of this slot is sent to now. Null for a built-in network, because no
   * file can change its URLs.
   */
  readonly originsOf: (network: NetworkId, slot: SecretSlot) => readonly string[] | null
  /** Entries that must not be bound to the present origins (store/restore.ts). */
  readonly withheld: { list(): readonly string[]; set(entries: readonly string[]): void }
  readonly now: () => number
}

/** Manages the keys of networks: hints in the database, the keys in the keychain and in memory. */
export type NetworkSecrets = ReturnType<typeof createNetworkSecrets>

type Held = Omit<NetworkSecretRecord, 'hint'> & { readonly secret: string }

const entryName = (network: NetworkId, slot: SecretSlot): string => `network/${network}/${slot}`

/**
 * The keychain entry of a custom network: the secret and the origins for which it was entered.
 * Tondesk 0.1 stored the secret alone, which built-in networks still do.
 */
const boundEntry = z.object({ secret: z.string(), origins: z.array(z.string()) })

const formatEntry = (secret: string, origins: readonly string[] | null): string =>
  origins === null ? secret : JSON.stringify({ secret, origins })

function parseEntry(text: string): { secret: string; origins: readonly string[] | null } {
  try {
    return boundEntry.parse(JSON.parse(text))
  } catch {
    return { secret: text, origins: null }
  }
}

type ReadSecret = {
  /** Null if the keychain does not have the secret, or if it was entered for other origins. */
  readonly secret: string | null
  readonly givenFor?: string[]
}

const hintOf = (secret: string): string => secret.slice(-4)

const indexed = (list: readonly NetworkSecretRecord[]): Map<string, NetworkSecretRecord> =>
  new Map(list.map((record) => [entryName(record.network, record.slot), record]))

export function createNetworkSecrets(deps: NetworkSecretDeps) {
  const { secrets, records, originsOf, withheld, now } = deps
  /** A secret without an entry here has not been read from the keychain yet. */
  const readSecrets = new Map<string, ReadSecret>()
  const sessionSecrets = new Map<string, Held>()
  const firstRead = Promise.withResolvers<undefined>()
  let stored = indexed(records.list())
  if (stored.size === 0) firstRead.resolve(undefined)

  async function read({ network, slot, hint, addedAt }: NetworkSecretRecord): Promise<void> {
    const name = entryName(network, slot)
    const text = await secrets.get(name)
    // The secret was replaced or removed meanwhile.
    if (stored.get(name)?.addedAt !== addedAt) return
    const entry = text === null ? null : parseEntry(text)
    // A secret that does not fit the hint was entered for another purpose, for example before a
    // backup was restored.
    if (entry === null || hintOf(entry.secret) !== hint) readSecrets.set(name, { secret: null })
    else readSecrets.set(name, await bind(deps, network, slot, entry))
  }

  function describe(network: NetworkId, slot: SecretSlot): StoredSecret | null {
    const name = entryName(network, slot)
    const waiting = sessionSecrets.get(name)
    if (waiting !== undefined) {
      return { hint: hintOf(waiting.secret), addedAt: waiting.addedAt, present: true }
    }
    const record = stored.get(name)
    if (record === undefined) return null
    const { hint, addedAt } = record
    const { secret, givenFor } = readSecrets.get(name) ?? {}
    return { hint, addedAt, present: secret !== null, ...(givenFor && { givenFor }) }
  }

  async function set(network: NetworkId, slot: SecretSlot, secret: string): Promise<void> {
    const name = entryName(network, slot)
    // The secret is stored in the keychain first, because a record without its secret would be wrong.
    await secrets.set(name, formatEntry(secret, originsOf(network, slot)))
    withheld.set(withheld.list().filter((entry) => entry !== `${network}/${slot}`))
    records.set({ network, slot, hint: hintOf(secret), addedAt: now() })
    stored = indexed(records.list())
    readSecrets.set(name, { secret })
    sessionSecrets.delete(name)
  }

  return {
    /** Returns the secret as it was last read; null if none is stored or the keychain has none. */
    get(network: NetworkId, slot: SecretSlot): string | null {
      const name = entryName(network, slot)
      return sessionSecrets.get(name)?.secret ?? readSecrets.get(name)?.secret ?? null
    },
    kept: (network: NetworkId): Network['secrets'] => ({
      api: describe(network, secretSlot.enum.api),
      invoices: describe(network, secretSlot.enum.invoices),
    }),
    /** Resolves after the first read of the keychain, or at once if no secret is stored. */
    whenRead: () => firstRead.promise,
    /** Reads the keychain again. @throws AppError SECRETS_UNAVAILABLE */
    async reload(): Promise<void> {
      try {
        await Promise.all([...stored.values()].map(read))
        for (const each of sessionSecrets.values()) {
          // A secret that the keychain cannot store stays in memory.
          await set(each.network, each.slot, each.secret).catch(() => undefined)
        }
      } finally {
        firstRead.resolve(undefined)
      }
    },
    /** @throws AppError SECRETS_UNAVAILABLE, and then nothing has changed */
    set,
    /** Keeps a secret in memory that the keychain refuses, until a reload can store it. */
    hold(network: NetworkId, slot: SecretSlot, secret: string): void {
      sessionSecrets.set(entryName(network, slot), { network, slot, secret, addedAt: now() })
    },
    isHeld: (network: NetworkId, slot: SecretSlot) => sessionSecrets.has(entryName(network, slot)),
    /** @throws AppError SECRETS_UNAVAILABLE, and then nothing has changed */
    async remove(network: NetworkId, slot: SecretSlot): Promise<void> {
      const name = entryName(network, slot)
      // The keychain's entry is deleted first, because without its record nothing would delete the entry.
      if (stored.has(name)) await secrets.delete(name)
      sessionSecrets.delete(name)
      if (!stored.has(name)) return
      records.remove(network, slot)
      stored = indexed(records.list())
      readSecrets.delete(name)
    },
  }
}

/** Returns the secret, unless its network now leads to other origins, as after a restored backup. */
async function bind(
  { originsOf, secrets, withheld }: NetworkSecretDeps,
  network: NetworkId,
  slot: SecretSlot,
  { secret, origins }: ReturnType<typeof parseEntry>,
): Promise<ReadSecret> {
  const needed = originsOf(network, slot)
  if (needed === null) return { secret }
  if (origins === null) {
    if (withheld.list().includes(`${network}/${slot}`)) return { secret: null, givenFor: [] }
    // If the keychain cannot store the entry now, the next start binds the secret.
    const written = formatEntry(secret, needed)
    await secrets.set(entryName(network, slot), written).catch(() => undefined)
    return { secret }
  }
  const isSame = needed.every((origin) => origins.includes(origin))
  return isSame ? { secret } : { secret: null, givenFor: [...origins] }
}
