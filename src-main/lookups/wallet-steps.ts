/** Reads the balances of jettons in a lookup: computes the address of each wallet, then reads its state. */
import { formatAssetAmount } from '../../src-preload/domain/amount.ts'
import type { RawAccountResponse } from '../gateway/query-responses.ts'
import { rawAddress } from '../ton/address.ts'
import type { Minter } from './jetton-wallets.ts'
import type { LookupJettons } from './jettons.ts'
import type { Item, Piece } from './pieces.ts'
import type { JobRecord, LookupJobTable } from './store/lookup-jobs.ts'
import type { LineResults, LookupLines, WalletResult } from './store/lookup-lines.ts'

/** The results of one piece; `missing` contains the items that the response omitted. */
export type PieceResults = Partial<LineResults> & {
  readonly missing: readonly Item[]
  /** Number of accounts in the response. */
  readonly returned: number
}

const noWallet = 'The jetton’s minter computes no wallet for this address.'
export const leftOutProblem = 'Two responses of the gateway did not contain this address.'
export const noBalance = 'The balance that the gateway returned is not valid.'

export function toResult(
  { index, place, owner, address }: Item,
  problem: string | null,
): WalletResult {
  const wallet = owner === '' ? null : address
  return { index, place: place ?? 0, wallet, balance: null, problem, change: null }
}

/** The first and the last index in a piece. */
export const endsOf = (waiting: readonly Item[]) =>
  [waiting[0]?.index ?? 0, waiting.at(-1)?.index ?? 0] as const

/** @param load loads the code of a library by its hash */
export function createWalletSteps(
  job: JobRecord,
  jettons: ReturnType<LookupJobTable['jettons']>,
  lines: LookupLines,
  table: LookupJobTable,
  wallets: LookupJettons,
  load: (hash: string) => Promise<string | null>,
) {
  /** Groups items by jetton, and stores the libraries that the jetton needed. */
  async function ofEachJetton<I extends { readonly place: number | null }>(
    items: readonly I[],
    call: (jetton: (typeof jettons)[number], some: readonly I[]) => Promise<Minter>,
  ): Promise<void> {
    for (const [place, jetton] of jettons.entries()) {
      const some = items.filter((item) => item.place === place)
      if (some.length === 0) continue
      const minter = await call(jetton, some)
      if (minter === jetton.minter) continue
      jettons[place] = { ...jetton, minter }
      table.setLibraries(job.id, place, minter.libraries)
    }
  }

  /** Adds the change since the lookup that is compared. */
  function toBalance(item: Item, units: bigint, before: bigint | undefined): WalletResult {
    const asset = jettons[item.place ?? -1]?.jetton
    const isChanged = before !== undefined && before !== units && asset !== undefined
    const sign = isChanged && units > before ? '+' : ''
    const change = isChanged
      ? `${asset.symbol} ${sign}${formatAssetAmount(units - before, asset)}`
      : null
    return { ...toResult(item, null), balance: units.toString(), change }
  }

  return {
    /**
     * Replaces owners by their wallets. If the minter computes no wallet for an owner, the item
     * gets a problem.
     */
    async find(items: readonly Item[]) {
      const found = new Map<Item, string>()
      const problems: WalletResult[] = []
      await ofEachJetton(items, async ({ minter }, some) => {
        const owners = some.map(({ address }) => address ?? '')
        const response = await wallets.find(minter, owners, load)
        for (const [at, item] of some.entries()) {
          const one = response.result[at] ?? { problem: noWallet }
          const address = 'address' in one ? one.address : null
          if (address !== null) found.set(item, address)
          else problems.push(toResult(item, 'problem' in one ? one.problem : noWallet))
        }
        return response.minter
      })
      const waiting = items.flatMap((item) => {
        const address = found.get(item)
        return address === undefined ? [] : [{ ...item, owner: item.address ?? '', address }]
      })
      return { problems, waiting }
    },
    async read(
      { waiting, isSecondTry }: Piece,
      accounts: readonly RawAccountResponse[],
    ): Promise<PieceResults> {
      const found = new Map<string, RawAccountResponse>()
      for (const each of accounts) found.set(rawAddress(each.address), each)
      const missing = waiting.filter(({ address }) => !found.has(address ?? ''))
      const results = isSecondTry ? missing.map((item) => toResult(item, leftOutProblem)) : []
      const earlier = lines.walletBalances(job.comparedTo, ...endsOf(waiting))
      const keep = (item: Item, units: bigint) =>
        results.push(toBalance(item, units, earlier.get(`${item.index} ${item.place}`)))
      const states = waiting.flatMap((item) => {
        const { status, code, data } = found.get(item.address ?? '') ?? {}
        if (status === undefined) return []
        if (status === 'active' && code && data) {
          const address = item.address ?? ''
          return [{ ...item, state: { address, owner: item.owner, code, data } }]
        }
        if (status === 'nonexist' || status === 'uninit') keep(item, 0n)
        else results.push(toResult(item, `The wallet is ${status} and has no readable balance.`))
        return []
      })
      await ofEachJetton(states, async ({ minter }, some) => {
        const inputs = some.map(({ state }) => state)
        const response = await wallets.read(minter, inputs, load)
        for (const [at, item] of some.entries()) {
          const one = response.result[at] ?? { problem: noBalance }
          if ('units' in one) keep(item, BigInt(one.units))
          else results.push(toResult(item, one.problem))
        }
        return response.minter
      })
      return { wallets: results, missing, returned: accounts.length }
    },
  }
}
