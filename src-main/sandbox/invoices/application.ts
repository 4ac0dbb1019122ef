import { randomBytes } from 'node:crypto'
import { type Clock, toSeconds } from '../clock.ts'
import type { DeliveryQueue, DeliveryTargets } from '../deliver/delivery-queue.ts'
import { HttpProblem } from '../http.ts'
import { isSameKey } from '../keys.ts'
import { type Database, transaction } from '../store/database.ts'
import type { InvoiceAccessRecord, InvoiceAppStore } from '../store/invoices-app.ts'
import { type AppForm, maxWebhooks, wrong } from './input.ts'
import type { AccessState, AppWebhook, InvoiceApp, MatchingRule } from './invoice.ts'
import { targetOf } from './tracking.ts'

export const projectId = 1

export type Application = {
  get(): InvoiceApp | null
  register(form: AppForm): InvoiceApp
  change(app: InvoiceApp, change: Partial<AppForm>): InvoiceApp
  /** Its invoices stay tracked, without notifications. */
  remove(app: InvoiceApp): void
  /** @throws HttpProblem 400 for one that is there already, or one too many */
  addWebhook(app: InvoiceApp, url: string): InvoiceApp
  /** Waiting deliveries go to the new URL. @throws HttpProblem 400 */
  changeWebhook(app: InvoiceApp, webhook: AppWebhook, url: string): InvoiceApp
  /** Drops its waiting deliveries. */
  removeWebhook(app: InvoiceApp, webhook: AppWebhook): InvoiceApp
  /** Registers "Sandbox shop" when there is none. */
  ensure(recipient: string): InvoiceApp
}

export function createApplication(deps: {
  readonly database: Database
  readonly store: InvoiceAppStore
  readonly clock: Pick<Clock, 'now'>
  readonly queue: Pick<DeliveryQueue, 'drop'>
}): Application {
  const { database, store, clock, queue } = deps

  function current(): InvoiceApp {
    const app = store.app()
    if (app === null) throw new HttpProblem(404, 'no application is registered')
    return app
  }

  function setWebhooks(app: InvoiceApp, urls: readonly string[]): void {
    for (const webhook of app.webhooks) if (!urls.includes(webhook.url)) forget(webhook)
    const known = app.webhooks.map(({ url }) => url)
    for (const url of urls) if (!known.includes(url)) store.addWebhook(app.id, url)
  }

  function forget({ id }: AppWebhook): void {
    store.removeWebhook(id)
    queue.drop(targetOf(id))
  }

  function register(form: AppForm): InvoiceApp {
    return transaction(database, () => {
      const present = store.app()
      if (present !== null) {
        throw new HttpProblem(
          400,
          `project ${projectId} has its application already: ${present.id}`,
        )
      }
      store.addApp({ ...form, projectId, dateCreate: toSeconds(clock.now()) })
      const app = current()
      setWebhooks(app, form.webhooks)
      return current()
    })
  }

  return {
    get: () => store.app(),
    register,
    change(app, change) {
      return transaction(database, () => {
        store.updateApp({ ...app, ...change })
        if (change.webhooks !== undefined) setWebhooks(app, change.webhooks)
        return current()
      })
    },
    remove(app) {
      transaction(database, () => {
        for (const webhook of app.webhooks) forget(webhook)
        store.removeApp(app.id)
      })
    },
    addWebhook(app, url) {
      requireNew(app, url)
      if (app.webhooks.length >= maxWebhooks) {
        throw new HttpProblem(400, `an application has at most ${maxWebhooks} webhooks`)
      }
      store.addWebhook(app.id, url)
      return current()
    },
    changeWebhook(app, webhook, url) {
      if (url !== webhook.url) requireNew(app, url)
      store.updateWebhook(webhook.id, url)
      return current()
    },
    removeWebhook(_app, webhook) {
      transaction(database, () => forget(webhook))
      return current()
    },
    ensure(recipient) {
      const form = { name: 'Sandbox shop', description: '', recipient, webhooks: [] }
      return store.app() ?? register(form)
    },
  }
}

function requireNew(app: InvoiceApp, url: string): void {
  const present = app.webhooks.find((webhook) => webhook.url === url)
  if (present !== undefined) throw wrong('webhook', `is registered already, as ${present.id}`)
}

/** Invoice deliveries carry no key, as on the service. */
export function createInvoiceTargets(store: InvoiceAppStore): DeliveryTargets {
  const idOf = (target: string) => Number(target.slice(target.indexOf(':') + 1))
  return {
    describe(target) {
      const webhook = store.webhook(idOf(target))
      return webhook === null ? null : { url: webhook.url, bearer: null }
    },
    delivered({ target }) {
      store.webhookDelivered(idOf(target))
    },
    failed({ target }, _attempts, message, at) {
      store.webhookFailed(idOf(target), message, at)
      // The API cannot bring a webhook back online, so none goes offline.
      return true
    },
  }
}

/**
 * The access steps of the specification's section 1, set by the control API. The token stays the
 * same through all of them.
 */
export type Access = {
  state(): AccessState
  /** Any state can follow any other, for tests. */
  change(state: AccessState): void
  token(): string | null
  /** The old token is invalid at once. */
  regenerateToken(): string
  /** @throws HttpProblem 401 for a key that is missing or wrong, 403 while access is not granted */
  check(key: string | null): void
  rule(): MatchingRule
  changeRule(rule: MatchingRule): void
  /** Reads the replaced tables; keys survive a revert. */
  reload(): void
}

function newInvoicesToken(): string {
  return `TC-INVOICES_${randomBytes(24).toString('base64url')}`
}

type Tokens = {
  readonly initialToken?: string | undefined
  /** Replaces the stored token until a new one is made; never stored. */
  readonly givenToken?: string | undefined
}

export function createAccess(store: InvoiceAppStore, tokens: Tokens = {}): Access {
  const { initialToken = newInvoicesToken() } = tokens
  let given = tokens.givenToken ?? null
  let record = store.access() ?? first()

  function current(): string | null {
    const isBeforeGrant = record.state !== 'granted' && record.state !== 'withdrawn'
    return isBeforeGrant ? null : (given ?? record.token)
  }

  function first(): InvoiceAccessRecord {
    const granted = { state: 'granted', token: initialToken, rule: 'comment' } as const
    store.setAccess(granted)
    return granted
  }

  function set(change: Partial<InvoiceAccessRecord>): void {
    const next = { ...record, ...change }
    store.setAccess(next)
    record = next
  }

  return {
    state: () => record.state,
    change: (state) => set({ state }),
    token: current,
    regenerateToken() {
      const token = newInvoicesToken()
      set({ token })
      given = null
      return token
    },
    check(key) {
      const header = 'as Authorization: Bearer or as the query parameter api_key'
      if (key === null) throw new HttpProblem(401, `an API token is required, ${header}`)
      const { state } = record
      const token = current()
      if (token !== null && !isSameKey(key, token)) {
        throw new HttpProblem(401, 'the API token is not valid')
      }
      if (state !== 'granted') throw new HttpProblem(403, refusals[state])
    },
    rule: () => record.rule,
    changeRule: (rule) => set({ rule }),
    reload() {
      const { token } = record
      record = store.access() ?? first()
      if (token !== record.token) set({ token })
    },
  }
}

const refusals: Readonly<Record<Exclude<AccessState, 'granted'>, string>> = {
  registered:
    'access to invoices is not granted: send the project id to the operator to have it verified',
  requested: 'access to invoices is not granted yet: the project id waits to be verified',
  verified: 'access to invoices is not granted yet: the project id is verified',
  withdrawn: 'access to invoices was withdrawn',
}
