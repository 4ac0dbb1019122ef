import type {
  KeptSecret,
  Network,
  NetworkId,
  SecretSlot,
} from '../../src-preload/contract/index.ts'
import { secretSlot } from '../../src-preload/contract/index.ts'
import type { NetworkSecretRecord, NetworkSecretRecords } from '../store/networks.ts'
import type { SecretPlace } from './secret-store.ts'

export type NetworkSecretDeps = {
  readonly secrets: SecretPlace
  readonly records: NetworkSecretRecords
  readonly now: () => number
}

/** The networks' keys: what is known of them in the database, the keys in the keychain and at hand. */
export type NetworkSecrets = {
  /** The secret as it was last read; null where none is kept, or not to be had. */
  get(network: NetworkId, slot: SecretSlot): string | null
  /** All that may be told of it. */
  kept(network: NetworkId): Network['secrets']
  /** Resolves once the keychain has been asked for the first time; at once where nothing is kept. */
  whenRead(): Promise<void>
  /** Asks the keychain again. @throws AppError SECRETS_UNAVAILABLE */
  reload(): Promise<void>
  /** @throws AppError SECRETS_UNAVAILABLE, and then nothing has changed */
  set(network: NetworkId, slot: SecretSlot, secret: string): Promise<void>
  /**
   * Keeps what must not be lost where the keychain does not take it: in memory, in the place of what
   * stands there, until a reload finds the keychain well again.
   */
  hold(network: NetworkId, slot: SecretSlot, secret: string): void
  isHeld(network: NetworkId, slot: SecretSlot): boolean
  /** @throws AppError SECRETS_UNAVAILABLE, and then nothing has changed */
  remove(network: NetworkId, slot: SecretSlot): Promise<void>
}

/** Not in the keychain, though it should be. */
type Held = {
  readonly network: NetworkId
  readonly slot: SecretSlot
  readonly secret: string
  readonly addedAt: number
}

/** Under this name a secret stands in the keychain. */
function entryName(network: NetworkId, slot: SecretSlot): string {
  return `network/${network}/${slot}`
}

function hintOf(secret: string): string {
  return secret.slice(-4)
}

export function createNetworkSecrets({ secrets, records, now }: NetworkSecretDeps): NetworkSecrets {
  /** Null: the keychain does not have it. Absent: it was not asked yet. */
  const known = new Map<string, string | null>()
  const held = new Map<string, Held>()
  const firstRead = Promise.withResolvers<undefined>()
  let kept = indexed(records.list())
  if (kept.size === 0) firstRead.resolve(undefined)

  function indexed(list: readonly NetworkSecretRecord[]): Map<string, NetworkSecretRecord> {
    return new Map(list.map((record) => [entryName(record.network, record.slot), record]))
  }

  async function read({ network, slot, hint, addedAt }: NetworkSecretRecord): Promise<void> {
    const name = entryName(network, slot)
    const secret = await secrets.get(name)
    // Replaced or removed meanwhile.
    if (kept.get(name)?.addedAt !== addedAt) return
    // Another one than was noted: it was given for something else, say before a backup was put back.
    known.set(name, secret !== null && hintOf(secret) === hint ? secret : null)
  }

  function tell(network: NetworkId, slot: SecretSlot): KeptSecret | null {
    const name = entryName(network, slot)
    const holding = held.get(name)
    if (holding !== undefined) {
      return { hint: hintOf(holding.secret), addedAt: holding.addedAt, present: true }
    }
    const record = kept.get(name)
    if (record === undefined) return null
    return { hint: record.hint, addedAt: record.addedAt, present: known.get(name) !== null }
  }

  async function set(network: NetworkId, slot: SecretSlot, secret: string): Promise<void> {
    const name = entryName(network, slot)
    // First the keychain: a record without its secret would be a promise not kept.
    await secrets.set(name, secret)
    records.set({ network, slot, hint: hintOf(secret), addedAt: now() })
    kept = indexed(records.list())
    known.set(name, secret)
    held.delete(name)
  }

  return {
    get(network, slot) {
      const name = entryName(network, slot)
      return held.get(name)?.secret ?? known.get(name) ?? null
    },
    kept: (network) => ({
      api: tell(network, secretSlot.enum.api),
      invoices: tell(network, secretSlot.enum.invoices),
    }),
    whenRead: () => firstRead.promise,
    async reload() {
      try {
        await Promise.all([...kept.values()].map(read))
        for (const each of held.values()) {
          // It is held for as long as it takes.
          await set(each.network, each.slot, each.secret).catch(() => undefined)
        }
      } finally {
        firstRead.resolve(undefined)
      }
    },
    set,
    hold(network, slot, secret) {
      held.set(entryName(network, slot), { network, slot, secret, addedAt: now() })
    },
    isHeld: (network, slot) => held.has(entryName(network, slot)),
    async remove(network, slot) {
      const name = entryName(network, slot)
      // First the keychain: forgotten here, nobody would ever delete it there.
      if (kept.has(name)) await secrets.delete(name)
      held.delete(name)
      if (!kept.has(name)) return
      records.remove(network, slot)
      kept = indexed(records.list())
      known.delete(name)
    },
  }
}
