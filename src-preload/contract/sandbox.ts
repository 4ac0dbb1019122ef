import { z } from 'zod'
import { shownResponse } from './target.ts'
import { returns, takes, units, logicalTime, addressText } from './route.ts'
import { invoiceCurrencies, invoiceStatuses } from '../domain/invoice-values.ts'
import { maxCalls, payHows, sandboxRoots } from '../domain/sandbox-values.ts'

const sandboxNetwork = z.enum(['mainnet', 'testnet'])
export type SandboxNetwork = z.infer<typeof sandboxNetwork>

const positiveUnits = units.refine((text) => /[1-9]/.test(text), 'Enter an amount above zero.')
const milliseconds = z.int().nonnegative()

export const sandboxCurrency = z.enum(invoiceCurrencies)
export type SandboxCurrency = z.infer<typeof sandboxCurrency>

const sandboxUrls = z.object({
  query: z.string(),
  webhooks: z.string(),
  testnetQuery: z.string(),
  testnetWebhooks: z.string(),
  console: z.string(),
  control: z.string(),
})
export type SandboxUrls = z.infer<typeof sandboxUrls>

export const sandboxHead = z.object({
  network: sandboxNetwork,
  seqno: z.int(),
  waiting: z.int(),
  failing: z.int(),
  now: milliseconds,
})
export type SandboxHead = z.infer<typeof sandboxHead>

const sandboxState = z.object({
  status: z.enum(['stopped', 'starting', 'running', 'failed']),
  problem: z.string().nullable(),
  urls: sandboxUrls.nullable(),
  wantedPort: z.int().nullable(),
  canCopyKeys: z.boolean(),
  /** Path of the file with the keys. Only its owner can read it, and the window never gets the keys. */
  keysFile: z.string(),
  heads: z.array(sandboxHead),
})
export type SandboxState = z.infer<typeof sandboxState>

export const sandboxClock = z.object({ mode: z.enum(['real', 'virtual']), now: milliseconds })
export type SandboxClock = z.infer<typeof sandboxClock>

const sandboxWallet = z.object({
  name: z.string(),
  address: z.string(),
  friendly: z.string(),
  publicKey: z.string(),
  balance: units,
  usdt: units,
  seqno: z.int(),
})
export type SandboxWallet = z.infer<typeof sandboxWallet>

export const sandboxMnemonics = z.array(
  z.object({ name: z.string(), address: z.string(), mnemonic: z.array(z.string()) }),
)

export const sandboxPolicy = z.object({
  /** Delays after the first, second and further failures; the last delay repeats. */
  retryDelaysMs: z
    .array(z.int().min(0).max(604_800_000, 'At most a week.'))
    .min(1, 'Enter at least one wait time.')
    .max(20, 'At most 20 waits.'),
  timeoutMs: z.int().min(100, 'At least 100 ms.').max(120_000, 'At most two minutes.'),
  offlineAfterMs: z.int().min(1000, 'At least a second.').max(31_536_000_000, 'At most a year.'),
  concurrency: z.int().min(1, 'At least one.').max(1000, 'At most 1000.'),
})
export type SandboxPolicy = z.infer<typeof sandboxPolicy>

export const sandboxRoot = z.enum(sandboxRoots)
export type SandboxRoot = z.infer<typeof sandboxRoot>

const sandboxFault = z.object({
  root: sandboxRoot,
  kind: z.enum(['delay', 'status', 'reset', 'rate-limit']),
  delayMs: z.int().min(0).max(600_000, 'At most ten minutes.').optional(),
  status: z.int().min(400, 'From 400 to 599.').max(599, 'From 400 to 599.').optional(),
  perSecond: z.number().positive('Above zero.').max(1000, 'At most 1000.').optional(),
  share: z.number().min(0).max(1).optional(),
})
export type SandboxFault = z.infer<typeof sandboxFault>

/** The steps, in order, in which the real service grants invoices; `withdrawn` revokes access. */
export const sandboxAccess = z.enum(['registered', 'requested', 'verified', 'granted', 'withdrawn'])
export type SandboxAccess = z.infer<typeof sandboxAccess>

export const sandboxAccessState = z.object({ state: sandboxAccess, canCreate: z.boolean() })

export const sandboxMatching = z.enum(['comment', 'amount', 'address'])
export type SandboxMatching = z.infer<typeof sandboxMatching>

export const sandboxSnapshot = z.object({
  name: z.string(),
  createdAt: milliseconds,
  seqno: z.int(),
})
export type SandboxSnapshot = z.infer<typeof sandboxSnapshot>

const sandboxWebhook = z.object({
  id: z.int(),
  endpoint: z.string(),
  status: z.enum(['online', 'offline', 'suspended']),
  waiting: z.int(),
  failedAttempts: z.int(),
  /** The next attempt; null unless deliveries fail and are repeated. */
  retry: z
    .object({
      nextAttemptAt: milliseconds,
      /** When the webhook goes offline if its deliveries keep failing. */
      offlineAt: milliseconds,
    })
    .nullable(),
})
export type SandboxWebhook = z.infer<typeof sandboxWebhook>

