/**
 * Links to the pages of the window under the scheme `tondesk://`, for use outside the app. A link
 * only shows a page.
 *
 * Threat model: any web page, message or file can contain such a link. Only the addresses in this
 * table are accepted; none of them changes the network, fills in a form or sends anything.
 */

import pages from './link-pages.json' with { type: 'json' }
import { lookupTable } from './lookup-table.ts'

export const linkScheme = 'tondesk'

const maxLinkLength = 2048

type Values = readonly RegExp[]

const number: Values = [/^[1-9]\d{0,14}$/]
const int64: Values = [/^\d{1,19}$/]
const hash: Values = [/^[0-9a-f]{64}$/, /^[\w+/-]{43}=?$/]
const address: Values = [/^-?\d{1,10}:[0-9a-f]{64}$/, /^[\w+/-]{48}$/]
const block: Values = [/^\(?-?\d{1,10},[0-9a-f]{1,16},\d{1,10}\)?$/i]
const word: Values = [/^[a-z][a-z-]{0,30}$/]
const words: Values = [/^[\w,-]{1,300}$/]
/** Ids that the gateway chooses. */
const token: Values = [/^[\w.:=+-]{1,100}$/]
/** Text without control characters and invisible characters, which would disguise a search. */
const text: Values = [/^[^\p{C}\p{Zl}\p{Zp}]{1,1000}$/u]
const moment: Values = [/^\d{1,15}$/]
const amount: Values = [/^\d{1,18}(\.\d{1,9})?$/]

/** The allowed values of a page's query parameters, by name. */
const queries = {
  network: [/^(sandbox|testnet|mainnet|custom-[0-9a-f]{8})$/],
  q: text,
  // Filters of an account's history.
  direction: [/^(in|out)$/],
  asset: [/^[\w:+/.-]{1,100}$/],
  opcode: [/^[\w-]{1,60}$/],
  from: moment,
  to: moment,
  // Set for a message that is already signed.
  signed: [/^1$/],
  // The two deliveries of a comparison.
  left: [/^[\w.:-]{1,220}$/],
  right: [/^[\w.:-]{1,220}$/],
  // The period of a webhook's deliveries.
  range: [/^\d{1,2}[hd]$/],
  // Filters of the list of invoices.
  status: words,
  currency: words,
  when: [/^[a-z]{1,10},\d{0,15},\d{0,15}$/],
  min: amount,
  max: amount,
  overpaid: [/^1$/],
  matter: words,
  within: [/^\d{1,9}-\d{0,9}$/],
  sort: [/^-?[a-z_]{1,30}$/],
} satisfies Readonly<Record<string, Values>>

type QueryName = keyof typeof queries

/** The allowed values of the parts of paths that a colon marks in the table of pages. */
const parts: Readonly<Record<string, Values>> = lookupTable({
  number,
  int64,
  hash,
  address,
  block,
  word,
  token,
  webhookTab: [/^(overview|accounts|opcodes|deliveries|failures|missed|changes)$/],
  subject: [...number, ...address],
  // Each with its name in links of earlier versions.
  explorer: [/^(explorer|transactions)$/],
  responses: [/^(responses|answers)$/],
  reconciliation: [/^(reconciliation|closing)$/],
  setup: [/^(setup|access)$/],
})

/** Every address that a link can open, some of them pages of earlier versions. */
const table = pages.flatMap(({ query, paths }) =>
  paths.map((path) => ({ path: path.split('/'), query })),
)

/**
 * Returns the hash that a link opens in the window, composed again from its parsed parts; null for
 * a refused link. The case of the scheme, and a final slash that browsers add, are ignored.
 */
export function parseLink(link: string): string | null {
  if (link.length > maxLinkLength || !/^[\x21-\x7e]+$/.test(link)) return null
  const [, path = '', search] = /^tondesk:\/\/([^?#\\]+)(?:\?([^?#\\]+))?$/i.exec(link) ?? []
  const found = path.replace(/\/$/, '').split('/').map(decode)
  const place = table.find((each) => matches(each.path, found))
  const query = search === undefined ? [] : parseQuery(search, place?.query ?? [])
  if (place === undefined || query === null) return null
  const written = query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`
  return `#/${found.map((part) => encodePart(part ?? '')).join('/')}${written}`
}

/**
 * Returns the link to the page of a hash. For a part of a page that has no link, such as a form,
 * this is the link to the whole page. Null if the page has no link either.
 */
export function linkOf(hashOfPage: string): string | null {
  const [path = '', search] = hashOfPage.replace(/^#\/?/, '').split(/\?(.*)/s)
  const parts = path.split('/')
  const query = search === undefined || search === '' ? '' : `?${search}`
  for (let count = parts.length; count > 0; count -= 1) {
    const link = `${linkScheme}://${parts.slice(0, count).join('/')}${query}`
    if (parseLink(link) !== null) return link
  }
  return null
}

const matches = (path: readonly string[], found: readonly (string | null)[]): boolean =>
  path.length === found.length &&
  path.every((wanted, index) => {
    const part = found[index] ?? ''
    return wanted.startsWith(':') ? isOneOf(parts[wanted.slice(1)] ?? [], part) : part === wanted
  })

/** Null if a name is unknown or occurs twice, or if a value is invalid. */
function parseQuery(search: string, allowed: readonly string[]): [string, string][] | null {
  const found: [string, string][] = []
  for (const pair of search.split('&')) {
    const [given = '', raw, ...more] = pair.split('=')
    const name = allowed.find((each) => each === given) as QueryName | undefined
    const value = raw === undefined ? null : decode(raw.replaceAll('+', ' '))
    if (name === undefined || value === null || more.length > 0) return null
    if (!isOneOf(queries[name], value) || found.some(([known]) => known === name)) return null
    found.push([name, value])
  }
  return found
}

const isOneOf = (patterns: Values, value: string): boolean =>
  patterns.some((pattern) => pattern.test(value))

/** Null for an invalid escape. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** Encodes text as the window's own addresses do: `:` and `,` stay unchanged. */
const encodePart = (part: string): string =>
  encodeURIComponent(part).replaceAll('%3A', ':').replaceAll('%2C', ',')
