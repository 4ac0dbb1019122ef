/** Manages the jettons of lookups: checks a jetton before its lookup, and finds its wallets. */
import { randomBytes } from 'node:crypto'
import { type LookupJetton, maxLookupJettons } from '../../src-preload/contract/lookup.ts'
import { AppError, messageOf, lookupCodes } from '../../src-preload/domain/app-error.ts'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import type { AppContext } from '../app/context.ts'
import { isMissing, isNotFound, unlessRefused } from '../chain/access.ts'
import type { QueryOptions, QueryClient } from '../gateway/query.ts'
import type { TaskCalls } from '../threads/task-process.ts'
import type { Host } from '../threads/rpc.ts'
import { taskEntry } from '../threads/threads.ts'
import { readAddress } from '../ton/address.ts'
import { readBoc } from '../ton/boc.ts'
import { targetOf, unwrapAddress } from '../ton/pasted-address.ts'
import type { Minter, WalletState } from './jetton-wallets.ts'

type LoadLibrary = (hash: string) => Promise<string | null>

export type CheckedJetton = { readonly jetton: LookupJetton; readonly minter: Minter }

export type LookupJettons = ReturnType<typeof createLookupJettons>

const maxHeapMb = 512
const idleMs = 60_000
const checkedMs = 600_000
const maxChecked = 50
/** Each library costs a request; only a jetton whose wallets have different code needs more than two. */
const maxLibraries = 20
/** Maximum number of characters of a BOC in hex. Minters have a few kilobytes. */
const maxState = 400_000

export function createLookupJettons(context: AppContext) {
  const { now, resources } = context
  const checked = new LimitedMap<string, CheckedJetton & { readonly until: number }>(maxChecked)
  let running: Host<TaskCalls> | null = null
  let idle: NodeJS.Timeout | undefined
  let calls = 0

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const ended = running
    running = null
    await ended?.stop()
  }

  resources.defer(stop)

  /**
   * Calls a function in the task process. @throws AppError LOOKUP_TASK_ENDED, after which a later
   * call starts a new process
   */
  async function inProcess<T>(call: (host: Host<TaskCalls>) => Promise<T>): Promise<T> {
    const host = (running ??= context.startWork(taskEntry, maxHeapMb)<TaskCalls>({}))
    clearTimeout(idle)
    calls += 1
    try {
      return await call(host)
    } catch (error) {
      if (running === host) await stop()
      const message = `The process that computes jetton wallets ended (${messageOf(error)}).`
      throw new AppError(lookupCodes.taskEnded, message, { cause: error })
    } finally {
      calls -= 1
      if (calls === 0) idle = setTimeout(() => void stop(), idleMs).unref()
    }
  }

  /**
   * Repeats a call with the libraries that it reports as missing. @returns the minter with all
   * loaded libraries
   */
  async function withLibraries<T>(
    minter: Minter,
    load: LoadLibrary,
    call: (
      host: Host<TaskCalls>,
      minter: Minter,
    ) => Promise<{ readonly result: T } | { readonly missing: readonly string[] }>,
  ) {
    let known = minter
    for (;;) {
      const response = await inProcess((host) => call(host, known))
      if ('result' in response) return { result: response.result, minter: known }
      known = await addLibraries(known, response.missing, load)
    }
  }

  const find = (minter: Minter, owners: readonly string[], load: LoadLibrary) =>
    withLibraries(minter, load, (host, known) =>
      host.call('findJettonWallets', { minter: known, owners }),
    )

  return {
    find,
    read: (minter: Minter, wallets: readonly WalletState[], load: LoadLibrary) =>
      withLibraries(minter, load, (host, known) =>
        host.call('readJettonWallets', { minter: known, wallets }),
      ),
    /**
     * Sends three requests for a jetton that was not checked in the last ten minutes.
     * @param text the address of the jetton's minter, or a link that contains it
     * @throws AppError LOOKUP_JETTON_REFUSED, or an error of the query client
     */
    async check(network: string, text: string): Promise<CheckedJetton> {
      const address = readAddress(targetOf(unwrapAddress(text.trim())).text)?.raw
      if (address === undefined) {
        const message = 'Enter the address of the jetton’s minter, or a link to the jetton.'
        throw new AppError(lookupCodes.jettonRefused, message)
      }
      const key = `${network} ${address}`
      const known = checked.get(key)
      if (known !== undefined && now() < known.until) return known
      const found = await checkJetton(context, find, network, address)
      checked.set(key, { ...found, until: now() + checkedMs })
      return found
    },
    /** @throws AppError LOOKUP_JETTON_REFUSED, also for too many jettons, or an error of the query client */
    async checkAll(network: string, texts: readonly string[]): Promise<CheckedJetton[]> {
      const all = new Map<string, CheckedJetton>()
      for (const text of texts) {
        const found = await this.check(network, text)
        all.set(found.jetton.address, found)
      }
      if (all.size <= maxLookupJettons) return [...all.values()]
      const message = `A lookup can have at most ${maxLookupJettons} jettons.`
      throw new AppError(lookupCodes.jettonRefused, message)
    },
  }
}

