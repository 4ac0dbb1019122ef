import { decodeTokenContent } from '../../ton/jetton-content.ts'
import type { Chain } from '../chain/create-chain.ts'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import { usdtMaster } from '../chain/contracts.ts'
import {
  type Contracts,
  type JettonWallet,
  codeHashOf,
  createAccountBook,
  createContracts,
} from './accounts.ts'
import { addressOf, cellOf, intOf } from './stack.ts'

export type QueryDeps = ReturnType<typeof createQueryDeps>

export function createQueryDeps(chain: Chain, names: ReadonlyMap<string, string>) {
  const usdt = usdtMaster.toRawString()
  return {
    chain,
    contracts: createContracts(chain),
    jettons: createJettons(chain, usdt),
    usdt,
    names,
    book: createAccountBook(chain, names),
  }
}

export type Jetton = NonNullable<Awaited<ReturnType<typeof read>>>

function createJettons(chain: Chain, usdt: string) {
  /** The key is the address and the last transaction, which changes whenever the data does. */
  const cache = new LimitedMap<string, Jetton>(500)

  return {
    async find(master: string): Promise<Jetton | null> {
      const state = chain.account(master)
      if (state === null) return null
      const key = `${master} ${state.lastTransactionLt} ${state.lastTransactionHash}`
      const cached = cache.get(key)
      if (cached !== undefined) return cached
      const jetton = await read(chain, master, master === usdt)
      if (jetton !== null) cache.set(key, jetton)
      return jetton
    },
  }
}

async function read(chain: Chain, master: string, isVerified: boolean) {
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
    ...readMetadata(decodeTokenContent(cell)?.fields ?? {}),
    isVerified,
    walletCodeHash: walletCode.hash().toString('hex'),
  }
}

/** Linked metadata is not loaded, because the sandbox has no network access. */
export function readMetadata(fields: Readonly<Record<string, string | undefined>>) {
  const { name = 'Unknown Token', symbol = 'UKWN', decimals, image = '', description } = fields
  return { name, symbol, decimals: readDecimals(decimals), image, description }
}

/** By TEP-64 the default is 9. */
const readDecimals = (text: string | undefined): number =>
  text !== undefined && /^\d{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) : 9

type ChainContracts = { readonly chain: Chain; readonly contracts: Contracts }

export async function jettonMasters({ chain, contracts }: ChainContracts): Promise<string[]> {
  const masters: string[] = []
  for (const codeHash of chain.codeHashes()) {
    if (!(await contracts.isJettonMasterCode(codeHash))) continue
    masters.push(...chain.accountsByCode(codeHash))
  }
  return masters
}

export type OwnedJetton = { readonly address: string; readonly wallet: JettonWallet }

export async function ownedJettons(owner: string, deps: ChainContracts): Promise<OwnedJetton[]> {
  const owned: OwnedJetton[] = []
  for (const master of await jettonMasters(deps)) {
    const found = await ownedJetton(owner, master, deps)
    if (found !== null) owned.push(found)
  }
  return owned
}

export async function ownedJetton(
  owner: string,
  master: string,
  { chain, contracts }: ChainContracts,
): Promise<OwnedJetton | null> {
  const address = await contracts.walletAddress(master, owner)
  if (address === null || codeHashOf(chain.account(address)) === null) return null
  const wallet = await contracts.jettonWallet(address)
  return wallet?.master === master && wallet.owner === owner ? { address, wallet } : null
}

export function serializeJettonPreview(jetton: Jetton) {
  const { address, name, symbol, decimals, image, description, isVerified } = jetton
  const verification = isVerified ? 'whitelist' : 'none'
  const score = isVerified ? 100 : 0
  return { address, name, symbol, decimals, image, verification, score, description }
}

export function serializeJettonMetadata(jetton: Jetton) {
  const { address, name, symbol, decimals, image, description } = jetton
  return {
    address,
    name,
    symbol,
    description,
    decimals: decimals.toString(),
    image: image === '' ? undefined : image,
  }
}
