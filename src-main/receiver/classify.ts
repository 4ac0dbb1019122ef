import { createHash } from 'node:crypto'
import { decimalsOfCurrency, formatAllDecimals } from '../../src-preload/domain/amount.ts'
import { type CaptureKind, captureKinds } from '../../src-preload/domain/capture-values.ts'
import { jsonExcess } from '../../src-preload/domain/json-size.ts'
import { describeJsonEncoding, withoutByteOrderMark } from '../../src-preload/domain/read-json.ts'
import type { Classified } from '../captures/store/index/index-writer.ts'
import { rawAddress } from '../ton/address.ts'
import { readHash } from '../ton/hash.ts'

type Fields = Readonly<Record<string, unknown>>

/** No event of the gateway is larger than this; larger bodies are not parsed. */
const parseLimitBytes = 1024 * 1024
/**
 * The receiver classifies between two deliveries, so the work is limited. An event has about twenty
 * values in two levels.
 */
const jsonLimits = { values: 10_000, depth: 100 }
const summaryCharacters = 160
/** Logical times are unsigned 64-bit numbers on the chain, but SQLite's integers are signed. */
const largestLt = 2n ** 63n - 1n

/**
 * Recognizes the gateway's events by their shape (gateway-facts 2.3 for events, 3.3 for invoices).
 * Never throws.
 * @param body decoded bytes
 * @param authorization the Authorization header, because the same event to two webhooks is no duplicate
 */
export function classify(body: Uint8Array, authorization: string | null): Classified {
  const text = body.byteLength <= parseLimitBytes ? Buffer.from(body).toString('utf8') : ''
  const fields = parseObject(text)
  const kind = fields === null ? 'unknown' : kindOf(fields)
  const owner = authorization ?? ''
  // A body without an event is a duplicate only of an identical body.
  const bodyKey = () => keyOf(owner, kind, Buffer.from(body).toString('latin1'))
  if (fields === null || kind === 'unknown') {
    const isComparable = body.byteLength > 0 && body.byteLength <= parseLimitBytes
    return { ...unknown(body), eventKey: isComparable ? bodyKey() : null }
  }

  switch (kind) {
    case 'invoice':
      return {
        ...nothing,
        kind,
        account: accountOf(fields['pay_to_address']),
        summary: invoiceSummary(fields),
        eventKey: keyOf(kind, inOneSpelling(Buffer.from(body).toString('latin1'))),
      }
    case 'mempool_msg':
      return {
        ...nothing,
        kind,
        summary: `boc ${Math.floor(((textOf(fields['boc']) ?? '').length * 3) / 4)} B`,
        eventKey: keyOf(owner, kind, bocOf(textOf(fields['boc']) ?? '')),
      }
    case 'account_tx':
    case 'opcode_msg':
    case 'new_contracts': {
      const account = accountOf(fields['account_id'])
      const txHash = hashOf(fields['tx_hash'])
      const lt = logicalTime(fields['lt'])
      const told = account !== null && lt !== null
      return {
        kind,
        account,
        lt,
        txHash,
        summary: '',
        eventKey: told ? keyOf(owner, kind, account, lt.toString(), txHash ?? '') : bodyKey(),
        streamKey: told ? keyOf(owner, kind, account) : null,
      }
    }
  }
}

const nothing = { account: null, lt: null, txHash: null, eventKey: null, streamKey: null }

function kindOf(fields: Fields): CaptureKind {
  const named = fields['event_type']
  if (typeof named === 'string') {
    // A third-party client writes the singular (gateway-facts 2.3).
    if (named === 'new_contract') return 'new_contracts'
    const kind = captureKinds.find((each) => each === named)
    return kind === undefined || kind === 'invoice' ? 'unknown' : kind
  }
  if ('payment_link' in fields && 'pay_to_address' in fields && 'status' in fields) return 'invoice'
  // The gateway's documentation shows account events without an event_type.
  if ('account_id' in fields && 'lt' in fields && 'tx_hash' in fields) return 'account_tx'
  if (Object.keys(fields).length === 1 && typeof fields['boc'] === 'string') return 'mempool_msg'
  return 'unknown'
}

function parseObject(sent: string): Fields | null {
  const text = withoutByteOrderMark(sent)
  if (!/^\s*\{/.test(text) || jsonExcess(text, jsonLimits) !== null) return null
  try {
    return JSON.parse(text, exactNumbers) as Fields
  } catch {
    // The text is not JSON, or its nesting is too deep for the stack.
    return null
  }
}

class ExactNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

const exactNumbers = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? new ExactNumber(context?.source ?? String(value)) : value

function textOf(value: unknown): string | null {
  if (value instanceof ExactNumber) return value.source
  return typeof value === 'string' ? value.slice(0, 4096) : null
}

/** Writes an account or a hash in one form, because gateways may use any. Other text stays as it is. */
function accountOf(value: unknown): string | null {
  const text = textOf(value)
  return text === null ? null : rawAddress(text)
}

function hashOf(value: unknown): string | null {
  const text = textOf(value)
  return text === null ? null : (readHash(text) ?? text)
}

/** Replaces the accounts and hashes in a body by one form, so that two forms of the same value are equal. */
const inOneSpelling = (body: string): string =>
  body.replace(/"([^"\\]{43,67})"/g, (_, value: string) => {
    return `"${accountOf(value) !== value ? accountOf(value) : hashOf(value)}"`
  })

/** Converts a BOC in base64, base64url or hex to standard base64. */
function bocOf(text: string): string {
  const isHex = /^b5ee9c72(?:[0-9a-f]{2})*$/i.test(text)
  return Buffer.from(text, isHex ? 'hex' : 'base64').toString('base64')
}

function logicalTime(value: unknown): bigint | null {
  const digits = textOf(value)
  if (digits === null || !/^\d{1,19}$/.test(digits)) return null
  const lt = BigInt(digits)
  return lt <= largestLt ? lt : null
}

function invoiceSummary(fields: Fields): string {
  const currency = textOf(fields['currency'])
  const amount = textOf(fields['amount']) ?? ''
  const scale = decimalsOfCurrency(currency)
  const isExact = /^\d{1,30}$/.test(amount) && scale !== undefined
  const shown = isExact ? formatAllDecimals(amount, scale) : amount
  return oneLine(
    `${textOf(fields['id']) ?? '?'} ${textOf(fields['status']) ?? '?'} ${shown} ${currency ?? ''}`,
  )
}

function unknown(body: Uint8Array): Classified {
  const encoding = describeJsonEncoding(body)
  if (encoding !== null) return { ...nothing, kind: 'unknown', summary: encoding }
  const start = Buffer.from(body.subarray(0, summaryCharacters * 3)).toString('utf8')
  return { ...nothing, kind: 'unknown', summary: oneLine(start) }
}

function oneLine(text: string): string {
  // Control and bidirectional characters would disrupt the displayed line.
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, summaryCharacters)
}

function keyOf(...parts: readonly string[]): bigint {
  const digest = createHash('sha256').update(parts.map((part) => `${part.length}:${part}`).join(''))
  return digest.digest().readBigInt64LE(0)
}
