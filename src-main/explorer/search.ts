import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { SearchTarget } from '../../src-preload/contract/chain/search.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { formatFriendly, readAddress, whyNoAddress } from '../ton/address.ts'
import { readAddressRange } from '../ton/address-range.ts'
import { type ExplorerContext, isAmbiguous, offlineReason, unlessRefused } from '../chain/access.ts'
import { createAccountRecords } from '../chain/store/chain.ts'
import type { QueryClient } from '../gateway/query.ts'
import type { StoredChain } from './transactions/stored-chain.ts'
import { decodePart } from '../ton/pasted-address.ts'
import { parseMessage, readBoc } from '../ton/boc.ts'
import { normalizedMessageHash, readHash } from '../ton/hash.ts'

type Candidate = {
  readonly kind: 'hash' | 'account' | AssetKind | 'domain' | 'block' | 'invoice' | 'boc'
  /**
   * A hash of a transaction, a message or an account without its workchain, as 64 lower-case hex
   * digits; a raw address; a name; `(workchain,shard,seqno)`; an invoice's id; for a BOC, the
   * possible hashes of its message or transaction, separated by a space.
   */
  readonly id: string
  /** Null for anything other than a friendly address. */
  readonly isTestOnly: boolean | null
}

const assetKinds = ['jetton', 'nft', 'collection'] as const
type AssetKind = (typeof assetKinds)[number]

const maxCandidates = 20

const longestToken = 200

