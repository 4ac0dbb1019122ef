import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import type { QueryOptions, QueryClient } from '../gateway/query.ts'
import type { TroubleData } from '../gateway/trouble.ts'
import { readLimit } from '../jobs/chunk-size.ts'

/** `lastActivityAt` is in milliseconds; 0 for an account that was never active. */
export type Head = { readonly lt: bigint } | { readonly lastActivityAt: number }

/**
 * The size and kind of bulk request that the gateway accepts. Each gateway with a published limit
 * accepts chunks of 100.
 */
export type AcceptedBulk = { chunk: number; hasLogicalTimes: boolean }

/** Returns times instead of logical times if the server lacks that operation. @throws AppError */
export async function readHeads(
  client: QueryClient,
  addresses: readonly string[],
  queryOptions: QueryOptions,
  accepted: AcceptedBulk,
): Promise<Map<string, Head>> {
  const heads = new Map<string, Head>()
  async function readPart(part: readonly string[]): Promise<[string, Head][]> {
    if (accepted.hasLogicalTimes) {
      try {
        const accounts = await client.rawAccountsBulk(part, queryOptions)
        return accounts.map((each) => [each.address, { lt: BigInt(each.last_transaction_lt) }])
      } catch (error) {
        if (!isUnknown(error)) throw error
        accepted.hasLogicalTimes = false
      }
    }
    const accounts = await client.accountsBulk(part, queryOptions)
    return accounts.map((each) => [each.address, { lastActivityAt: each.last_activity * 1000 }])
  }

  for (let begin = 0; begin < addresses.length;) {
    const part = addresses.slice(begin, begin + accepted.chunk)
    try {
      for (const [address, head] of await readPart(part)) {
        heads.set(address, head)
      }
      begin += part.length
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== gatewayCodes.refused) throw error
      const smaller = readLimit(error.message) ?? Math.floor(part.length / 2)
      if (smaller < 1 || smaller >= part.length) throw error
      accepted.chunk = smaller
    }
  }
  return heads
}

function isUnknown(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const { status } = (error.data ?? {}) as TroubleData
  return status === 404 || status === 405
}
