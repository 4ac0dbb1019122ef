/** The invoices API (gateway-facts 3.2): one client for the real service and for the sandbox. */
import { z } from 'zod'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import { type Call, type HttpClient, pathTo } from './http.ts'
import {
  applicationResponse,
  createdInvoice,
  invoiceEntry,
  invoiceList,
  statsResponse,
} from './invoice-responses.ts'
import { type QueryOptions, createRequests } from './query.ts'
import { only } from './response-fields.ts'
import type { TroubleData } from './trouble.ts'

type NewInvoice = {
  readonly amount: bigint
  readonly currency: 'TON' | 'USDT'
  readonly lifeTimeSeconds: number
  readonly description: string
}

/** The filters are those of the console's own list (gateway-facts 3.4). */
export type InvoiceQuestion = {
  readonly offset?: number
  /** The maximum is 1000. */
  readonly limit?: number
  readonly orderBy?: 'date_create' | 'id' | 'status' | 'amount' | 'date_paid'
  readonly descending?: boolean
  readonly statuses?: readonly string[]
  readonly currency?: 'TON' | 'USDT'
  readonly overpaid?: boolean
  readonly from?: number
  readonly to?: number
  readonly id?: string
}

type ApplicationForm = {
  readonly name: string
  readonly description: string
  readonly recipient: string
}

/** A decimal int64 that some gateways require beside the token; null leaves it out. */
type ApplicationId = string | null

export type InvoicesClient = ReturnType<typeof createInvoicesClient>

const root = '/api/v1/services/invoices'

/**
 * Replaces the gateway's message, which names a parameter that the user cannot set, by the name of
 * the setting.
 */
async function withWayOut<T>(app: ApplicationId, response: Promise<T>): Promise<T> {
  try {
    return await response
  } catch (error) {
    const isAppIdMissing =
      app === null &&
      error instanceof AppError &&
      error.code === gatewayCodes.refused &&
      /\bapp[\s_-]?id\b/i.test(error.message)
    if (!isAppIdMissing) throw error
    const message = `${error.message} This gateway requires the ID of your application: enter the ID in Invoices › Set up › App ID.`
    const data: TroubleData = { ...(error.data as TroubleData), wantsAppId: true }
    throw new AppError(error.code, message, { data, cause: error })
  }
}

/** Each call throws as `HttpClient.call` does. Requests that change something are sent once. */
export function createInvoicesClient(http: HttpClient) {
  const { get } = createRequests(http, root)
  const named = (app: ApplicationId) => ({ app_id: app ?? undefined })
  const ofProject = (project: string | null) => ({ project_id: project ?? undefined })
  const toBody = ({ name, description, recipient }: Partial<ApplicationForm>) => ({
    name,
    description,
    recipient_address: recipient,
  })
  const changeApp = (
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: Readonly<Record<string, string | undefined>>,
    query: Call<z.ZodType>['query'] = {},
  ) => http.call({ method, path: `${root}/app${path}`, query, body, answer: applicationResponse })

  return {
    list(question: InvoiceQuestion, app: ApplicationId, options?: QueryOptions) {
      const { offset = 0, limit = 100, orderBy = 'date_create', descending = true } = question
      const { statuses = [], currency, overpaid = false, from, to, id } = question
      const response = get('', invoiceList, options, {
        ...named(app),
        limit,
        offset,
        field_order: orderBy,
        type_order: descending ? 'desc' : 'asc',
        filter_status: statuses,
        currency,
        overpayment: overpaid ? 'true' : undefined,
        start: from === undefined ? undefined : Math.floor(from / 1000),
        end: to === undefined ? undefined : Math.ceil(to / 1000),
        search_id: id,
      })
      return withWayOut(app, response)
    },
    /** The gateway responds 404 when the application has no invoice with this id. */
    get: (id: string, options?: QueryOptions) => get(pathTo('/{id}', id), invoiceEntry, options),
    create: (
      { amount, currency, lifeTimeSeconds, description }: NewInvoice,
      options?: QueryOptions,
    ) =>
      http.call({
        ...options,
        method: 'POST',
        path: `${root}/invoice`,
        body: { amount: amount.toString(), currency, life_time: lifeTimeSeconds, description },
        answer: createdInvoice(currency),
      }),
    /** The gateway responds 400 when the invoice is not pending. */
    cancel(id: string, app: ApplicationId, options?: QueryOptions) {
      const path = root + pathTo('/{id}/cancel', id)
      const call = { ...options, method: 'PATCH', path, answer: invoiceEntry } as const
      return withWayOut(app, http.call({ ...call, query: named(app) }))
    },
    stats: (currency: 'TON' | 'USDT', app: ApplicationId, options?: QueryOptions) =>
      withWayOut(app, get('/stats', statsResponse, options, { ...named(app), currency })),
    /** The gateway responds 404 when no application is registered. */
    application: (project: string | null, options?: QueryOptions) =>
      get('/app', applicationResponse, options, ofProject(project)),
    register: (form: ApplicationForm, project: string | null) =>
      changeApp('POST', '', toBody(form), ofProject(project)),
    change: (app: string, form: Partial<ApplicationForm>) =>
      changeApp('PATCH', pathTo('/{app}', app), toBody(form)),
    addWebhook: (app: string, url: string) =>
      changeApp('POST', pathTo('/{app}/webhook', app), { webhook: url }),
    removeWebhook: (app: string, webhook: string) =>
      changeApp('DELETE', pathTo('/{app}/webhook/{webhook}', app, webhook)),
    /** The previous token becomes invalid at once. */
    newToken(app: ApplicationId): Promise<string> {
      const call = { method: 'PATCH', path: `${root}/token`, query: named(app) } as const
      return withWayOut(app, http.call({ ...call, answer: only('token', z.string()) }))
    },
  }
}
