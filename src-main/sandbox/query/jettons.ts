import type { Cell } from '@ton/core'
import { type TokenContent, decodeTokenContent } from '../../ton/jetton-content.ts'
import type { Chain } from '../chain/chain.ts'
import { createRecent } from '../recent.ts'
import { addressOf, cellOf, intOf } from './stack.ts'

export type Jetton = {
  /** Of its master; raw. */
  readonly address: string
  readonly isMintable: boolean
  readonly totalSupply: bigint
  readonly admin: string | null
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly image: string
  readonly description: string | null
  readonly isVerified: boolean
  /** Of its wallets; 64 hex. */
  readonly walletCodeHash: string
}

/** Jettons as their masters describe themselves on the chain. */
export type Jettons = {
  /** Null when there is no jetton master. */
  find(master: string): Promise<Jetton | null>
}

/** @param usdt raw address of the one jetton that is vouched for */
export function createJettons(chain: Chain, usdt: string): Jettons {
  /** By address and last transaction: only a transaction can change what a master says. */
  const known = createRecent<Jetton>(500, () => 1)

  return {
    async find(master) {
      const state = chain.account(master)
      if (state === null) return null
      const key = `${master} ${state.lastTransactionLt} ${state.lastTransactionHash}`
      const before = known.get(key)
      if (before !== null) return before
      const jetton = await read(chain, master, master === usdt)
      if (jetton !== null) known.put(key, jetton)
      return jetton
    },
  }
}

async function read(chain: Chain, master: string, isVerified: boolean): Promise<Jetton | null> {
  const result = await chain.runMethod(master, 'get_jetton_data', [])
  if (result?.exitCode !== 0) return null
  const [supply, mintable, admin, content, code] = result.stack
  const totalSupply = intOf(supply)
  const cell = cellOf(content)
  const walletCode = cellOf(code)
  if (totalSupply === null || cell === null || walletCode === null) return null
  return {
    address: master,
    isMintable: intOf(mintable) !== 0n,
    totalSupply,
    admin: addressOf(admin),
    ...readMetadata(cell),
    isVerified,
    walletCodeHash: walletCode.hash().toString('hex'),
  }
}

/** What lies behind a link is not fetched: the sandbox has no network. */
function readMetadata(cell: Cell) {
  const content: TokenContent = decodeTokenContent(cell) ?? { uri: null, fields: {} }
  const { name, symbol, decimals, image, description } = content.fields
  return {
    name: name ?? 'Unknown Token',
    symbol: symbol ?? 'UKWN',
    decimals: readDecimals(decimals),
    image: image ?? '',
    description: description ?? null,
  }
}

/** TEP-64: 9 where it is not said. */
function readDecimals(text: string | undefined): number {
  return text !== undefined && /^\d{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) : 9
}
