import { z } from 'zod'
import { maxActivityPerMinute, maxCalls, payHows } from '../domain/sandbox-values.ts'
import { invoiceStatuses } from '../domain/invoice-values.ts'
import {
  callClient,
  sandboxAccess,
  sandboxAccessState,
  sandboxCalls,
  sandboxChain,
  sandboxClock,
  sandboxInvoicesApp,
  sandboxMatching,
  sandboxMnemonics,
  sandboxOutcome,
  sandboxPolicy,
  sandboxQueue,
  sandboxRoot,
  sandboxSnapshot,
} from './sandbox.ts'
import { shownResponse } from './target.ts'

/**
 * The control API of the sandbox, defined once for its server, its OpenAPI document and its clients. Amounts
 * and logical times are decimal strings, moments are milliseconds.
 */

const network = z.enum(['mainnet', 'testnet']).default('mainnet')
const units = z
  .string()
  .regex(/^\d{1,30}$/, 'is a whole number of the smallest unit, as a string')
  .transform(BigInt)
  .refine((amount) => amount > 0n, 'is above zero')
const address = z.string().trim().min(1).max(100)
const wallet = z.string().min(1).max(100)
const page = (limit: number) => z.coerce.number<number>().int().min(0).max(limit)

export const stateQuery = z.object({ network })
export const queueQuery = z.object({
  network,
  limit: page(1000).min(1).default(100),
  offset: page(1_000_000_000).default(0),
})
export const faucetInput = z.strictObject({
  network,
  address,
  amount: units,
  currency: z.enum(['TON', 'USDT']).default('TON'),
})
export const sendInput = z.strictObject({
  network,
  from: wallet,
  to: address,
  amount: units,
  currency: z.enum(['TON', 'USDT']).default('TON'),
  comment: z.string().max(1000).optional(),
})
export const deployInput = z.strictObject({
  network,
  from: wallet.default('wallet-1'),
  name: z.union([z.string().max(100), z.int().min(0)]).optional(),
})
export const opcodeInput = z.strictObject({
  network,
  from: wallet.default('wallet-1'),
  to: address.optional(),
  opcode: z.string().regex(/^0x[0-9a-fA-F]{1,8}$/, 'is 0x and up to 8 hexadecimal digits'),
  amount: units.optional(),
})
const boc = z
  .string()
  .max(100_000)
  .regex(/^([0-9a-fA-F]{2})+$/, 'is a bag of cells in hexadecimal digits')
export const messageInput = z.strictObject({
  network,
  from: wallet.default('wallet-1'),
  to: address,
  amount: units,
  bounce: z.boolean().default(true),
  mode: z.int().min(0).max(255).default(3),
  body: boc.optional(),
  init: boc.optional(),
})
export const payInput = z.strictObject({
  how: z.enum(payHows),
  from: wallet.default('wallet-1'),
  amount: units.optional(),
})
export const activityInput = z.strictObject({
  network,
  perMinute: z.number().min(0).max(maxActivityPerMinute),
})
export const clockInput = z.strictObject({ mode: z.enum(['real', 'virtual']) })
export const advanceInput = z.union(
  [
    z.strictObject({ byMs: z.int().min(0, 'is at least 0, because the clock never goes back') }),
    z.strictObject({ toNext: z.literal(true) }),
  ],
  'requires byMs, a whole number of milliseconds, or toNext: true',
)
export const idleInput = z.strictObject({ timeoutMs: z.int().min(1).max(600_000).default(30_000) })
export const snapshotInput = z.strictObject({
  name: z
    .string()
    .trim()
    .regex(/^[\w .-]{1,64}$/, 'is 1 to 64 letters, digits, spaces, points and dashes')
    .optional(),
})
const common = { root: sandboxRoot, share: z.number().min(0).max(1).default(1) }

export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('delay'), delayMs: z.int().min(0).max(600_000) }),
  z.strictObject({ ...common, kind: z.literal('status'), status: z.int().min(400).max(599) }),
  z.strictObject({ ...common, kind: z.literal('reset') }),
  z.strictObject({
    ...common,
    kind: z.literal('rate-limit'),
    /** Per key; default: the service's limit without a key or with a free one. */
    perSecond: z.number().gt(0).max(100_000).optional(),
  }),
])

