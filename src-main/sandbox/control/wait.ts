import { setTimeout as sleep } from 'node:timers/promises'
import { waitInput } from '../../../src-preload/contract/sandbox-control.ts'
import type { SandboxClock } from '../clock.ts'
import { HttpProblem } from '../http.ts'
import type { Invoices } from '../invoices/create-invoices.ts'
import { type Networks, serializeTransaction } from './control-api.ts'
import { noWebhook, postBody, readReceiver } from './request.ts'

const pollMs = 20

type Condition = ReturnType<typeof waitInput.parse>

/** Waits for an invoice, a transaction or a webhook: a long poll with a limit in real time. */
export function createWaitRoute(deps: {
  readonly networks: Networks
  readonly clock: SandboxClock
  readonly invoices: Invoices
}) {
  const { networks, clock, invoices } = deps

  /** @returns null while the condition does not hold @throws HttpProblem 404 if the object is unknown */
  function find(condition: Condition): object | null {
    if ('invoice' in condition) {
      const invoice = invoices.find(condition.invoice)
      if (invoice === null) throw new HttpProblem(404, 'invoice not found')
      return invoice.status === condition.status ? { invoice: invoices.serialize(invoice) } : null
    }
    const { chain, webhooks } = networks[condition.network]
    if ('account' in condition) {
      const account = readReceiver(condition.account).toRawString()
      const afterLt = BigInt(condition.afterLt)
      const [first] = chain.history(account, { afterLt, order: 'asc', limit: 1 })
      return first === undefined ? null : { transaction: serializeTransaction(first) }
    }
    const webhook = webhooks.list().find(({ id }) => id === condition.webhook)
    if (webhook === undefined) throw noWebhook()
    return webhook.status === condition.status ? {} : null
  }

  return postBody(waitInput, async (condition, context) => {
    const limit = AbortSignal.timeout(condition.timeoutMs)
    const signal = AbortSignal.any([limit, context.req.raw.signal])
    for (;;) {
      const found = find(condition)
      if (found !== null) return { now: clock.now(), ...found }
      if (signal.aborted) {
        throw new HttpProblem(409, `the condition does not hold after ${condition.timeoutMs} ms`)
      }
      await sleep(pollMs, undefined, { signal }).catch(() => undefined)
    }
  })
}
