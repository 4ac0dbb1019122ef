/** The format of a scenario file. Its JSON Schema is published as docs/schemas/scenario.schema.json. */
import { z } from 'zod'
import { faultSchema, policyChange } from '../../../src-preload/contract/sandbox-control.ts'
import { payHows } from '../../../src-preload/domain/sandbox-values.ts'

export const maxSteps = 10_000

export const families = [
  'forged-value',
  'forged-delivery',
  'delivery-reality',
  'invoices',
  'numbers-and-time',
] as const

const text = z.string().max(10_000)
/** Digits or a variable; a larger whole number must be a text, because JSON numbers end at 2^53. */
const whole = z.union([z.int().transform(String), text])
const label = z.string().regex(/^[A-Za-z][\w-]{0,63}$/, 'is a name of letters, digits and dashes')
const network = z.enum(['mainnet', 'testnet']).default('mainnet')
const currency = text.default('TON')
const wallet = text.default('wallet-1')
const responseStatus = z.union([z.int(), z.string().regex(/^([1-5]\d\d|[1-5]xx)$/)])
const statuses = z.union([responseStatus, z.array(responseStatus).min(1)])
const headers = z.record(z.string(), text).default({})
const limitMs = z.int().min(1).max(600_000)
const optionalText = text.optional()
const optionalLabel = label.optional()
const metadata = z.strictObject({
  name: text.default('Tether USD'),
  symbol: text.default('USDT'),
  decimals: whole.default('6'),
  image: text.default(''),
})

