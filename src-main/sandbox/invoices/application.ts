import { randomBytes } from 'node:crypto'
import { type Clock, toSeconds } from '../clock.ts'
import type { DeliveryQueue } from '../deliver/create-delivery-queue.ts'
import type { DeliveryTargets } from '../deliver/delivery-queue.ts'
import { HttpProblem } from '../http.ts'
import { isSameKey } from '../start-options.ts'
import { type Database, transaction } from '../store/database.ts'
import type { InvoiceAccess, InvoiceAppStore } from '../store/invoices.ts'
import { type AppForm, maxWebhooks, wrong } from './input.ts'
import type { AccessState, AppWebhook, InvoiceApp, MatchingRule } from './invoice.ts'
import { targetOf } from './tracking.ts'

export const projectId = 1

type AppChange = { readonly [Name in keyof AppForm]?: AppForm[Name] | undefined }

export type Application = ReturnType<typeof createApplication>

export function createApplication(
  database: Database,
  store: InvoiceAppStore,
  clock: Pick<Clock, 'now'>,
  queue: Pick<DeliveryQueue, 'drop'>,
) {
  function current(): InvoiceApp {
    const app = store.app()
    if (app === null) throw new HttpProblem(404, 'no application is registered')
    return app
  }

  function setWebhooks(app: InvoiceApp, urls: readonly string[]): void {
    for (const webhook of app.webhooks) if (!urls.includes(webhook.url)) removeWebhook(webhook)
    const present = app.webhooks.map(({ url }) => url)
    for (const url of urls) if (!present.includes(url)) store.addWebhook(app.id, url)
  }

  function removeWebhook({ id }: AppWebhook): void {
    store.removeWebhook(id)
    queue.drop(targetOf(id))
  }

  const register = ({ webhooks, ...form }: AppForm): InvoiceApp =>
    transaction(database, () => {
      const present = store.app()
      if (present !== null) {
        throw new HttpProblem(
          400,
          `project ${projectId} has its application already: ${present.id}`,
        )
      }
      store.addApp({ ...form, projectId, dateCreate: toSeconds(clock.now()) })
      setWebhooks(current(), webhooks)
      return current()
    })

  return {
    get: () => store.app(),
    register,
    change: (app: InvoiceApp, { name, description, recipient, webhooks }: AppChange) =>
      transaction(database, () => {
        store.updateApp(app.id, {
          name: name ?? app.name,
          description: description ?? app.description,
          recipient: recipient ?? app.recipient,
        })
        if (webhooks !== undefined) setWebhooks(app, webhooks)
        return current()
      }),
    /** The application's invoices are still tracked, but cause no notifications. */
    remove(app: InvoiceApp): void {
      transaction(database, () => {
        for (const webhook of app.webhooks) removeWebhook(webhook)
        store.removeApp(app.id)
      })
    },
    /** @throws HttpProblem 400 for a URL that is already registered, or for too many URLs */
    addWebhook(app: InvoiceApp, url: string): InvoiceApp {
      requireNew(app, url)
      if (app.webhooks.length >= maxWebhooks) {
        throw new HttpProblem(400, `an application has at most ${maxWebhooks} webhooks`)
      }
      store.addWebhook(app.id, url)
      return current()
    },
    /** Waiting deliveries are sent to the new URL. @throws HttpProblem 400 */
    changeWebhook(app: InvoiceApp, webhook: AppWebhook, url: string): InvoiceApp {
      if (url !== webhook.url) requireNew(app, url)
      store.updateWebhook(webhook.id, url)
      return current()
    },
    removeWebhook(webhook: AppWebhook): InvoiceApp {
      transaction(database, () => removeWebhook(webhook))
      return current()
    },
    /** Registers "Sandbox shop" if there is no application. */
    ensure: (recipient: string) =>
      store.app() ?? register({ name: 'Sandbox shop', description: '', recipient, webhooks: [] }),
  }
}

function requireNew(app: InvoiceApp, url: string): void {
  const present = app.webhooks.find((webhook) => webhook.url === url)
  if (present !== undefined) throw wrong('webhook', `is registered already, as ${present.id}`)
}

/** Deliveries of invoices carry no key, as on the service. */
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
      // The API cannot bring a webhook back online, so no webhook goes offline.
      return true
    },
  }
}

const newInvoicesToken = (): string => `TC-INVOICES_${randomBytes(24).toString('base64url')}`

export type Access = ReturnType<typeof createAccess>

/**
 * The access steps of the specification's section 1, which the control API sets. The token is the
 * same in all of them.
 * @param tokens.givenToken replaces the stored token until a new one is created; never stored
 */
export function createAccess(
  store: InvoiceAppStore,
  tokens: { readonly initialToken?: string | undefined; readonly givenToken?: string | undefined },
) {
  const { initialToken = newInvoicesToken() } = tokens
  let { givenToken } = tokens
  let access = store.access() ?? grantFirst()

  function token(): string | null {
    const isGranted = access.state === 'granted' || access.state === 'withdrawn'
    return isGranted ? (givenToken ?? access.token) : null
  }

  function grantFirst(): InvoiceAccess {
    const granted = { state: 'granted', token: initialToken, rule: 'comment' } as const
    store.setAccess(granted)
    return granted
  }

  function set(change: Partial<InvoiceAccess>): void {
    const next = { ...access, ...change }
    store.setAccess(next)
    access = next
  }

  return {
    state: () => access.state,
    change: (state: AccessState) => set({ state }),
    token,
    regenerateToken(): string {
      const newToken = newInvoicesToken()
      set({ token: newToken })
      givenToken = undefined
      return newToken
    },
    /** @throws HttpProblem 401 for a missing or wrong key, 403 while access is not granted */
    check(key: string | null): void {
      const header = 'as Authorization: Bearer or as the query parameter api_key'
      if (key === null) throw new HttpProblem(401, `an API token is required, ${header}`)
      const expected = token()
      if (expected !== null && !isSameKey(key, expected)) {
        throw new HttpProblem(401, 'the API token is not valid')
      }
      if (access.state !== 'granted') throw new HttpProblem(403, refusals[access.state])
    },
    rule: () => access.rule,
    changeRule: (rule: MatchingRule) => set({ rule }),
    /** Reads the replaced tables; keys survive a revert. */
    reload(): void {
      const { token: before } = access
      access = store.access() ?? grantFirst()
      if (before !== access.token) set({ token: before })
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
