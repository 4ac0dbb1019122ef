import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Asking, QueryClient } from '../../gateway/query.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import { readLimit } from '../../jobs/chunk-size.ts'

/** The newest there is of an account. */
export type Head =
  | { readonly lt: bigint }
  /** Milliseconds; 0 when it never did anything. */
  | { readonly lastActivityAt: number }

export type ChainHeads = {
  /** How many accounts a request may name, as far as that is known. */
  chunk(): number
  /**
   * One for each, by raw address; by time only where the server does not know the operation that
   * tells logical times.
   * @throws AppError as the client does
   */
  read(
    client: QueryClient,
    addresses: readonly string[],
    asking: Asking,
  ): Promise<Map<string, Head>>
}

/** Taken by every server whose limit is public. */
const firstChunk = 100

/** Of one network. */
export function createChainHeads(): ChainHeads {
  let chunk = firstChunk
  let hasLogicalTimes = true

  async function ask(client: QueryClient, addresses: readonly string[], asking: Asking) {
    if (hasLogicalTimes) {
      try {
        const accounts = await client.rawAccountsBulk(addresses, asking)
        return accounts.map((each): [string, Head] => [
          each.address,
          { lt: BigInt(each.last_transaction_lt) },
        ])
      } catch (error) {
        if (!isUnknown(error)) throw error
        hasLogicalTimes = false
      }
    }
    const accounts = await client.accountsBulk(addresses, asking)
    return accounts.map((each): [string, Head] => [
      each.address,
      { lastActivityAt: each.last_activity * 1000 },
    ])
  }

  async function read(client: QueryClient, addresses: readonly string[], asking: Asking) {
    const heads = new Map<string, Head>()
    for (let begin = 0; begin < addresses.length;) {
      const part = addresses.slice(begin, begin + chunk)
      try {
        for (const [address, head] of await ask(client, part, asking)) heads.set(address, head)
        begin += part.length
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== gatewayCodes.refused) throw error
        const smaller = readLimit(error.message) ?? Math.floor(part.length / 2)
        if (smaller < 1 || smaller >= part.length) throw error
        chunk = smaller
      }
    }
    return heads
  }

  return { chunk: () => chunk, read }
}

function isUnknown(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const { status } = (error.data ?? {}) as TroubleData
  return status === 404 || status === 405
}