/** Steps other than `check`. Each step has exactly one of these keys. */
const stepShape = {
  send: z.strictObject({
    from: wallet,
    to: text.default('merchant'),
    amount: whole,
    currency,
    comment: optionalText,
    notification: z.strictObject({ amount: whole, sender: text, comment: optionalText }).optional(),
    body: optionalText,
    bounce: z.boolean().default(false),
    mode: z.int().min(0).max(255).default(3),
    network,
    as: optionalLabel,
  }),
  deploy: z.strictObject({
    from: wallet,
    contract: optionalText,
    jetton: metadata.optional(),
    mint: z.strictObject({ to: text, amount: whole }).optional(),
    as: optionalLabel,
  }),
  invoice: z.strictObject({
    amount: whole,
    currency: z.enum(['TON', 'USDT']).default('TON'),
    seconds: z.int().min(1).default(900),
    description: optionalText,
    as: label.default('invoice'),
  }),
  pay: z.strictObject({
    invoice: label.default('invoice'),
    how: z.enum(payHows).default('exact'),
    amount: whole.optional(),
    from: wallet,
    as: optionalLabel,
  }),
  advance: z.union([z.int().min(0), z.string().regex(/^(\d+(ms|s|m|h|d)|next)$/)]),
  idle: z.strictObject({ timeoutMs: limitMs.optional() }),
  wait: z.strictObject({
    ms: z.int().min(0).max(60_000).optional(),
    forwarded: z.int().min(1).optional(),
    invoice: optionalLabel,
    status: optionalText,
    webhook: z.enum(['online', 'offline', 'suspended']).optional(),
    timeoutMs: limitMs.default(10_000),
  }),
  deliver: z.strictObject({
    of: optionalLabel,
    held: z.enum(['same', 'reverse', 'shuffle']).optional(),
    body: z.unknown().optional(),
    text: optionalText,
    set: z.record(z.string(), z.unknown()).default({}),
    remove: z.array(z.string()).default([]),
    token: z.enum(['right', 'none', 'wrong', 'old', 'other', 'other-case']).default('right'),
    headers,
    count: z.int().min(1).max(1000).default(1),
    parallel: z.boolean().default(false),
    as: optionalLabel,
  }),
  fault: z.strictObject({
    gateway: z.array(faultSchema).max(50).optional(),
    deliveries: z.enum(['pass', 'lose', 'hold', 'refuse', 'cut', 'twice']).optional(),
    policy: policyChange.optional(),
    webhook: z.enum(['back-online', 'rotate-token']).optional(),
  }),
  restart: z.strictObject({
    signal: z.enum(['SIGKILL', 'SIGTERM']).default('SIGKILL'),
    only: z.enum(['stop', 'start']).optional(),
  }),
  call: z.strictObject({
    api: z.enum(['query', 'webhooks', 'invoices']).optional(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
    path: text.default('/'),
    body: z.unknown().optional(),
    headers,
    save: z.record(label, text).default({}),
    command: optionalText,
    as: optionalLabel,
  }),
  mark: z.strictObject({}),
}

const expectationShape = {
  probe: z.union([text, z.array(text).min(1).max(20)]),
  response: label,
  deliveries: z.strictObject({ of: optionalLabel, type: optionalText }),
  calls: z.strictObject({
    root: optionalText,
    method: optionalText,
    path: optionalText,
    status: responseStatus.optional(),
    of: optionalLabel,
  }),
  balance: z.strictObject({ account: text.default('merchant'), currency }),
  messages: z.strictObject({ from: text.default('merchant'), to: text.optional() }),
}

const value = z.union([text, z.number().transform(String), z.boolean().transform(String), z.null()])
const comparisonShape = {
  is: value,
  not: value,
  oneOf: z.array(value),
  contains: text,
  atLeast: whole,
  atMost: whole,
  count: whole,
  change: whole,
  changeAtLeast: whole,
  changeAtMost: whole,
  status: statuses,
}
export type Comparison = keyof typeof comparisonShape
export const comparisonNames = Object.keys(comparisonShape) as Comparison[]

const oneKey = (shape: object, found: object) =>
  Object.keys(found).filter((key) => Object.hasOwn(shape, key)).length === 1

const subjects = Object.keys(expectationShape).join(', ')
const expectation = z
  .strictObject({ ...expectationShape, ...comparisonShape, finding: text })
  .partial()
  .refine((found) => oneKey(expectationShape, found), `needs exactly one of ${subjects}`)
  .refine(
    (found) => Object.keys(found).some((key) => Object.hasOwn(comparisonShape, key)),
    `needs a comparison: ${comparisonNames.join(', ')}`,
  )
export type Expectation = z.output<typeof expectation>

const kinds = { ...stepShape, check: z.array(expectation).min(1).max(100) }
const step = z
  .strictObject({ ...z.strictObject(kinds).partial().shape, times: z.int().min(1).max(maxSteps) })
  .partial()
  .refine((found) => oneKey(kinds, found), `needs exactly one of ${Object.keys(kinds).join(', ')}`)
export type Steps = { readonly [Kind in keyof typeof kinds]: z.output<(typeof kinds)[Kind]> }

const variable = z.union([whole, z.strictObject({ from: whole, to: whole })])

export const scenarioSchema = z.strictObject({
  name: z.string().min(1).max(300),
  family: z.enum(families).optional(),
  severity: z.enum(['critical', 'high', 'medium', 'low']).default('medium'),
  why: text.default(''),
  example: z.strictObject({ text, url: z.url() }).optional(),
  fix: text.default(''),
  evidence: text.optional(),
  seed: z.string().max(64).optional(),
  clock: z.iso.datetime({ offset: true }).optional(),
  seedFile: z.string().max(1000).optional(),
  target: z.url().optional(),
  variables: z.record(label, variable).default({}),
  settle: z
    .strictObject({
      timeoutMs: z.int().min(0).max(60_000).default(2_000),
      quietMs: z.int().min(0).max(60_000).default(150),
    })
    .default({ timeoutMs: 2_000, quietMs: 150 }),
  steps: z.array(step).max(maxSteps),
  expect: z.array(expectation).min(1).max(1_000),
})

/** A scenario with its id, which is the name of its file. */
export type Scenario = z.output<typeof scenarioSchema> & { readonly id: string }

/** The part of another file that `seedFile` names. */
export const seedFileSchema = scenarioSchema.partial({ expect: true })

export const scenarioJsonSchema = () => ({
  title: 'A scenario of tondesk-sandbox',
  ...z.toJSONSchema(scenarioSchema, { io: 'input' }),
})
