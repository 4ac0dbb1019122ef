/** How a gateway writes the body of a delivery, so that one that did not arrive can be written as well. */

type Event = {
  /** Raw form. */
  readonly account: string
  readonly lt: bigint
  /** 64 lower-case hex digits. */
  readonly hash: string
}

type Slot = 'account' | 'lt' | 'ltText' | 'hash'

/** Text as it stands, and between it what differs from event to event. */
export type BodyForm = readonly (string | { readonly slot: Slot })[]

/** The form that the service documents, with the type its deliveries name (gateway-facts 2.3). */
export const documentedForm: BodyForm = [
  '{"event_type":"account_tx","account_id":',
  { slot: 'account' },
  ',"lt":',
  { slot: 'lt' },
  ',"tx_hash":',
  { slot: 'hash' },
  '}',
]

export function formatBody(form: BodyForm, event: Event): string {
  return form.map((part) => (typeof part === 'string' ? part : print(part.slot, event))).join('')
}

function print(slot: Slot, { account, lt, hash }: Event): string {
  switch (slot) {
    case 'account':
      return `"${account}"`
    case 'lt':
      return lt.toString()
    case 'ltText':
      return `"${lt}"`
    case 'hash':
      return `"${hash}"`
  }
}

const space = String.raw`[ \t\n\r]*`
const text = String.raw`"(?:[^"\\\u0000-\u001f]|\\.)*"`
/** One member of a flat object: what stands before its value, the key in it, the value. */
const member = new RegExp(
  String.raw`(${space}(${text})${space}:${space})(${text}|-?\d[\d.eE+-]*|true|false|null)(${space})`,
  'y',
)
const opening = new RegExp(`${space}\\{`, 'y')
const closing = new RegExp(`\\}${space}$`, 'y')

const slotOf: Readonly<Record<string, (value: string) => Slot | null>> = {
  account_id: (value) => (/^"-?\d+:[0-9a-f]{64}"$/.test(value) ? 'account' : null),
  lt: (value) => (/^\d+$/.test(value) ? 'lt' : /^"\d+"$/.test(value) ? 'ltText' : null),
  tx_hash: (value) => (/^"[0-9a-f]{64}"$/.test(value) ? 'hash' : null),
}

/**
 * The form of a body that was delivered: order of keys, spacing and all that is the same in every
 * event. Null where it cannot be told apart: what is no flat object of these fields, one twice, one
 * written in another way, or one that is not known and may well differ from event to event.
 */
export function learnForm(body: Uint8Array): BodyForm | null {
  const source = Buffer.from(body).toString('utf8')
  if (!Buffer.from(source, 'utf8').equals(body)) return null
  const begin = match(opening, source, 0)
  if (begin === null) return null
  const form: (string | { slot: Slot })[] = [begin[0]]
  const seen = new Set<string>()
  let at = begin[0].length
  for (;;) {
    const found = match(member, source, at)
    if (found === null) return null
    const [all, before = '', key = '', value = '', after = ''] = found
    const name = readText(key)
    if (name === null || seen.has(name)) return null
    seen.add(name)
    const slot = Object.hasOwn(slotOf, name) ? slotOf[name]?.(value) : undefined
    if (slot === null) return null
    if (slot === undefined && !(name === 'event_type' && readText(value) === 'account_tx')) {
      return null
    }
    form.push(before, slot === undefined ? value : { slot }, after)
    at += all.length
    if (source[at] !== ',') break
    form.push(',')
    at += 1
  }
  const end = match(closing, source, at)
  const isWhole = Object.keys(slotOf).every((name) => seen.has(name))
  return end === null || !isWhole ? null : [...form, end[0]]
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}

function readText(quoted: string): string | null {
  try {
    const value: unknown = JSON.parse(quoted)
    return typeof value === 'string' ? value : null
  } catch {
    // An escape that JSON does not know.
    return null
  }
}
