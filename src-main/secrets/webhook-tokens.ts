import { randomUUID } from 'node:crypto'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { WebhookToken } from '../../src-preload/contract/secret.ts'
import type { SecretBackend } from './secret-store.ts'

type KnownRecord = Omit<WebhookToken, 'present'>
type Known = { readonly id: string; readonly token: string }

export type WebhookTokenDeps = {
  readonly secrets: SecretBackend
  readonly records: {
    list(): KnownRecord[]
    put(record: KnownRecord): void
    remove(id: string): void
  }
  readonly now: () => number
  readonly onTokens: (tokens: readonly Known[]) => void
  readonly onChanged: () => void
}

/** For this time a replaced token stays valid, because deliveries may be on their way with it. */
const overlapMs = 60_000

const ofSandbox = 'sandbox/'

/** The id under which a webhook's token is stored, and which marks the captures of its deliveries. */
export const webhookTokenId = (network: NetworkId, webhook: string): string =>
  `${network}/${webhook}`

const secretName = (id: string): string => `webhook-token/${id}`

const readTokens = ({ records, secrets }: Pick<WebhookTokenDeps, 'records' | 'secrets'>) =>
  Promise.all(
    records.list().map(async (record) => ({
      ...record,
      token: await secrets.get(secretName(record.id)),
    })),
  )

/** Manages the webhooks' bearer tokens: labels in the database, the tokens in the keychain. */
export function createWebhookTokenKeeper(deps: WebhookTokenDeps) {
  let own: readonly Known[] = []
  let sandbox: readonly Known[] = []
  let replaced: readonly Known[] = []

  const report = () => deps.onTokens([...replaced, ...own, ...sandbox])

  async function reload(): Promise<void> {
    const tokens = await readTokens(deps)
    own = tokens.flatMap(({ id, token }) => (token === null ? [] : [{ id, token }]))
    report()
  }

  const get = (id: string) => [...own, ...sandbox].find((each) => each.id === id)?.token ?? null

  function overlap(before: Known): void {
    replaced = [...replaced, before]
    const end = setTimeout(() => {
      replaced = replaced.filter((each) => each !== before)
      report()
    }, overlapMs)
    end.unref()
  }

  async function store(record: KnownRecord, token: string): Promise<void> {
    // The token is stored in the keychain first, because a record without its token would be wrong.
    await deps.secrets.set(secretName(record.id), token)
    deps.records.put(record)
    await reload()
    deps.onChanged()
  }

  async function drop(id: string): Promise<void> {
    deps.records.remove(id)
    await deps.secrets.delete(secretName(id))
    await reload()
    deps.onChanged()
  }

  return {
    idOf: webhookTokenId,
    reload,
    get,
    /**
     * Replaces the tokens of the sandbox's webhooks, which the sandbox sends at each start, so they
     * are not stored.
     */
    setSandboxTokens(tokens: readonly Known[]): void {
      sandbox = tokens
      report()
    },
    /**
     * Stores a webhook's token in place of the previous one, which stays valid for a minute, because
     * deliveries may be on their way with it. A token that the user added is not stored twice.
     * @param id the result of `webhookTokenId`; a token of the sandbox is kept in memory only
     * @returns the id of the stored token
     * @throws AppError SECRETS_UNAVAILABLE
     */
    async keep({ id, label, token }: { id: string; label: string; token: string }) {
      const before = get(id)
      if (before === token) return id
      if (before !== null) overlap({ id, token: before })
      if (id.startsWith(ofSandbox)) {
        sandbox = [...sandbox.filter((each) => each.id !== id), { id, token }]
        report()
        return id
      }
      const byHand = own.find((each) => each.token === token)
      if (byHand !== undefined) {
        // Without this, the previous token would be accepted for as long as it is stored.
        if (before !== null) await drop(id)
        return byHand.id
      }
      if (before !== null) {
        // The new token applies at once, because the keychain may be slow and the old token must
        // not decide about deliveries meanwhile.
        own = own.map((each) => (each.id === id ? { id, token } : each))
        report()
      }
      await store({ id, label, hint: token.slice(-4), createdAt: deps.now() }, token)
      return id
    },
    async list(): Promise<WebhookToken[]> {
      const tokens = await readTokens(deps)
      return tokens.map(({ token, ...record }) => ({ ...record, present: token !== null }))
    },
    async add({ label, token }: { label: string; token: string }): Promise<WebhookToken> {
      const record = { id: randomUUID(), label, hint: token.slice(-4), createdAt: deps.now() }
      await store(record, token)
      return { ...record, present: true }
    },
    async remove(id: string): Promise<void> {
      replaced = replaced.filter((each) => each.id !== id)
      if (id.startsWith(ofSandbox)) {
        sandbox = sandbox.filter((each) => each.id !== id)
        report()
        return
      }
      await drop(id)
    },
  }
}
