import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { SearchTarget } from '../../src-preload/contract/chain.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { formatFriendly } from '../ton/address.ts'
import { readAddressRange } from '../ton/address-range.ts'
import { type ExplorerContext, isAmbiguous, offlineReason, unlessRefused } from './chain-access.ts'
import { type Candidate, maxCandidates, readSearchText } from './search-text.ts'
import type { StoredChain } from './stored-chain.ts'

type Found = { readonly targets: readonly SearchTarget[]; readonly problem: string | null }

const maxNames = 10

export function createSearch(
  context: ExplorerContext,
  stored: StoredChain,
): Handlers['search.find'] {
  return async function find({ network, text }) {
    const read = readSearchText(text)
    const search = createResolver(context, stored, network)
    const linkNetwork = otherNetwork(read.network, context.access.info(network), network)
    // The same hash or address may belong to something else on this network.
    if (linkNetwork !== null) {
      const problem = 'This link is for another network, so it was not looked up here.'
      return { network, targets: [], problem, linkNetwork }
    }
    const candidates = read.candidates.slice(0, maxCandidates)
    const isExact = candidates.some(({ kind }) => kind === 'hash' || kind === 'account')
    const found = await Promise.all(candidates.map((candidate) => search.resolve(candidate)))
    const named = isExact ? [] : search.byLabel(text)
    const guessed =
      candidates.length === 0 && read.problems.length === 0 ? await search.byName(text) : nothing
    const targets = distinct([...named, ...[...found, guessed].flatMap(({ targets }) => targets)])

    // Eight digits need not be an invoice's id, so a missing invoice is reported only without other
    // results.
    const reported = found.filter(
      (_, index) => candidates[index]?.kind !== 'invoice' || targets.length === 0,
    )
    const problems = [
      ...read.problems,
      ...[...reported, ...(targets.length === 0 ? [guessed] : [])].map((each) => each.problem),
      read.candidates.length > maxCandidates &&
        `Only the first ${maxCandidates} were looked up; for more, use the bulk lookup.`,
    ]
    const problem = [...new Set(problems)].filter(Boolean).join(' ') || null
    return { network, targets, problem, linkNetwork: null }
  }
}

const nothing: Found = { targets: [], problem: null }

function otherNetwork(
  named: string | null,
  info: { readonly kind: string; readonly testOnly: boolean },
  network: string,
): string | null {
  if (named === null || named === network) return null
  // A custom gateway may serve a public network.
  const isServedHere = info.kind === 'custom' && named === (info.testOnly ? 'testnet' : 'mainnet')
  return isServedHere ? null : named
}

