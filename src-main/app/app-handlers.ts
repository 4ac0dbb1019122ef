/** What the window asks of the app itself: what it is, its notices, receiver, secrets and settings. */
import type { AppInfo } from '../../src-preload/contract/app.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { ReceiverRefusals } from '../../src-preload/contract/receiver.ts'
import { maskHeader, maskTarget } from '../captures/mask.ts'
import { redact } from './log.ts'
import type { Notices } from './notices.ts'
import type { Receiver } from '../receiver/receiver.ts'
import type { SecretStore } from '../secrets/secret-store.ts'
import type { WebhookTokenKeeper } from '../secrets/webhook-tokens.ts'
import type { SettingsStore } from './store/settings.ts'

type AppHandlersDeps = {
  readonly info: Pick<AppInfo, 'version' | 'host' | 'dataDirectory'>
  readonly checkIntegrity: Handlers['app.checkIntegrity']
  readonly restart: (() => void) | undefined
  readonly notices: Notices
  readonly traffic: Handlers['traffic.read']
  readonly receiver: Receiver
  readonly secrets: SecretStore
  readonly webhookTokens: WebhookTokenKeeper
  /** Hands what the keychain holds now to whoever goes by it. */
  readonly reloadSecrets: () => Promise<unknown>
  readonly settings: SettingsStore
  /** After they were stored. */
  readonly onSettings: (
    after: ReturnType<SettingsStore['get']>,
    before: ReturnType<SettingsStore['get']>,
  ) => Promise<void>
}

type Domain = 'app' | 'notice' | 'traffic' | 'receiver' | 'secrets' | 'webhookToken' | 'settings'

export function createAppHandlers(
  deps: AppHandlersDeps,
): Pick<Handlers, Extract<keyof Handlers, `${Domain}.${string}`>> {
  const { notices, receiver, secrets, webhookTokens, settings } = deps
  return {
    'app.info': () => ({
      ...deps.info,
      platform: `${process.platform} ${process.arch}`,
      node: process.versions.node,
      ...electronVersion(),
      sqlite: process.versions['sqlite'] ?? '',
      processId: process.pid,
    }),
    'app.checkIntegrity': deps.checkIntegrity,
    'app.restart'() {
      deps.restart?.()
      return {}
    },
    'notice.list': () => notices.list(),
    'notice.dismiss'({ id }) {
      notices.dismiss(id)
      return {}
    },
    'traffic.read': deps.traffic,
    'receiver.state': () => receiver.state(),
    'receiver.refusals': () => refusalsOf(receiver),
    'receiver.start': () => receiver.start(),
    'receiver.stop': () => receiver.stop(),
    'receiver.rotateToken': () => receiver.rotateToken(),
    'secrets.state': () => secrets.state(),
    async 'secrets.useSessionOnly'() {
      const state = secrets.useSessionOnly()
      await deps.reloadSecrets()
      return state
    },
    async 'secrets.retryKeychain'() {
      const state = await secrets.retryKeychain()
      await deps.reloadSecrets()
      return state
    },
    'webhookToken.list': () => webhookTokens.list(),
    'webhookToken.add': (input) => webhookTokens.add(input),
    async 'webhookToken.remove'({ id }) {
      await webhookTokens.remove(id)
      return {}
    },
    'settings.get': () => settings.get(),
    async 'settings.change'(patch) {
      const before = settings.get()
      const after = settings.change(patch)
      await deps.onSettings(after, before)
      return after
    },
  }
}

function electronVersion(): { electron?: string } {
  // Node's types know nothing of Electron, which is not there outside it.
  const versions: Readonly<Record<string, string | undefined>> = process.versions
  return versions['electron'] === undefined ? {} : { electron: versions['electron'] }
}

function refusalsOf(receiver: Receiver): ReceiverRefusals {
  const { total, latest } = receiver.refusals()
  return {
    total: total(),
    latest: latest().map((refusal) => ({ ...refusal, start: printable(maskStart(refusal.start)) })),
  }
}

/** With the secrets of a delivery masked, as they are wherever one is shown. */
function maskStart(start: string): string {
  return redact(start)
    .split(/\r?\n/)
    .map((line) => {
      const [, name, value] = /^([\w-]+): *(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined
        ? maskTarget(line)
        : maskHeader([name, value]).join(': ')
    })
    .join('\n')
}

function printable(latin1: string): string {
  return latin1.replace(
    /[^\n\x20-\x7e]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
