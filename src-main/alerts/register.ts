import type { AppContext } from '../app/context.ts'
import { createHttp } from '../gateway/http.ts'
import type { RegisteredSecrets } from '../secrets/register.ts'
import { createAlerts } from './alerts.ts'
import { createPrograms } from './programs.ts'
import { type AlertTarget, type Post, type SendAlert, createSendAlert } from './senders.ts'
import { type Destination, createAlertStore } from './store/alerts.ts'
import { randomUUID } from 'node:crypto'
import type { AlertDestination } from '../../src-preload/contract/alert.ts'
import type { Handlers, Parsed } from '../../src-preload/contract/routes.ts'
import { AppError, bridgeCodes, alertCodes } from '../../src-preload/domain/app-error.ts'
import type { SecretBackend } from '../secrets/secret-store.ts'
import { testPayload } from './message.ts'

export function registerAlerts(
  context: AppContext,
  { secrets, onReload }: RegisteredSecrets,
  {
    demandTarget,
    post,
  }: { readonly demandTarget: (url: string) => Promise<unknown>; readonly post: Post },
) {
  const { database, events, networks, notices, now, proxyFor, resources, wait } = context
  const log = context.log.scope('alerts')
  const http = createHttp({ proxyFor })
  resources.use(http)
  const store = createAlertStore(database)
  const programs = createPrograms(context, store.destinations())
  const send = withSecrets(createSendAlert({ http, now, mayStart: programs.has, post }), secrets)
  const alerts = createAlerts({
    store,
    send,
    notices,
    now,
    wait,
    networkName: (id) => networks.state().networks.find((each) => each.id === id)?.name ?? id,
    onBug: (error) => log.failure('alerts', error),
    onChanged: () => events.emit('alert.changed', {}),
  })
  resources.defer(() => alerts.stop())
  onReload(() => {
    alerts.retryNow()
    return Promise.resolve()
  })
  events.on('captures.writable', ({ problem }) => alerts.setBlocked(problem !== null))
  events.on('incident.opened', (incident) => alerts.report('opened', incident))
  events.on('incident.grown', (incident) => alerts.report('grown', incident))
  events.on('incident.closed', (incident) => alerts.report('closed', incident))

  async function show({ id, target, hint, ...rest }: Destination): Promise<AlertDestination> {
    const stored = hint === null ? null : await secrets.get(secretName(id)).catch(() => null)
    const secret = hint === null ? null : { hint, present: stored !== null }
    return { ...target, ...rest, id, secret, ...store.stateOf(id) }
  }

  function find(id: string): Destination {
    const found = alerts.get(id)
    if (found === null) {
      throw new AppError(alertCodes.unknown, 'Destination not found. It may have been removed.')
    }
    return found
  }

  async function demand(target: AlertTarget): Promise<void> {
    if (target.kind === 'webhook') await demandTarget(target.url)
    if (target.kind === 'command') await programs.demand(target)
  }

  async function save(input: Parsed<'alert.save'>) {
    const { secret, enabled, events, networks } = input
    const before = input.id === null ? null : find(input.id)
    if (before !== null && before.target.kind !== input.kind) {
      throw fieldError('kind', 'The kind of a destination cannot change. Add another one.')
    }
    if (before === null && alerts.list().length >= maxDestinations) {
      throw fieldError('kind', `At most ${maxDestinations} destinations. Remove one first.`)
    }
    if (input.kind !== 'command' && secret === null && (before?.hint ?? null) === null) {
      const what = input.kind === 'telegram' ? 'bot token' : 'signing secret'
      throw fieldError('secret', `Enter the ${what}.`)
    }
    const target = toTarget(input)
    await demand(target)
    const id = before?.id ?? randomUUID()
    // The secret is stored in the keychain first, because a hint without its secret would be wrong.
    if (secret !== null) await secrets.set(secretName(id), secret)
    const hint = secret?.slice(-4) ?? before?.hint ?? null
    alerts.save({ id, target, enabled, events, networks, hint })
    return show(find(id))
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `alert.${string}`>> = {
    'alert.list': () => Promise.all(alerts.list().map(show)),
    'alert.save': save,
    async 'alert.setEnabled'({ id, enabled }) {
      const destination = find(id)
      if (enabled) await demand(destination.target)
      alerts.save({ ...destination, enabled })
      return show(find(id))
    },
    async 'alert.remove'({ id }) {
      const { hint } = find(id)
      // The keychain's entry is deleted first, because without the destination nothing would delete the entry.
      if (hint !== null) await secrets.delete(secretName(id))
      alerts.remove(id)
      return {}
    },
    async 'alert.test'({ id }) {
      const destination = find(id)
      if (destination.target.kind === 'command') await programs.demand(destination.target)
      const began = performance.now()
      const test = { messageId: `msg_test${randomUUID().slice(0, 8)}`, payload: testPayload(now()) }
      const { problem } = await send(destination, test, new AbortController().signal)
      if (problem === null) alerts.retryNow()
      return { problem, milliseconds: Math.round(performance.now() - began) }
    },
    'alert.retry'({ id }) {
      alerts.retry(find(id).id)
      return show(find(id))
    },
  }
  return { handlers, start: () => alerts.start() }
}

const maxDestinations = 20

/** The name of a destination's secret in the keychain. */
const secretName = (id: string) => `alert/${id}`

function toTarget(input: Parsed<'alert.save'>): AlertTarget {
  switch (input.kind) {
    case 'telegram':
      return { kind: input.kind, chatId: input.chatId }
    case 'webhook':
      return { kind: input.kind, url: input.url }
    case 'command':
      return { kind: input.kind, program: input.program, args: input.args }
  }
}

const fieldError = (path: string, message: string): AppError =>
  new AppError(bridgeCodes.invalidInput, message, { data: [{ path, message }] })

/** Sends with the destination's secret, which stays in the keychain until the alert is sent. */
export function withSecrets(
  send: SendAlert,
  secrets: Pick<SecretBackend, 'get'> & { readonly state: () => { readonly place: string } },
) {
  return async (
    { id, target, hint }: Destination,
    alert: Parameters<SendAlert>[2],
    signal: AbortSignal,
  ): ReturnType<SendAlert> => {
    let secret: string | null
    try {
      secret = hint === null ? '' : await secrets.get(secretName(id))
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) }
    }
    signal.throwIfAborted()
    if (secret !== null) return send(target, secret, alert, signal)
    return {
      problem:
        secrets.state().place === 'none'
          ? 'The keychain of this system is unavailable, and it has the secret of this destination.'
          : 'The secret of this destination is not in the keychain. Enter the secret again.',
    }
  }
}