export const sandboxChain = z.object({
  clock: sandboxClock,
  network: sandboxNetwork,
  head: z.object({ seqno: z.int(), utime: z.int(), transactionCount: z.int() }),
  wallets: z.array(sandboxWallet),
  queue: z.object({ waiting: z.int(), failing: z.int() }),
  webhooks: z.array(sandboxWebhook),
  activity: z.object({ perMinute: z.number() }),
  policy: sandboxPolicy,
  faults: z.array(sandboxFault),
  access: sandboxAccessState,
  matching: sandboxMatching,
  snapshots: z.array(sandboxSnapshot),
  seed: z.string(),
  ephemeral: z.boolean(),
})
export type SandboxChain = z.infer<typeof sandboxChain>

const sandboxDelivery = z.object({
  id: z.int(),
  target: z.string(),
  endpoint: z.string(),
  eventType: z.string(),
  accountId: z.string().nullable(),
  lt: logicalTime.nullable(),
  attempts: z.int(),
  nextAttemptAt: milliseconds.nullable(),
  lastError: z.string().nullable(),
  createdAt: milliseconds,
  body: z.string(),
})
export type SandboxDelivery = z.infer<typeof sandboxDelivery>

export const sandboxQueue = z.object({
  /** Deliveries, the oldest first. */
  deliveries: z.array(sandboxDelivery),
  waiting: z.int(),
  failing: z.int(),
})
export type SandboxQueue = z.infer<typeof sandboxQueue>

const sandboxCall = z.object({
  number: z.int(),
  /** When the request came, by the computer’s clock and by the sandbox’s. */
  at: milliseconds,
  chainAt: milliseconds,
  /** Null for a path of no API. */
  root: sandboxRoot.nullable(),
  method: z.string(),
  template: z.string().nullable(),
  path: z.string(),
  queryNames: z.array(z.string()),
  /** Null for a connection that closed before the response. */
  status: z.int().nullable(),
  durationMs: z.number(),
  requestBytes: z.int(),
  responseBytes: z.int(),
  /** Field names and types of a JSON body, as JSON. */
  shape: z.string().nullable(),
  body: z.string().nullable(),
  /** The end of the key. */
  key: z.string().nullable(),
  /** The User-Agent. */
  client: z.string(),
  delivery: z.object({ id: z.int(), eventType: z.string(), inferredFrom: z.string() }).nullable(),
})
export type SandboxCall = z.infer<typeof sandboxCall>

export const sandboxCalls = z.object({
  calls: z.array(sandboxCall),
  /** The number of the newest call, whether or not it matches. */
  last: z.int(),
})

export const callClient = z.enum(['tondesk', 'others'])

export const sandboxOutcome = z.object({
  transactions: z.array(z.object({ hash: z.string(), account: z.string(), lt: logicalTime })),
  block: z.int(),
})
export type SandboxOutcome = z.infer<typeof sandboxOutcome>

export const invoiceStatus = z.enum(invoiceStatuses)

const sandboxInvoice = z.object({
  id: z.string(),
  status: invoiceStatus,
  amount: units,
  currency: sandboxCurrency,
  description: z.string(),
  overpayment: units.nullable(),
  createdAt: milliseconds,
  expiresAt: milliseconds,
})
export type SandboxInvoice = z.infer<typeof sandboxInvoice>

const payHow = z.enum(payHows)
export type PayHow = z.infer<typeof payHow>

export const sandboxInvoicesApp = z.object({ recipient: z.string(), webhooks: z.array(z.string()) })
export type SandboxInvoicesApp = z.infer<typeof sandboxInvoicesApp>

const sandboxSteps = z.object({
  webhook: z.object({ id: z.int(), endpoint: z.string() }).nullable(),
  account: z.object({ name: z.string(), address: z.string() }).nullable(),
  delivered: z.boolean(),
})
export type SandboxSteps = z.infer<typeof sandboxSteps>

const network = sandboxNetwork.default('mainnet')
const walletName = z.string().min(1, 'Choose a wallet.').max(100)
const snapshotName = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(60, 'At most 60 characters.')
  .regex(/^[\w .-]+$/, 'Use letters, digits, spaces, dots and dashes.')
const comment = z.string().max(1000, 'At most 1000 characters.').optional()
const done = {}

