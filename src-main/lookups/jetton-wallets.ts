/**
 * Finds jetton wallets and reads their balances from code and data alone, without requests. Runs in
 * a task process, because code and data come from strangers.
 */
import {
  type Slice,
  type TupleItem,
  Address,
  beginCell,
  type Cell,
  CellType,
  contractAddress,
} from '@ton/core'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'
import { readBoc } from '../ton/boc.ts'

/**
 * Code and data are BOCs as text. Libraries are BOCs by hash; null for a library that the gateway
 * does not have.
 */
export type Minter = {
  readonly address: string
  readonly code: string
  readonly data: string
  readonly libraries: Readonly<Record<string, string | null>>
}

type Contract = { readonly address: Address; readonly code: Cell; readonly data: Cell }

type RunMethod = (
  contract: Contract,
  method: string,
  stack: readonly TupleItem[],
) => Promise<{ readonly exitCode: number; readonly stack: readonly TupleItem[] } | null>

export type WalletState = Readonly<Record<'address' | 'owner' | 'code' | 'data', string>>

type WalletBalance =
  /** The amount in minimal units of the jetton. */
  { readonly units: string } | { readonly problem: string }

/** `missing` contains the hashes of libraries to load; the call must then be repeated with them. */
type Attempt<T> = { readonly result: T } | { readonly missing: readonly string[] }

class MissingLibrary extends Error {
  readonly hash: string
  constructor(hash: string) {
    super('a library is missing')
    this.hash = hash
  }
}

class Unreadable extends Error {}

type WalletLayout = {
  /** True if 4 bits of status precede the balance, as in the wallets of USDT. */
  readonly hasStatus: boolean
  /** True if the wallet's data contains its own code as a reference. */
  readonly hasCode: boolean
  /** Number of leading bits that the wallet's address shares with its owner's address; null if none. */
  readonly prefix: number | null
}

const layouts: readonly WalletLayout[] = [null, 8].flatMap((prefix) =>
  [true, false].flatMap((hasCode) =>
    [false, true].map((hasStatus) => ({ hasStatus, hasCode, prefix })),
  ),
)

/** Number of owners, or wallets with the same code, for which the virtual machine must confirm the result. */
const maxSamples = 3
/** The largest amount that a contract can store. */
const maxUnits = 2n ** 120n - 1n
const maxCached = 200

export type JettonWallets = ReturnType<typeof createJettonWallets>

export function createJettonWallets(runMethod: RunMethod) {
  const minters = new LimitedMap<string, ReturnType<typeof createMinter>>(maxCached)

  function minterOf(minter: Minter) {
    const key = JSON.stringify(minter)
    const found = minters.get(key) ?? createMinter(minter, runMethod)
    minters.set(key, found)
    return found
  }

  async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
    try {
      return { result: await work() }
    } catch (error) {
      if (error instanceof MissingLibrary) return { missing: [error.hash] }
      throw error
    }
  }

  return {
    /**
     * Finds the raw addresses of the owners' wallets; null if the minter computes none. Addresses are computed
     * from the wallets' code if the result equals that of `get_wallet_address`, else by running that method.
     */
    find: (minter: Minter, owners: readonly string[]) =>
      attempt(() => minterOf(minter).find(owners)),
    read: (minter: Minter, wallets: readonly WalletState[]) =>
      attempt(() => minterOf(minter).read(wallets)),
  }
}

