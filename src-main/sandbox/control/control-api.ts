import { z } from 'zod'
import { accessStates, matchingRules } from '../invoices/invoice.ts'
import { faultSchema } from '../roots.ts'
import { snapshotName } from '../snapshots.ts'
import { maxActivityPerMinute } from '../start-options.ts'
import { payHows } from '../../../src-preload/domain/sandbox-values.ts'
import type { Chain } from '../chain/create-chain.ts'
import type { ExecutedBlock } from '../chain/chain.ts'
import { usdtBalance } from '../chain/contracts.ts'
import { type DevelopmentWallet, tonBalance, walletSeqno } from '../chain/wallets.ts'
import type { DeliveryQueue } from '../deliver/create-delivery-queue.ts'
import type { QueuedDelivery } from '../deliver/delivery-queue.ts'
import type { Actions, Activity } from '../actions.ts'
import type { Webhooks } from '../webhooks/create-webhooks.ts'
import type { Webhook } from '../store/webhooks.ts'

/** Inputs of the control API. Amounts are strings of minimal units. */

const network = z.enum(['mainnet', 'testnet']).default('mainnet')
const units = z
  .string()
  .regex(/^\d{1,30}$/, 'is a whole number of the smallest unit, as a string')
  .transform(BigInt)
  .refine((amount) => amount > 0n, 'is above zero')
const address = z.string().trim().min(1).max(100)
const wallet = z.string().min(1).max(100)
const page = (limit: number) => z.coerce.number().int().min(0).max(limit)

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
  [z.strictObject({ byMs: z.int().min(0) }), z.strictObject({ toNext: z.literal(true) })],
  'requires byMs, a whole number of milliseconds, or toNext: true',
)
export const idleInput = z.strictObject({
  timeoutMs: z.int().min(1).max(600_000).default(30_000),
})
export const snapshotInput = z.strictObject({
  name: z
    .string()
    .trim()
    .regex(snapshotName, 'is 1 to 64 letters, digits, spaces, points and dashes')
    .optional(),
})
export const faultsInput = z.strictObject({ faults: z.array(faultSchema).max(50) })
export const accessInput = z.strictObject({ state: z.enum(accessStates) })
export const matchingInput = z.strictObject({ rule: z.enum(matchingRules) })
export const invoicesAppInput = z.strictObject({
  recipient: z.unknown().optional(),
  webhooks: z.unknown().optional(),
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

type Network = {
  readonly chain: Chain
  readonly queue: DeliveryQueue
  readonly webhooks: Webhooks
  readonly actions: Actions
  readonly activity: Activity
}

export type Networks = Readonly<Record<'mainnet' | 'testnet', Network>>

/** The control API's view of a network. Amounts and logical times are decimal strings. */

export function serializeHead({ chain }: Network) {
  const { seqno, utime } = chain.head()
  return { seqno, utime, transactionCount: chain.transactionCount() }
}

export function serializeWallet(wallet: DevelopmentWallet, chain: Chain) {
  return {
    name: wallet.name,
    address: wallet.address.toRawString(),
    friendly: wallet.address.toString({
      bounceable: false,
      testOnly: chain.network === 'testnet',
    }),
    publicKey: wallet.publicKey.toString('hex'),
    balance: tonBalance(chain, wallet.address).toString(),
    usdt: usdtBalance(chain, wallet.address).toString(),
    seqno: walletSeqno(chain, wallet.address) ?? 0,
  }
}

export function serializeWebhook(
  webhook: Webhook & {
    readonly waiting: number
    readonly retry: ReturnType<DeliveryQueue['retryOf']>
  },
) {
  const { id, endpoint, status, waiting, statusFailedAttempts: failedAttempts, retry } = webhook
  return { id, endpoint, status, waiting, failedAttempts, retry }
}

export function serializeDelivery(delivery: QueuedDelivery, endpoint: string) {
  const { id, target, eventType, accountId, lt, attempts, nextAttemptAt, lastError } = delivery
  return {
    id,
    target,
    endpoint,
    eventType,
    accountId,
    lt: lt?.toString() ?? null,
    attempts,
    nextAttemptAt,
    lastError,
    createdAt: delivery.createdAt,
    body: delivery.body,
  }
}

export function serializeOutcome({ block, transactions }: ExecutedBlock) {
  return {
    transactions: transactions.map(({ hash, account, lt }) => ({
      hash,
      account,
      lt: lt.toString(),
    })),
    block: block.seqno,
  }
}