export const sandboxRoutes = {
  'sandbox.state': returns(sandboxState),
  'sandbox.start': returns(sandboxState),
  'sandbox.stop': returns(sandboxState),
  'sandbox.restart': returns(sandboxState),
  /**
   * A complete `.env` for a backend, with the keys of the sandbox. The desktop app writes the clipboard and
   * returns null. Browser mode has no clipboard of its own: after a confirmation the page gets the text.
   */
  'sandbox.copyEnvironment': takes({ network, isConfirmed: z.boolean() }).returns({
    text: z.string().nullable(),
  }),
  'sandbox.chain': takes({ network }).returns(sandboxChain),
  'sandbox.mnemonics': returns(sandboxMnemonics),
  'sandbox.queue': takes({
    network,
    limit: z.int().min(1).max(500).default(100),
    offset: z.int().nonnegative().default(0),
  }).returns(sandboxQueue),
  'sandbox.calls': takes({
    network,
    client: callClient.optional(),
    limit: z.int().min(1).max(maxCalls).default(100),
  }).returns(sandboxCalls),
  'sandbox.faucet': takes({
    network,
    address: addressText,
    amount: positiveUnits,
    currency: sandboxCurrency.default('TON'),
  }).returns(sandboxOutcome),
  'sandbox.send': takes({
    network,
    from: walletName,
    to: addressText,
    amount: positiveUnits,
    currency: sandboxCurrency.default('TON'),
    comment,
  }).returns(sandboxOutcome),
  'sandbox.deploy': takes({
    network,
    from: walletName.optional(),
    name: z.string().max(100).optional(),
  }).returns(sandboxOutcome.extend({ address: z.string() })),
  'sandbox.opcode': takes({
    network,
    from: walletName.optional(),
    to: addressText.optional(),
    opcode: z
      .string()
      .trim()
      .regex(/^0x[0-9a-fA-F]{1,8}$/, 'An opcode is 0x and up to 8 hexadecimal digits.'),
    amount: positiveUnits.optional(),
  }).returns(sandboxOutcome),
  'sandbox.invoices': returns(z.array(sandboxInvoice)),
  'sandbox.createInvoice': takes({
    amount: positiveUnits,
    currency: sandboxCurrency,
    lifeTimeSeconds: z.int().min(1, 'At least a second.').max(31_536_000, 'At most a year.'),
    description: z.string().max(1000, 'At most 1000 characters.').default(''),
  }).returns(sandboxInvoice),
  'sandbox.pay': takes({
    id: z
      .string()
      .trim()
      .min(1, 'Choose an invoice.')
      .max(100)
      // A URL cannot contain a text with a lone surrogate.
      .refine((id) => id.isWellFormed(), 'Invoice not found.'),
    how: payHow,
    from: walletName.optional(),
    /** The amount for `under` and `over`; if absent, the sandbox chooses one. */
    amount: positiveUnits.optional(),
  }).returns(sandboxOutcome.extend({ invoice: sandboxInvoice })),
  'sandbox.setActivity': takes({
    network,
    perMinute: z.number().min(0).max(600, 'At most 600 a minute.'),
  }).returns({ perMinute: z.number() }),
  'sandbox.setClock': takes({ mode: sandboxClock.shape.mode }).returns(sandboxClock),
  'sandbox.advance': takes(
    z.union([
      z.object({ byMs: z.int().min(1, 'Above zero.').max(31_536_000_000, 'At most a year.') }),
      z.object({ toNext: z.literal(true) }),
    ]),
  ).returns({ now: milliseconds, stops: z.int() }),
  /** Stops the advance at its present moment, and its call fails. */
  'sandbox.cancelAdvance': returns(sandboxClock),
  'sandbox.snapshot': takes({ name: snapshotName.optional() }).returns(sandboxSnapshot),
  'sandbox.revert': takes({ name: snapshotName }).returns(done),
  'sandbox.deleteSnapshot': takes({ name: snapshotName }).returns(done),
  'sandbox.reset': returns(done),
  'sandbox.setPolicy': takes(sandboxPolicy.partial()).returns(sandboxPolicy),
  'sandbox.setFaults': takes({
    faults: z.array(sandboxFault).max(50, 'At most 50 faults.'),
  }).returns({ faults: z.array(sandboxFault) }),
  'sandbox.setAccess': takes({ state: sandboxAccess }).returns(sandboxAccessState),
  'sandbox.setMatching': takes({ rule: sandboxMatching }).returns({ rule: sandboxMatching }),
  'sandbox.invoicesApp': returns(sandboxInvoicesApp),
  'sandbox.setInvoicesApp': takes({
    recipient: addressText.optional(),
    webhooks: z.array(z.url('Enter a full URL.').max(2000)).max(20, 'At most 20.').optional(),
  }).returns(sandboxInvoicesApp),
  'sandbox.backOnline': takes({ network, webhookId: z.int() }).returns(done),
  /** Sends a request to the endpoint of a webhook like a delivery, but outside the queue. */
  'sandbox.testWebhook': takes({
    network,
    webhookId: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }).returns(shownResponse),
  'sandbox.steps': returns(sandboxSteps),
  'sandbox.doStep': takes({ step: z.enum(['webhook', 'account', 'payment']) }).returns(
    sandboxSteps,
  ),
} as const
