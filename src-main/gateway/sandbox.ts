import { z } from 'zod'
import {
  type Output,
  type Parsed,
  type RouteName,
  routes,
} from '../../src-preload/contract/routes.ts'
import {
  type SandboxHead,
  sandboxChain,
  sandboxClock,
  sandboxHead,
  sandboxInvoicesApp,
  sandboxOutcome,
  sandboxPolicy,
  sandboxQueue,
  sandboxSnapshot,
  type SandboxInvoice,
  invoiceStatus,
} from '../../src-preload/contract/sandbox.ts'
import type { HttpClient } from './http.ts'
import { type InvoiceEntry, invoiceEntry } from './invoice-answers.ts'
import { readJson } from '../../src-preload/domain/read-json.ts'

type Ask<N extends RouteName> = (input: Parsed<N>) => Promise<Output<N>>
type AskNothing<N extends RouteName> = () => Promise<Output<N>>

/** One function for each operation; each throws as `HttpClient.call` does. */
export type SandboxClient = {
  readonly chain: Ask<'sandbox.chain'>
  readonly mnemonics: AskNothing<'sandbox.mnemonics'>
  readonly queue: Ask<'sandbox.queue'>
  readonly faucet: Ask<'sandbox.faucet'>
  readonly send: Ask<'sandbox.send'>
  readonly deploy: Ask<'sandbox.deploy'>
  readonly opcode: Ask<'sandbox.opcode'>
  readonly pay: Ask<'sandbox.pay'>
  readonly setActivity: Ask<'sandbox.setActivity'>
  readonly setClock: Ask<'sandbox.setClock'>
  readonly advance: Ask<'sandbox.advance'>
  readonly cancelAdvance: AskNothing<'sandbox.cancelAdvance'>
  readonly snapshot: Ask<'sandbox.snapshot'>
  readonly revert: Ask<'sandbox.revert'>
  readonly deleteSnapshot: Ask<'sandbox.deleteSnapshot'>
  readonly reset: AskNothing<'sandbox.reset'>
  readonly setPolicy: Ask<'sandbox.setPolicy'>
  readonly setFaults: Ask<'sandbox.setFaults'>
  readonly setAccess: Ask<'sandbox.setAccess'>
  readonly setMatching: Ask<'sandbox.setMatching'>
  readonly invoicesApp: AskNothing<'sandbox.invoicesApp'>
  readonly setInvoicesApp: Ask<'sandbox.setInvoicesApp'>
  readonly backOnline: Ask<'sandbox.backOnline'>
  invoicesToken(): Promise<string | null>
  /** Yields a head at once, then after each block, delivery or change of the clock. */
  heads(signal: AbortSignal): AsyncIterable<SandboxHead>
}

const anything = z.unknown()
/** The sandbox runs a batch of blocks before it responds. */
const actionMs = 60_000
/** Advancing the clock by a day waits for all deliveries of that day. */
const advanceMs = 600_000

export function createSandboxClient(http: HttpClient): SandboxClient {
  const post = <S extends z.ZodType>(path: string, body: unknown, answer: S, ms = actionMs) =>
    http.call({ method: 'POST', path, body, answer, timeoutMs: ms })
  const put = <S extends z.ZodType>(path: string, body: unknown, answer: S) =>
    http.call({ method: 'PUT', path, body, answer })

  return {
    chain: ({ network }) => http.call({ path: '/state', query: { network }, answer: sandboxChain }),
    async mnemonics() {
      const wallets = routes['sandbox.mnemonics'].output
      const answer = z.object({ wallets })
      return (await http.call({ path: '/wallets/mnemonics', answer })).wallets
    },
    queue: ({ network, limit, offset }) =>
      http.call({ path: '/queue', query: { network, limit, offset }, answer: sandboxQueue }),
    faucet: (input) => post('/faucet', input, sandboxOutcome),
    send: (input) => post('/send', input, sandboxOutcome),
    deploy: (input) => post('/deploy', input, sandboxOutcome.extend({ address: z.string() })),
    opcode: (input) => post('/opcode', input, sandboxOutcome),
    pay: ({ id, ...how }) =>
      post(
        `/invoices/${encodeURIComponent(id)}/pay`,
        how,
        sandboxOutcome.extend({ invoice: sandboxInvoiceAnswer }),
      ),
    setActivity: (input) => put('/activity', input, z.object({ perMinute: z.number() })),
    setClock: (input) => put('/clock', input, sandboxClock),
    advance: (input) =>
      post('/clock/advance', input, z.object({ now: z.int(), stops: z.int() }), advanceMs),
    cancelAdvance: () =>
      http.call({ method: 'DELETE', path: '/clock/advance', answer: sandboxClock }),
    snapshot: (input) => post('/snapshots', input, sandboxSnapshot),
    async revert({ name }) {
      await post(`/snapshots/${encodeURIComponent(name)}/revert`, {}, anything)
      return {}
    },
    async deleteSnapshot({ name }) {
      const path = `/snapshots/${encodeURIComponent(name)}`
      await http.call({ method: 'DELETE', path, answer: anything })
      return {}
    },
    async reset() {
      await post('/reset', {}, anything)
      return {}
    },
    setPolicy: (input) => put('/policy', input, sandboxPolicy),
    setFaults: (input) => put('/faults', input, z.object({ faults: sandboxChain.shape.faults })),
    setAccess: (input) => put('/access', input, sandboxChain.shape.access),
    setMatching: (input) => put('/matching', input, routes['sandbox.setMatching'].output),
    invoicesApp: () => http.call({ path: '/invoices-app', answer: sandboxInvoicesApp }),
    setInvoicesApp: (input) => put('/invoices-app', input, sandboxInvoicesApp),
    async backOnline({ network, webhookId }) {
      await post(`/webhooks/${webhookId}/back-online`, { network }, anything)
      return {}
    },
    async invoicesToken() {
      const answer = z.object({ token: z.string().nullable() })
      return (await http.call({ path: '/invoices-token', answer })).token
    },
    async *heads(signal) {
      for await (const { data } of http.events('/events', signal)) {
        const head = sandboxHead.safeParse(readJson(data))
        if (head.success) yield head.data
      }
    },
  }
}

/** The fields of an invoice that the sandbox's page shows. @throws ZodError for an unknown status */
export function sandboxInvoiceOf(invoice: InvoiceEntry): SandboxInvoice {
  const { id, status, amount, currency, description, overpayment, createdAt, expiresAt } = invoice
  return {
    id,
    status: invoiceStatus.parse(status),
    amount: amount.toString(),
    currency,
    description,
    overpayment: overpayment === 0n ? null : overpayment.toString(),
    createdAt,
    expiresAt,
  }
}

const sandboxInvoiceAnswer = z.unknown().pipe(invoiceEntry).transform(sandboxInvoiceOf)
