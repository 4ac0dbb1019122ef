import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { BaseContext } from '../app/context.ts'
import { createWebhookTokens } from './store/webhook-tokens.ts'
import { createKeychain, createSessionOnly } from './keychain.ts'
import { createSecretStore } from './secret-store.ts'
import { type WebhookTokenDeps, createWebhookTokenKeeper } from './webhook-tokens.ts'

type SecretHandlers = Pick<
  Handlers,
  Extract<keyof Handlers, `${'secrets' | 'webhookToken'}.${string}`>
>

export type RegisteredSecrets = ReturnType<typeof registerSecrets>

export function registerSecrets(
  context: BaseContext,
  tokens: { readonly setTokens: WebhookTokenDeps['onTokens'] },
) {
  const { database, events, log, now } = context
  const records = createWebhookTokens(database)
  const secrets = createSecretStore({
    keychain: createKeychain(),
    session: createSessionOnly(),
    onChanged: (state) => events.emit('secrets.changed', state),
  })
  const webhookTokens = createWebhookTokenKeeper({
    secrets,
    records,
    now,
    onTokens: (known) => tokens.setTokens(known),
    onChanged: () => events.emit('webhookToken.changed', {}),
  })
  const reloads = [() => webhookTokens.reload()]
  const reloadAll = () => Promise.all(reloads.map((reload) => reload()))

  async function retryKeychain() {
    const state = await secrets.retryKeychain()
    await reloadAll()
    return state
  }

  return {
    secrets,
    webhookTokens,
    listedTokens: () => records.list(),
    onReload: (reload: () => Promise<void>) => void reloads.push(reload),
    start(): void {
      retryKeychain().catch((error: unknown) => log.failure('keychain', error))
    },
    handlers: {
      'secrets.state': () => secrets.state(),
      async 'secrets.useSessionOnly'() {
        const state = secrets.useSessionOnly()
        await reloadAll()
        return state
      },
      'secrets.retryKeychain': retryKeychain,
      'webhookToken.list': () => webhookTokens.list(),
      'webhookToken.add': (input) => webhookTokens.add(input),
      async 'webhookToken.remove'({ id }) {
        await webhookTokens.remove(id)
        return {}
      },
    } satisfies SecretHandlers as SecretHandlers,
  }
}