async function checkJetton(
  { access }: Pick<AppContext, 'access'>,
  find: LookupJettons['find'],
  network: string,
  address: string,
): Promise<CheckedJetton> {
  const query = access.query(network)
  const queryOptions = { signal: access.interest(network) }
  const { name } = access.info(network)
  const refuse = (why: string, cause?: unknown) =>
    new AppError(lookupCodes.jettonRefused, `This jetton cannot be looked up. ${why}`, { cause })
  const info = await query.jetton(address, queryOptions).catch((error: unknown) => {
    throw isNotFound(error) ? refuse(`${name} has no jetton at this address.`, error) : error
  })
  const accounts = await query.rawAccountsBulk([address], queryOptions).catch((error: unknown) => {
    const why = `The gateway of ${name} does not return the data of several contracts in one request (POST /v2/blockchain/accounts/_bulk).`
    throw isMissing(error) ? refuse(why, error) : error
  })
  const state = accounts.find((each) => readAddress(each.address)?.raw === address)
  const { code, data } = state ?? {}
  if (!code || !data) throw refuse('Its minter has no code.')
  if (code.length + data.length > maxState) throw refuse('The data of its minter is too large.')
  const owner = `0:${randomBytes(32).toString('hex')}`
  const load = (hash: string) => unlessRefused(query.library(hash, queryOptions))
  const located = await find({ address, code, data, libraries: {} }, [owner], load)
  const [wallet] = located.result
  if (wallet === undefined || 'problem' in wallet) throw refuse(wallet?.problem ?? '')
  const reported = await reportedWallet(query, address, owner, queryOptions)
  if (wallet.address === null || wallet.address !== reported) {
    const computed = wallet.address ?? 'none'
    throw refuse(
      `The wallet computed on this computer (${computed}) is not the one that the gateway reports (${reported ?? 'none'}), so that balances would be wrong.`,
    )
  }
  const { symbol, decimals, name: jettonName } = info.metadata
  return {
    jetton: {
      address,
      symbol: clean(symbol) || 'jetton',
      name: clean(jettonName),
      decimals,
      verification: info.verification,
      ...(info.scaled_ui && { scale: info.scaled_ui }),
    },
    minter: located.minter,
  }
}

async function addLibraries(
  minter: Minter,
  missing: readonly string[],
  load: LoadLibrary,
): Promise<Minter> {
  const libraries: Record<string, string | null> = { ...minter.libraries }
  for (const hash of missing) {
    const isTooMany = Object.keys(libraries).length >= maxLibraries
    libraries[hash] = isTooMany ? null : await load(hash)
  }
  return { ...minter, libraries }
}

/** Requests the owner's wallet, which the gateway computes with the minter's get method. */
async function reportedWallet(
  query: QueryClient,
  minter: string,
  owner: string,
  queryOptions: QueryOptions,
) {
  const args = [{ type: 'slice', value: owner }] as const
  const { success, stack } = await query.runMethod(minter, 'get_wallet_address', args, queryOptions)
  const [first] = stack
  const { cell, slice } = (first ?? {}) as { readonly cell?: unknown; readonly slice?: unknown }
  const boc = cell ?? slice
  if (!success || typeof boc !== 'string') return null
  try {
    return readBoc(boc)?.beginParse().loadMaybeAddress()?.toRawString() ?? null
  } catch {
    return null
  }
}

const maxName = 64

/** Names must fit on one line, because they are in column headers and in lists of changes. */
const clean = (text: string): string =>
  text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .slice(0, maxName)
    .trim()
