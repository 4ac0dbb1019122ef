import { z } from 'zod'
import {
  type ControlOperation,
  controlOperations,
  controlRequest,
} from '../../src-preload/contract/sandbox-control.ts'
import { type Output, type Parsed, routes } from '../../src-preload/contract/routes.ts'
import {
  type SandboxHead,
  type SandboxInvoice,
  invoiceStatus,
  sandboxHead,
  sandboxOutcome,
} from '../../src-preload/contract/sandbox.ts'
import { readJson } from '../../src-preload/domain/read-json.ts'
import type { HttpClient } from './http.ts'
import { type InvoiceEntry, invoiceEntry } from './invoice-responses.ts'

/** Routes that an operation of the control API with the same name carries out. */
export type SandboxOperation = Extract<keyof typeof routes, `sandbox.${ControlOperation}`>
export const sandboxOperations = (Object.keys(controlOperations) as ControlOperation[])
  .map((name) => `sandbox.${name}` as const)
  .filter((name): name is SandboxOperation => Object.hasOwn(routes, name))

export type SandboxClient = ReturnType<typeof createSandboxClient>

/** The sandbox runs a batch of blocks before it responds. */
const actionMs = 60_000
/** Advancing the clock by a day waits for all deliveries within that day. */
const advanceMs = 600_000

/** Each call throws as `HttpClient.call` does. */
export function createSandboxClient(http: HttpClient) {
  return {
    async call<N extends SandboxOperation>(name: N, input: Parsed<N>): Promise<Output<N>> {
      const { method, path, fields } = controlRequest(
        name.slice('sandbox.'.length) as ControlOperation,
        {
          ...input,
        },
      )
      const response = await http.call({
        method,
        path,
        answer: responses[name] ?? routes[name].output,
        ...(method === 'GET' && { query: fields }),
        ...(method === 'PUT' && { body: fields }),
        ...(method === 'POST' && {
          body: fields,
          timeoutMs: name === 'sandbox.advance' ? advanceMs : actionMs,
        }),
      })
      // The schema of the route has validated the response, which the type checker cannot follow.
      return response as Output<N>
    },
    async invoicesToken(): Promise<string | null> {
      const { output } = controlOperations.invoicesToken
      return (await http.call({ path: '/invoices-token', answer: output })).token
    },
    /** Yields a head at once, then after each block, delivery or change of the clock. */
    async *heads(signal: AbortSignal): AsyncGenerator<SandboxHead> {
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

/** Responses that differ from the route's output. */
const responses: Partial<Record<SandboxOperation, z.ZodType>> = {
  'sandbox.mnemonics': z
    .object({ wallets: routes['sandbox.mnemonics'].output })
    .transform(({ wallets }) => wallets),
  'sandbox.pay': sandboxOutcome.extend({
    invoice: z.unknown().pipe(invoiceEntry).transform(sandboxInvoiceOf),
  }),
}
