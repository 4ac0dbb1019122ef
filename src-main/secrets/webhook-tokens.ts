import { randomUUID } from 'node:crypto'
import type { WebhookToken } from '../../src-preload/contract/index.ts'
import type { SecretPlace } from './secret-store.ts'

type KnownRecord = Omit<WebhookToken, 'present'>

export type WebhookTokenDeps = {
  readonly secrets: SecretPlace
  readonly records: {
    list(): KnownRecord[]
    add(record: KnownRecord): void
    remove(id: string): void
  }
  readonly now: () => number
  /** The tokens to check deliveries by, whenever they change. */
  readonly onTokens: (tokens: readonly { id: string; token: string }[]) => void
}

/** The webhooks' bearer tokens: labels in the database, the tokens in the keychain. */
export type WebhookTokenKeeper = {
  list(): Promise<WebhookToken[]>
  add(input: { label: string; token: string }): Promise<WebhookToken>
  remove(id: string): Promise<void>
  /** Reads the tokens from the keychain and hands them to whoever checks deliveries. */
  reload(): Promise<void>
  /**
   * Those of the sandbox's webhooks: play tokens that it tells anew at each start, so they are kept
   * nowhere and checked by all the same.
   */
  setSandboxTokens(tokens: readonly { id: string; token: string }[]): void
}

function secretName(id: string): string {
  return `webhook-token/${id}`
}

export function createWebhookTokenKeeper(deps: WebhookTokenDeps): WebhookTokenKeeper {
  let own: readonly { id: string; token: string }[] = []
  let ofSandbox: readonly { id: string; token: string }[] = []

  async function read(): Promise<(KnownRecord & { token: string | null })[]> {
    const records = deps.records.list()
    return Promise.all(
      records.map(async (record) => ({
        ...record,
        token: await deps.secrets.get(secretName(record.id)),
      })),
    )
  }

  async function reload(): Promise<void> {
    const tokens = await read()
    own = tokens.flatMap(({ id, token }) => (token === null ? [] : [{ id, token }]))
    deps.onTokens([...own, ...ofSandbox])
  }

  return {
    reload,
    setSandboxTokens(tokens) {
      ofSandbox = tokens
      deps.onTokens([...own, ...ofSandbox])
    },
    async list() {
      const tokens = await read()
      return tokens.map(({ token, ...record }) => ({ ...record, present: token !== null }))
    },
    async add({ label, token }) {
      const id = randomUUID()
      // First the keychain: a record without its token would be a promise not kept.
      await deps.secrets.set(secretName(id), token)
      const record = { id, label, hint: token.slice(-4), createdAt: deps.now() }
      deps.records.add(record)
      await reload()
      return { ...record, present: true }
    },
    async remove(id) {
      deps.records.remove(id)
      await deps.secrets.delete(secretName(id))
      await reload()
    },
  }
}