function createResolver({ access, labels }: ExplorerContext, chain: StoredChain, network: string) {
  const info = access.info(network)
  const signal = access.interest(network)

  async function tolerate(lookUp: () => Promise<Found>): Promise<Found> {
    try {
      return await lookUp()
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) return { targets: [], problem: error.message }
      throw error
    }
  }

  function account(address: string, name?: string): SearchTarget {
    const title =
      labels.namesOf(network, [address]).get(address) ??
      name ??
      short(formatFriendly(address, { bounceable: true, testOnly: info.testOnly }))
    return { kind: 'account', address, title }
  }

  async function byHash(hash: string): Promise<Found> {
    const stored = chain.find(network, hash)
    const known = stored === null ? null : single(transaction(stored.transaction.hash, hash))
    // A transaction stays on its chain, except on the sandbox, whose chain can be reverted.
    if (known !== null && info.kind !== 'sandbox') return known
    try {
      return await fetchByHash(hash)
    } catch (error) {
      if (known === null || offlineReason(error) === null) throw error
      return known
    }
  }

  async function fetchByHash(hash: string): Promise<Found> {
    const query = access.query(network)
    const found = await unlessRefused(query.transaction(hash, { signal })).catch(
      (error: unknown) => {
        if (!isAmbiguous(error)) throw error
        const message = `Several transactions belong to the message ${short(hash)}. Paste the hash of one of them.`
        throw new AppError(chainCodes.ambiguous, message)
      },
    )
    if (found !== null) return single(transaction(found.hash, hash))
    const addresses = [`0:${hash}`, `-1:${hash}`]
    const accounts = await query.accountsBulk(addresses, { signal })
    const targets = accounts
      .filter(({ status }) => status !== 'nonexist')
      .map(({ address, name }) => account(address, name ?? undefined))
    if (targets.length > 0) return { targets, problem: null }
    return missing(
      `${info.name} has no transaction, message or account ${short(hash)}. If it is new, ` +
        'try again in a few seconds; if it is on another network, choose that network.',
    )
  }

  async function byDomain(name: string): Promise<Found> {
    const record = await unlessRefused(access.query(network).dnsResolve(name, { signal }))
    const address = record?.wallet?.address
    if (address !== undefined) return single(account(address, name))
    return missing(`${name} resolves to no wallet on ${info.name}.`)
  }

  async function byBlock(id: string): Promise<Found> {
    const block = await unlessRefused(access.query(network).block(id, { signal }))
    if (block === null) return missing(`${info.name} has no block ${id}.`)
    const where = block.workchain_id === -1 ? 'masterchain' : `shard ${block.shard}`
    return single({ kind: 'block', id, title: `Block ${block.seqno} of the ${where}` })
  }

  async function byInvoice(id: string): Promise<Found> {
    const invoice = await unlessRefused(access.invoices(network).get(id, { signal }))
    if (invoice === null) return missing(`There is no invoice ${id} on ${info.name}.`)
    return single({ kind: 'invoice', id, title: `Invoice ${id}, ${invoice.status}` })
  }

  function byAddress(address: string, isTestOnly: boolean | null): Promise<Found> {
    const isOfAnother = isTestOnly !== null && isTestOnly !== info.testOnly
    const mark = isTestOnly === true ? 'is marked for test networks' : 'is for Mainnet'
    const problem = `This form of the address ${mark}; on ${info.name} it may belong to another account, or to none.`
    return Promise.resolve({
      targets: [account(address)],
      problem: isOfAnother ? problem : null,
    })
  }

  const resolvers = {
    ...{ hash: byHash, account: byAddress, domain: byDomain, block: byBlock, invoice: byInvoice },
  }

  return {
    resolve({ kind, id, isTestOnly }: Candidate): Promise<Found> {
      return tolerate(() => resolvers[kind](id, isTestOnly))
    },
    byLabel(text: string): SearchTarget[] {
      const search = { part: text, range: readAddressRange(text) }
      const { labels: found } = labels.list(network, search, { offset: 0, limit: maxNames })
      return found.map(({ address, name }) => ({ kind: 'account', address, title: name }))
    },
    byName(text: string): Promise<Found> {
      return tolerate(async () => {
        const none = missing(
          `Nothing on ${info.name} is called ${JSON.stringify(short(text))}. Paste the hash of a ` +
            'transaction or message, an address, a .ton domain, a block, an invoice or a link.',
        )
        // The service accepts 3 to 15 characters.
        if (text.length < 3 || text.length > 15) return none
        const found = await access.query(network).searchAccounts(text, { signal })
        const targets = found.slice(0, maxNames).map((each) => account(each.address, each.name))
        return targets.length > 0 ? { targets, problem: null } : none
      })
    },
  }
}

function transaction(hash: string, request: string): SearchTarget {
  const title =
    hash === request ? `Transaction ${short(hash)}` : `Transaction of message ${short(request)}`
  return { kind: 'transaction', hash, title }
}

function single(target: SearchTarget): Found {
  return { targets: [target], problem: null }
}

function missing(problem: string): Found {
  return { targets: [], problem }
}

function short(text: string): string {
  return text.length > 20 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text
}

function distinct(targets: readonly SearchTarget[]): SearchTarget[] {
  const keys = targets.map((target) => `${target.kind} ${keyOf(target)}`)
  return targets.filter((_, index) => keys.indexOf(keys[index] ?? '') === index)
}

function keyOf(target: SearchTarget): string {
  if (target.kind === 'transaction') return target.hash
  return target.kind === 'account' ? target.address : target.id
}