export function readSearchText(text: string) {
  const whole = text.trim()
  const links = whole.split(/\s+/).filter(isLink).map(readLink)
  const tokens = blockForm.test(whole) ? [whole] : whole.split(/[\s;"'<>]+|,(?![^()]*\))/)
  const plain = tokens.filter((token) => token !== '' && !isLink(token))
  const candidates = [
    ...links.flatMap(({ parts, assetKind }) => partsOf(parts, assetKind)),
    ...plain.flatMap((token) => classify(token)),
  ]
  const suspects = [...links.flatMap(({ parts }) => parts), ...plain]
  return {
    candidates: [...new Map(candidates.map((each) => [`${each.kind} ${each.id}`, each])).values()],
    problems: suspects.flatMap((token) => problemOf(token) ?? []),
    network: links.find(({ network }) => network !== null)?.network ?? null,
  }
}

function classify(token: string): Candidate[] {
  if (bocStart.test(token)) return classifyBoc(token)
  if (token.length > longestToken) return []
  const named = classifyPart(token)
  if (named.length > 0 && named[0]?.kind !== 'invoice') return named
  if (!/^\d{1,10}$/.test(token)) return named
  const id = `(-1,8000000000000000,${Number(token)})`
  return [...named, { kind: 'block', id, isTestOnly: null }]
}

const bocStart = /^(?:b5ee9c72[0-9a-f]|te6cc[A-Za-z0-9+/_-])/i

/**
 * Recognizes a transaction or a message as a BOC. The networks know an external message by its
 * normalized hash too.
 */
function classifyBoc(token: string): Candidate[] {
  const cell = readBoc(token.replaceAll('-', '+').replaceAll('_', '/'))
  if (cell === null) return []
  const hashes = new Set([cell.hash().toString('hex')])
  try {
    hashes.add(normalizedMessageHash(parseMessage(cell)))
  } catch {
    // Bytes that are no message may be a transaction, whose hash is the hash of its cell.
  }
  return [{ kind: 'boc', id: [...hashes].join(' '), isTestOnly: null }]
}

/** A plain number is no block, because links contain logical times and page numbers. */
function classifyPart(token: string): Candidate[] {
  const is = (kind: Candidate['kind'], id: string, isTestOnly: boolean | null = null) => [
    { kind, id, isTestOnly },
  ]
  const hash = readHash(token.replace(/^0x(?=[0-9a-fA-F]{64}$)/, ''))
  if (hash !== null) return is('hash', hash)
  const account = readAddress(token)
  if (account !== null) {
    return is('account', account.raw, account.form === 'raw' ? null : account.isTestOnly)
  }
  const block = blockForm.exec(token)
  if (block !== null) {
    const [, workchain, shard = '', seqno] = block
    return is('block', `(${workchain},${shard.toLowerCase()},${seqno})`)
  }
  if (domainForm.test(token)) return is('domain', token.toLowerCase())
  return invoiceForm.test(token) ? is('invoice', token.toLowerCase()) : []
}

const blockForm =
  /^\(?(-1|0)\s*[,:]\s*([0-9a-fA-F]{16})\s*[,:]\s*(\d{1,10})(?:\s*[,:]\s*[0-9a-fA-F]{64}){0,2}\)?$/
const domainForm = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+(?:ton|t\.me)$/i
const invoiceForm = /^(?:[0-9a-f]{8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

function isLink(token: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(token) || /^#\//.test(token) || hostForm.test(token)
}

const hostForm = /^(?!(?:.*\.)?t\.me$)(?:[a-z0-9-]+\.)+(?!ton$)[a-z]{2,}(?::\d+)?\/\S/i

function readLink(text: string) {
  const [, host = '', rest = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)(.*)$/is.exec(text) ?? []
  const parts = rest.split(/[/?&=#]+/).flatMap((part) => {
    const decoded = decodePart(part)
    // Older explorers join logical time, hash and address with colons.
    const pieces = classifyPart(decoded).length === 0 ? decoded.split(':') : [decoded]
    return pieces.filter((piece) => piece !== '')
  })
  const named = /[?&]network=([a-z0-9-]+)/i.exec(rest)?.[1]
  // Pages on tonscan.org and Tondesk's own links have this form of address.
  const asset = /(?:^|\/)(jetton|nft|collection)\/[^/?#]+/i.exec(rest)?.[1]?.toLowerCase()
  const assetKind = (asset ?? null) as AssetKind | null
  return { parts, network: named ?? networkOfHost(host), assetKind }
}

/** Public explorers show Mainnet, or Testnet if the host name contains `testnet`. */
const explorers =
  /(^|\.)(tonviewer\.com|tonscan\.org|tonscan\.com|explorer\.toncoin\.org|dton\.io|retracer\.ton\.org|toncx\.com|actonscan\.\w+|tonwhales\.com|ton\.cx|tonapi\.io)$/i

function networkOfHost(host: string): string | null {
  const name = host.replace(/:\d+$/, '')
  if (/(^|\.|-)(testnet|test)[.-]/i.test(name)) return 'testnet'
  return explorers.test(name) ? 'mainnet' : null
}

function partsOf(parts: readonly string[], assetKind: AssetKind | null): Candidate[] {
  const found = parts
    .flatMap(classifyPart)
    .map((each) =>
      each.kind === 'account' && assetKind !== null ? { ...each, kind: assetKind } : each,
    )
  return found.toSorted((one, other) => Number(other.kind === 'hash') - Number(one.kind === 'hash'))
}

const friendlyStart = /^(?:EQ|Ef|UQ|Uf|kQ|kf|0Q|0f)[A-Za-z0-9_+/-]{34,60}$/
const rawLike = /^-?\d{1,11}:[0-9a-fA-F]{32,}$/
const hexLike = /^(?:0x)?[0-9a-fA-F]{50,80}$/

function problemOf(token: string): string | null {
  if (bocStart.test(token)) {
    return classifyBoc(token).length > 0
      ? null
      : `${token.slice(0, 12)}… begins like a BOC but is not a valid one. It may be cut off.`
  }
  if (token.length > longestToken || classifyPart(token).length > 0) return null
  const shown = `${token.slice(0, 12)}…`
  const isFriendlyLike = friendlyStart.test(token)
  if (isFriendlyLike && token.length !== 48) {
    return `${shown} begins like an address but has ${token.length} characters instead of 48.`
  }
  const isWhole = /^[A-Za-z0-9+/_-]{48}$/.test(token) || rawLike.test(token)
  if (isWhole) return `${shown} is not a valid address: ${whyNoAddress(token) ?? ''}.`
  if (hexLike.test(token)) {
    const digits = token.replace(/^0x/, '').length
    return `${shown} looks like a hash but has ${digits} hexadecimal digits instead of 64.`
  }
  return null
}

type Found = { readonly targets: readonly SearchTarget[]; readonly problem: string | null }

const maxNames = 10

export function createSearch(
  context: ExplorerContext,
  stored: StoredChain,
): Handlers['search.find'] {
  const accounts = createAccountRecords(context.database)
  return async function find({ network, text }) {
    const read = readSearchText(text)
    const { access, labels } = context
    const info = access.info(network)
    const linkNetwork = otherNetwork(read.network, info, network)
    // The same hash or address may belong to another object on this network.
    if (linkNetwork !== null) {
      const problem = 'This link is for another network, so it was not looked up here.'
      return { network, targets: [], problem, linkNetwork }
    }
    const candidates = read.candidates.slice(0, maxCandidates)
    const isExact = candidates.some(({ kind }) =>
      ['hash', 'account', 'boc', ...assetKinds].includes(kind),
    )
    const searched: Searched = {
      access,
      labels,
      network,
      info,
      signal: access.interest(network),
      query: () => access.query(network),
      chain: stored,
      isJetton: (address) => accounts.find(network, address)?.includes('"jetton_master"') === true,
    }
    const found = await Promise.all(
      candidates.map(({ kind, id, isTestOnly }) =>
        tolerate(searched, resolvers[kind](searched, id, isTestOnly)),
      ),
    )
    const named = isExact ? [] : byLabel(searched, text)
    const isName = candidates.length === 0 && read.problems.length === 0
    const guessed = isName ? await tolerate(searched, byName(searched, text)) : nothing
    const targets = distinct([...named, ...[...found, guessed].flatMap(({ targets }) => targets)])

    // Eight digits need not be an invoice's id, so a missing invoice is reported only if nothing
    // else was found.
    const reported = found.filter(
      (_, index) => candidates[index]?.kind !== 'invoice' || targets.length === 0,
    )
    const problems = [
      ...read.problems,
      ...[...reported, ...(targets.length === 0 ? [guessed] : [])].map((each) => each.problem),
      read.candidates.length > maxCandidates &&
        `Only the first ${maxCandidates} entries were looked up. Use the bulk lookup for more.`,
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

/** The network to search, and its stored data. */
type Searched = Pick<ExplorerContext, 'access' | 'labels'> & {
  readonly network: string
  readonly info: ReturnType<ExplorerContext['access']['info']>
  readonly signal: AbortSignal
  /** Throws while the network is unavailable. */
  readonly query: () => QueryClient
  readonly chain: StoredChain
  /**
   * Only accounts that were opened before are known as jettons, because a request for each address
   * would delay every search.
   */
  readonly isJetton: (address: string) => boolean
}

type Resolver = (searched: Searched, id: string, isTestOnly: boolean | null) => Promise<Found>

const resolvers: Readonly<Record<Candidate['kind'], Resolver>> = {
  hash: byHash,
  account: byAddress,
  domain: byDomain,
  block: byBlock,
  invoice: byInvoice,
  boc: byBoc,
  jetton: byAsset('jetton'),
  nft: byAsset('nft'),
  collection: byAsset('collection'),
}

async function tolerate({ signal }: Searched, request: Promise<Found>): Promise<Found> {
  try {
    return await request
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) return { targets: [], problem: error.message }
    throw error
  }
}

function account({ labels, network, info }: Searched, address: string, name?: string | null) {
  const title =
    labels.namesOf(network, [address]).get(address) ??
    name ??
    short(formatFriendly(address, { bounceable: true, testOnly: info.testOnly }))
  return { kind: 'account', address, title } as const
}

async function byHash(searched: Searched, hash: string): Promise<Found> {
  const stored = searched.chain.find(searched.network, hash)
  const found = stored === null ? null : single(transaction(stored.transaction.hash, hash))
  // A transaction stays on its chain, except on the sandbox, whose chain can be reverted.
  if (found !== null && searched.info.kind !== 'sandbox') return found
  try {
    return await fetchByHash(searched, hash)
  } catch (error) {
    if (found === null || offlineReason(error) === null) throw error
    return found
  }
}

async function fetchByHash(searched: Searched, hash: string): Promise<Found> {
  const { info, query, signal } = searched
  const found = await unlessRefused(query().transaction(hash, { signal })).catch(
    (error: unknown) => {
      if (!isAmbiguous(error)) throw error
      const message = `Several transactions belong to the message ${short(hash)}. Paste the hash of one of them.`
      throw new AppError(chainCodes.ambiguous, message)
    },
  )
  if (found !== null) return single(transaction(found.hash, hash))
  const accounts = await query().accountsBulk([`0:${hash}`, `-1:${hash}`], { signal })
  const targets = accounts
    .filter(({ status }) => status !== 'nonexist')
    .map(({ address, name }) => account(searched, address, name))
  if (targets.length > 0) return { targets, problem: null }
  return missing(
    `${info.name} has no transaction, message or account ${short(hash)}. If it is new, try again in a few seconds; if it is on another network, choose that network.`,
  )
}

async function byDomain(searched: Searched, name: string): Promise<Found> {
  const { info, query, signal } = searched
  const record = await unlessRefused(query().dnsResolve(name, { signal }))
  const address = record?.wallet?.address
  if (address !== undefined) return single(account(searched, address, name))
  return missing(`No wallet on ${info.name} has the name ${name}.`)
}

async function byBlock({ info, query, signal }: Searched, id: string): Promise<Found> {
  const block = await unlessRefused(query().block(id, { signal }))
  if (block === null) return missing(`${info.name} has no block ${id}.`)
  const where = block.workchain_id === -1 ? 'the masterchain' : `shard ${block.shard}`
  return single({ kind: 'block', id, title: `Block ${block.seqno} of ${where}` })
}

async function byBoc(searched: Searched, id: string): Promise<Found> {
  const { chain, network, info, query, signal } = searched
  const hashes = id.split(' ')
  for (const hash of hashes) {
    const stored = chain.find(network, hash)?.transaction
    const found =
      stored && info.kind !== 'sandbox'
        ? stored
        : await unlessRefused(query().transaction(hash, { signal }))
    if (found !== null) return single(transaction(found.hash, hash))
  }
  return missing(
    `${info.name} has no transaction or message with the hash ${short(hashes[0] ?? '')} of this BOC. To emulate or send a message, paste it under Explorer › Build.`,
  )
}

async function byInvoice(searched: Searched, id: string): Promise<Found> {
  const { access, network, info, signal } = searched
  const invoice = await unlessRefused(access.invoices(network).get(id, { signal }))
  if (invoice === null) return missing(`There is no invoice ${id} on ${info.name}.`)
  return single({ kind: 'invoice', id, title: `Invoice ${id}, ${invoice.status}` })
}

function byAddress(searched: Searched, address: string, isTestOnly: boolean | null) {
  const { info, isJetton } = searched
  const isOfAnother = isTestOnly !== null && isTestOnly !== info.testOnly
  const mark = isTestOnly === true ? 'is for test networks' : 'is for Mainnet'
  const problem = `This address ${mark}. On ${info.name} it may belong to a different account, or to none.`
  const found = account(searched, address)
  const targets: SearchTarget[] = isJetton(address)
    ? [{ ...found, kind: 'jetton' }, found]
    : [found]
  return Promise.resolve({ targets, problem: isOfAnother ? problem : null })
}

function byAsset(kind: AssetKind): Resolver {
  return async (searched, address, isTestOnly) => {
    const { targets, problem } = await byAddress(searched, address, isTestOnly)
    return { targets: targets.map((target) => ({ ...target, kind }) as SearchTarget), problem }
  }
}

function byLabel({ labels, network }: Searched, text: string): SearchTarget[] {
  const search = { part: text, range: readAddressRange(text) }
  const { labels: found } = labels.list(network, search, { offset: 0, limit: maxNames })
  return found.map(({ address, name }) => ({ kind: 'account', address, title: name }))
}

async function byName(searched: Searched, text: string): Promise<Found> {
  const { info, query, signal } = searched
  const none = missing(
    `Nothing on ${info.name} is called ${JSON.stringify(short(text))}. Paste the hash of a transaction or message, an address, a .ton domain, a block, an invoice or a link.`,
  )
  // The service accepts texts of 3 to 15 characters.
  if (text.length < 3 || text.length > 15) return none
  const found = await query().searchAccounts(text, { signal })
  const targets = found.slice(0, maxNames).map((each) => account(searched, each.address, each.name))
  return targets.length > 0 ? { targets, problem: null } : none
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
  return 'address' in target ? target.address : target.id
}