export const faultsInput = z.strictObject({ faults: z.array(faultSchema).max(50) })
const callStatus = /^([1-5]\d\d|[1-5]xx|aborted)$/
const callNumber = page(Number.MAX_SAFE_INTEGER).optional()
/** `after` lists the oldest first and waits for a match. */
export const callsQuery = z.strictObject({
  network: network.unwrap().optional(),
  root: sandboxRoot.optional(),
  method: z.string().toUpperCase().optional(),
  status: z.string().regex(callStatus, 'is a status, a class such as 4xx, or aborted').optional(),
  path: z.string().optional(),
  client: callClient.optional(),
  since: callNumber,
  after: callNumber,
  waitMs: page(60_000).default(0),
  limit: page(maxCalls).min(1).default(100),
})
export const callsInput = z.strictObject({ bodies: z.boolean() })
export const policyChange = z.strictObject(sandboxPolicy.shape).partial()
export const accessInput = z.strictObject({ state: sandboxAccess })
export const matchingInput = z.strictObject({ rule: sandboxMatching })
/** The handler checks the values, as the invoices API does. */
const unchecked = <T>(description: string) =>
  z.unknown().describe(description).optional() as unknown as z.ZodOptional<z.ZodType<unknown, T>>

export const invoicesAppInput = z.strictObject({
  recipient: unchecked<string>('An address.'),
  webhooks: unchecked<string[]>('URLs.'),
})
export const networkInput = z.strictObject({ network })
export const testInput = z.strictObject({
  network,
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(1000)),
  body: z.string().max(10_000),
})
export const disableOpcodeInput = z.strictObject({
  network,
  opcode: opcodeInput.shape.opcode,
  reason: z.string().max(200).default('disabled by the control API'),
})

/** The number of milliseconds of real time. */
const timeoutMs = z.int().min(1).max(600_000).default(30_000)

/** A condition that a test waits for. */
export const waitInput = z.union(
  [
    z.strictObject({
      invoice: z.string().min(1).max(100),
      status: z.enum(invoiceStatuses).default('paid'),
      timeoutMs,
    }),
    z.strictObject({
      network,
      account: address,
      afterLt: z
        .string()
        .regex(/^\d{1,20}$/, 'is a logical time, as a string')
        .default('0'),
      timeoutMs,
    }),
    z.strictObject({
      network,
      webhook: z.int(),
      status: z.enum(['online', 'offline', 'suspended']),
      timeoutMs,
    }),
  ],
  'requires invoice, account, or webhook with status',
)

const nothing = z.strictObject({})
const done = z.object({})
const progress = z.object({
  from: z.int(),
  until: z.int().nullable(),
  stops: z.int(),
  isCancelled: z.boolean(),
})
/** `advance` is the one in progress. */
const clock = sandboxClock.extend({ advance: progress.nullable() })
const faults = z.object({ faults: z.array(faultSchema) })
const matching = z.object({ rule: sandboxMatching })
/** The fields are those of the invoices API. */
const invoice = z.looseObject({ id: z.string(), status: z.enum(invoiceStatuses) })
const state = sandboxChain.extend({
  clock,
  faults: faults.shape.faults,
  undeliverable: z.array(z.object({ endpoint: z.string(), reason: z.string() })),
  keysHint: z.string(),
})
const payment = sandboxOutcome.extend({ invoice })
const deployment = sandboxOutcome.extend({ address: z.string() })
const idle = z.object({ now: z.int(), waiting: z.int(), failing: z.int(), retrying: z.int() })
const transaction = sandboxOutcome.shape.transactions.element
const found = z.object({
  now: z.int(),
  invoice: invoice.optional(),
  transaction: transaction.optional(),
})
const moved = z.object({ now: z.int(), stops: z.int() })
const token = z.object({ token: z.string().nullable() })
const mnemonics = z.object({ wallets: sandboxMnemonics })
const snapshots = z.object({ snapshots: z.array(sandboxSnapshot) })
const activity = sandboxChain.shape.activity

function operation<
  Route extends `${Method} /${string}`,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(route: Route, input: Input, output: Output, summary: string) {
  return { route, input, output, summary }
}