function createMinter({ address: text, ...minter }: Minter, runMethod: RunMethod) {
  const address = Address.parseRaw(text)
  const balances = new LimitedMap<string, { samples: number; hasStatus: boolean | null }>(maxCached)
  let layout: { readonly of: WalletLayout; readonly code: Cell } | null | undefined

  function cellOf(boc: string, what: string): Cell {
    const cell = readBoc(boc)
    if (cell === null) throw new Unreadable(`The ${what} is not valid.`)
    return cell
  }

  /** Replaces a masterchain library by the code that it names. */
  function runnable(code: Cell): Cell {
    const hash = libraryOf(code)
    if (hash === null) return code
    const library = minter.libraries[hash]
    if (library === undefined) throw new MissingLibrary(hash)
    const cell = readBoc(library)
    if (cell?.hash().toString('hex') === hash) return cell
    throw new Unreadable(`The library ${hash}, which has its code, cannot be loaded.`)
  }

  async function run(contract: Contract, method: string, stack: readonly TupleItem[] = []) {
    try {
      const result = await runMethod(contract, method, stack)
      if (result?.exitCode === 0) return result.stack
      throw new Unreadable(
        `Its method ${method} ends with exit code ${result?.exitCode ?? 'unknown'}.`,
      )
    } catch (error) {
      if (error instanceof Unreadable) throw error
      throw new Unreadable(`Its method ${method} cannot be run: ${messageOf(error)}.`)
    }
  }

  const contract = () => ({
    address,
    code: runnable(cellOf(minter.code, 'code of the minter')),
    data: cellOf(minter.data, 'data of the minter'),
  })

  async function askMinter(owner: Address): Promise<string | null> {
    const cell = beginCell().storeAddress(owner).endCell()
    const [wallet] = await run(contract(), 'get_wallet_address', [{ type: 'slice', cell }])
    return readAddressItem(wallet)?.toRawString() ?? null
  }

  async function findLayout(owners: readonly Address[]) {
    const [, , , , code] = await run(contract(), 'get_jetton_data')
    if (code?.type !== 'cell') return null
    // The wallets' library is loaded with the minter's own, so that reading balances needs no further request.
    const library = libraryOf(code.cell)
    if (library !== null && minter.libraries[library] === undefined) {
      throw new MissingLibrary(library)
    }
    const samples: [Address, string | null][] = []
    for (const owner of owners) samples.push([owner, await askMinter(owner)])
    const found = layouts.find((each) =>
      samples.every(([owner, wallet]) => addressIn(each, code.cell, owner) === wallet),
    )
    return found === undefined ? null : { of: found, code: code.cell }
  }

  function addressIn(
    { hasStatus, hasCode, prefix }: WalletLayout,
    code: Cell,
    owner: Address,
  ): string {
    const data = beginCell()
      .storeUint(0, hasStatus ? 4 : 0)
      .storeCoins(0)
      .storeAddress(owner)
      .storeAddress(address)
    if (hasCode) data.storeRef(code)
    const init = { code, data: data.endCell() }
    if (prefix === null) return contractAddress(0, init).toRawString()
    const { hash } = contractAddress(0, { ...init, splitDepth: prefix })
    hash[0] = owner.hash[0] ?? 0
    return new Address(0, hash).toRawString()
  }

  async function readOne({ owner, ...wallet }: WalletState): Promise<bigint> {
    let kind = balances.get(wallet.code)
    if (kind === undefined) balances.set(wallet.code, (kind = { samples: 0, hasStatus: null }))
    const data = cellOf(wallet.data, 'data of the wallet')
    const isOwn = (found: Address | null, expected: string) => found?.toRawString() === expected
    const direct = (hasStatus: boolean): bigint | null => {
      try {
        const { units, of, by } = readData(data.beginParse(), hasStatus)
        return isOwn(of, owner) && isOwn(by, text) ? units : null
      } catch {
        return null
      }
    }
    if (kind.samples >= maxSamples && kind.hasStatus !== null) {
      const units = direct(kind.hasStatus)
      if (units !== null) return units
    }
    const code = runnable(cellOf(wallet.code, 'code of the wallet'))
    const at = Address.parseRaw(wallet.address)
    const [units, of, by] = await run({ address: at, code, data }, 'get_wallet_data')
    if (units?.type !== 'int' || units.value < 0n || units.value > maxUnits) {
      throw new Unreadable('The wallet reports no valid balance.')
    }
    if (!isOwn(readAddressItem(of), owner) || !isOwn(readAddressItem(by), text)) {
      throw new Unreadable('The contract at the wallet’s address reports another owner or jetton.')
    }
    const same = [false, true].find((hasStatus) => direct(hasStatus) === units.value) ?? null
    kind.hasStatus = kind.samples === 0 || kind.hasStatus === same ? same : null
    kind.samples += 1
    return units.value
  }

  return {
    async find(owners: readonly string[]) {
      const addresses = owners.map((owner) => Address.parseRaw(owner))
      const common = addresses.filter(({ workChain }) => workChain === 0)
      try {
        if (common.length > 0) layout ??= await findLayout(common.slice(0, maxSamples))
      } catch (error) {
        if (error instanceof MissingLibrary) throw error
        layout = null
      }
      const wallets: ({ readonly address: string | null } | { readonly problem: string })[] = []
      for (const owner of addresses) {
        if (layout && owner.workChain === 0) {
          wallets.push({ address: addressIn(layout.of, layout.code, owner) })
        } else {
          wallets.push(await orProblem(async () => ({ address: await askMinter(owner) })))
        }
      }
      return wallets
    },
    async read(wallets: readonly WalletState[]): Promise<WalletBalance[]> {
      const found: WalletBalance[] = []
      for (const wallet of wallets) {
        found.push(await orProblem(async () => ({ units: (await readOne(wallet)).toString() })))
      }
      return found
    },
  }
}

/** The hash of the masterchain library that the cell names; null for an ordinary cell. */
function libraryOf(code: Cell): string | null {
  if (code.type !== CellType.Library) return null
  return code.beginParse(true).skip(8).loadBuffer(32).toString('hex')
}

async function orProblem<T>(work: () => Promise<T>): Promise<T | { readonly problem: string }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message }
    throw error
  }
}

function readData(slice: Slice, hasStatus: boolean) {
  if (hasStatus) slice.skip(4)
  return { units: slice.loadCoins(), of: slice.loadAddress(), by: slice.loadAddress() }
}

function readAddressItem(item: TupleItem | undefined): Address | null {
  if (item?.type !== 'slice' && item?.type !== 'cell') return null
  try {
    return item.cell.beginParse().loadMaybeAddress()
  } catch {
    return null
  }
}
