import { readAddress, whyNoAddress } from '../ton/address.ts'
import { decodePart } from '../ton/pasted-address.ts'
import { readHash } from '../ton/hash.ts'

export type Candidate = {
  readonly kind: 'hash' | 'account' | 'domain' | 'block' | 'invoice'
  /**
   * A hash, which may be a transaction, a message or an account without its workchain, as 64
   * lower-case hex digits; a raw address; a name; `(workchain,shard,seqno)`; an invoice's id.
   */
  readonly id: string
  /** Null for anything but a friendly address. */
  readonly isTestOnly: boolean | null
}

export const maxCandidates = 20

const longestToken = 200

export function readSearchText(text: string) {
  const whole = text.trim()
  const links = whole.split(/\s+/).filter(isLink).map(readLink)
  const tokens = blockForm.test(whole) ? [whole] : whole.split(/[\s;"'<>]+|,(?![^()]*\))/)
  const plain = tokens.filter((token) => token !== '' && !isLink(token))
  const candidates = [
    ...links.flatMap(({ parts }) => partsOf(parts)),
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
  if (token.length > longestToken) return []
  const named = classifyPart(token)
  if (named.length > 0 && named[0]?.kind !== 'invoice') return named
  if (!/^\d{1,10}$/.test(token)) return named
  const id = `(-1,8000000000000000,${Number(token)})`
  return [...named, { kind: 'block', id, isTestOnly: null }]
}

/** Plain numbers are no blocks: in links they are logical times and page numbers. */
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
  return { parts, network: named ?? networkOfHost(host) }
}

/** Public explorers. Each shows Mainnet, or Testnet under a host name that contains `testnet`. */
const explorers =
  /(^|\.)(tonviewer\.com|tonscan\.org|tonscan\.com|explorer\.toncoin\.org|dton\.io|retracer\.ton\.org|toncx\.com|tonwhales\.com|ton\.cx|tonapi\.io)$/i

function networkOfHost(host: string): string | null {
  const name = host.replace(/:\d+$/, '')
  if (/(^|\.|-)(testnet|test)[.-]/i.test(name)) return 'testnet'
  return explorers.test(name) ? 'mainnet' : null
}

function partsOf(parts: readonly string[]): Candidate[] {
  const found = parts.flatMap(classifyPart)
  return found.toSorted((one, other) => Number(other.kind === 'hash') - Number(one.kind === 'hash'))
}

const friendlyStart = /^(?:EQ|Ef|UQ|Uf|kQ|kf|0Q|0f)[A-Za-z0-9_+/-]{34,60}$/
const rawLike = /^-?\d{1,11}:[0-9a-fA-F]{32,}$/
const hexLike = /^(?:0x)?[0-9a-fA-F]{50,80}$/

function problemOf(token: string): string | null {
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