/** A field in braces stands in the path, the others in the query of GET or in the body. */
export const controlOperations = {
  chain: operation('GET /state', stateQuery, state, 'Chain, wallets, webhooks and settings'),
  mnemonics: operation('GET /wallets/mnemonics', nothing, mnemonics, 'Words of the wallets'),
  queue: operation('GET /queue', queueQuery, sandboxQueue, 'Open deliveries, oldest first'),
  calls: operation('GET /calls', callsQuery, sandboxCalls, 'Requests of clients, newest first'),
  setCalls: operation('PUT /calls', callsInput, callsInput, 'Records bodies from now on, or not'),
  faucet: operation('POST /faucet', faucetInput, sandboxOutcome, 'Gives an address coins'),
  send: operation('POST /send', sendInput, sandboxOutcome, 'Sends coins from a wallet'),
  deploy: operation('POST /deploy', deployInput, deployment, 'Deploys a contract'),
  opcode: operation('POST /opcode', opcodeInput, sandboxOutcome, 'Sends an opcode'),
  message: operation('POST /message', messageInput, sandboxOutcome, 'Sends any message'),
  pay: operation('POST /invoices/{id}/pay', payInput, payment, 'Pays an invoice'),
  setActivity: operation('PUT /activity', activityInput, activity, 'Sets background activity'),
  clock: operation('GET /clock', nothing, clock, 'The clock'),
  setClock: operation('PUT /clock', clockInput, clock, 'Makes the clock real or virtual'),
  advance: operation('POST /clock/advance', advanceInput, moved, 'Moves the virtual clock'),
  cancelAdvance: operation('DELETE /clock/advance', nothing, clock, 'Cancels the advance'),
  idle: operation('POST /idle', idleInput, idle, 'Responds when nothing is in progress or due'),
  waitFor: operation('POST /wait', waitInput, found, 'Responds when the condition holds'),
  snapshots: operation('GET /snapshots', nothing, snapshots, 'All snapshots'),
  snapshot: operation('POST /snapshots', snapshotInput, sandboxSnapshot, 'Takes a snapshot'),
  deleteSnapshot: operation('DELETE /snapshots/{name}', nothing, done, 'Deletes a snapshot'),
  revert: operation('POST /snapshots/{name}/revert', nothing, done, 'Returns to a snapshot'),
  reset: operation('POST /reset', nothing, done, 'Returns to the state after the first start'),
  policy: operation('GET /policy', nothing, sandboxPolicy, 'How deliveries are retried'),
  setPolicy: operation('PUT /policy', policyChange, sandboxPolicy, 'Changes the retries'),
  faults: operation('GET /faults', nothing, faults, 'The faults of the APIs'),
  setFaults: operation('PUT /faults', faultsInput, faults, 'Replaces all faults'),
  access: operation('GET /access', nothing, sandboxAccessState, 'Access to invoices'),
  setAccess: operation('PUT /access', accessInput, sandboxAccessState, 'Changes the access'),
  invoicesToken: operation('GET /invoices-token', nothing, token, 'Token of the invoices API'),
  matching: operation('GET /matching', nothing, matching, 'How payments match invoices'),
  setMatching: operation('PUT /matching', matchingInput, matching, 'Sets it for new invoices'),
  invoicesApp: operation('GET /invoices-app', nothing, sandboxInvoicesApp, 'The application'),
  setInvoicesApp: operation(
    'PUT /invoices-app',
    invoicesAppInput,
    sandboxInvoicesApp,
    'Sets recipient and webhooks of invoices',
  ),
  backOnline: operation('POST /webhooks/{webhookId}/back-online', networkInput, done, 'Resumes it'),
  suspendWebhook: operation('POST /webhooks/{webhookId}/suspend', networkInput, done, 'Stops it'),
  testWebhook: operation('POST /webhooks/{webhookId}/test', testInput, shownResponse, 'Tests it'),
  disableOpcode: operation(
    'POST /webhooks/{webhookId}/disable-opcode',
    disableOpcodeInput,
    done,
    'Disables the subscription of an opcode',
  ),
} as const

type Operations = typeof controlOperations
export type ControlOperation = keyof Operations

type PathFields<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string | number>> & PathFields<Rest>
  : unknown

type Fields<T> = T extends Record<string, never> ? unknown : T

/** Fields of the path, query and body of an operation. */
export type ControlInput<N extends ControlOperation> = Fields<z.input<Operations[N]['input']>> &
  PathFields<Operations[N]['route']>
export type ControlOutput<N extends ControlOperation> = z.output<Operations[N]['output']>

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export function splitRoute(route: string) {
  const [method, path] = route.split(' ') as [Method, string]
  return { method, path }
}

/** Divides the fields of an input: path and query are encoded, the body is JSON. */
export function controlRequest(name: ControlOperation, input: object) {
  const { method, path } = splitRoute(controlOperations[name].route)
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(fields.get(field))
    fields.delete(field)
    return encodeURIComponent(value)
  })
  return { method, path: filled, fields: Object.fromEntries(fields) }
}
