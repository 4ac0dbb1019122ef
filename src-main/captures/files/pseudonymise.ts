/** Replaces everything that identifies people, money or the chain, so that a capture can be shared. */
import type { ExplanationFacts } from '../../../src-preload/contract/capture.ts'
import { readAddress } from '../../ton/address.ts'
import { decodeBody, headerValue } from '../decode-body.ts'
import { hideHook, isSecretHeader, replaceParameters } from '../../../src-preload/domain/mask.ts'
import { type Exported, exactText } from './exported.ts'
import { isJson, jsonTokens } from '../json-tokens.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** A body that decompresses to more is replaced by a note. */
const decodeLimitBytes = 16 * 1024 * 1024

const amountKey =
  /^(?:.*_)?(?:amount|value|balance|fees?|overpayment|refund|price|total|units|quantity|nano(?:tons?)?)$|[a-z](?:Amount|Value|Balance|Fees?|Price|Total)$/
const ltKey = /(?:^|_)lt$|[a-z]Lt$/
const idKey =
  /^(?:id|(?:invoice|order|payment|customer|user)_?id|(?:invoice|order|payment|customer|user)Id)$/
const wordsKey =
  /^(?:description|comment|text|memo|note|message|title|name|(?:first|last|full|user)_?name|email|phone|login|payload)$/i
/** Merchant data with any structure, which may identify people. */
const privateKey = /^(?:info|private_info|metadata|customer|payer_info)$/i
const numeric = /^-?\d+(?:\.\d+)?$/

export async function pseudonymiseRecord(capture: Exported, names: Pseudonyms): Promise<Exported> {
  const { body, wasDecoded } = await rewriteBody(capture, names)
  const wasLength = capture.body.byteLength.toString()
  const headers = capture.headers
    .filter(([name]) => !(wasDecoded && name.toLowerCase() === 'content-encoding'))
    .map(([name, value]): [string, string] => {
      const isLength = name.toLowerCase() === 'content-length' && value === wasLength
      if (isLength) return [name, body.byteLength.toString()]
      return [name, rewriteHeader(name, value, names)]
    })
  const isWhole = capture.bodyBytes === capture.body.byteLength
  return {
    ...capture,
    target: rewriteTarget(capture.target, names),
    headers,
    body,
    bodyBytes: isWhole ? body.byteLength : capture.bodyBytes,
    note: '',
    account: capture.account === null ? null : names.inText(capture.account),
    lt: capture.lt === null ? null : names.lt(capture.lt),
    txHash: capture.txHash === null ? null : names.inText(capture.txHash),
    meaning: capture.meaning === null ? null : rewriteExplanation(capture.meaning, names),
  }
}

const rewriteTarget = (target: string, names: Pseudonyms): string =>
  names.inText(replaceParameters(hideHook(target), (secret) => names.opaque(secret)))

function rewriteHeader(name: string, value: string, names: Pseudonyms): string {
  if (!isSecretHeader(name) || value === '') return rewriteTarget(value, names)
  const scheme = /^[A-Za-z]+ +(?=\S)/.exec(value)?.[0] ?? ''
  return scheme + names.opaque(value.slice(scheme.length))
}

async function rewriteBody(capture: Exported, names: Pseudonyms) {
  if (capture.body.byteLength === 0) return { body: capture.body, wasDecoded: false }
  const encoding = headerValue(capture.headers, 'content-encoding')
  const { bytes, problem } = await decodeBody(capture.body, encoding, decodeLimitBytes)
  const text = problem === null ? exactText(bytes) : null
  const wasDecoded = encoding !== null
  if (text === null || !isJson(text)) {
    const note = `(${capture.body.byteLength} bytes omitted: not readable JSON, so they cannot be pseudonymized)`
    return { body: Buffer.from(note), wasDecoded }
  }
  return { body: Buffer.from(rewriteJson(text, names)), wasDecoded }
}

/** Changes values only; layout, order and unrelated digits stay. */
export function rewriteJson(text: string, names: Pseudonyms): string {
  const parts: string[] = []
  for (const { kind, raw, space, path } of jsonTokens(text)) {
    parts.push(space)
    if (kind === 'string') {
      const value = JSON.parse(raw) as string
      const made = rewriteString(value, path, names)
      parts.push(made === value ? raw : JSON.stringify(made))
    } else if (kind === 'number') parts.push(rewriteNumber(raw, path, names))
    else if (kind === 'key') {
      const value = JSON.parse(raw) as string
      const made = names.inText(value)
      parts.push(made === value ? raw : JSON.stringify(made))
    } else parts.push(raw)
  }
  return parts.join('')
}

function rewriteString(value: string, path: readonly string[], names: Pseudonyms): string {
  const key = path.at(-1) ?? ''
  if (value === '') return value
  if (numeric.test(value)) {
    if (ltKey.test(key) && /^\d+$/.test(value)) return names.lt(value)
    if (amountKey.test(key)) return names.amount(value)
  }
  if (amountKey.test(key) && /\d/.test(value)) return rewriteAmount(value, names)
  const address = readAddress(value)
  if (address !== null) return names.address(address.raw)
  if (path.some((name) => privateKey.test(name)) || wordsKey.test(key)) return names.words(value)
  if (idKey.test(key)) return names.id(value)
  // Hashes, cells, signatures and images without padding have unknown content, so they are replaced.
  if (/^[A-Za-z0-9+/]{43}$/.test(value)) {
    return names.hash(Buffer.from(value, 'base64')).toString('base64').slice(0, -1)
  }
  if (/^(?:te6c|b5ee9c72)[A-Za-z0-9+/_-]*={0,2}$/i.test(value)) return names.opaque(value)
  if (/^[A-Za-z0-9+/_-]{45,}={0,2}$/.test(value) && !/^[0-9a-f]{64}$/i.test(value)) {
    return names.opaque(value)
  }
  return names.inText(value)
}

function rewriteAmount(value: string, names: Pseudonyms): string {
  if (/^0x/i.test(value)) return names.opaque(value)
  return value.replace(/\d+(?:\.\d+)?/g, (digits) => names.amount(digits))
}

function rewriteNumber(raw: string, path: readonly string[], names: Pseudonyms): string {
  const key = path.at(-1) ?? ''
  if (ltKey.test(key) && /^\d+$/.test(raw)) return names.lt(raw)
  const isPrivate = path.some((name) => privateKey.test(name))
  if (!amountKey.test(key) && !isPrivate) return raw
  // A number with an exponent is not a chain amount, but its digits would reveal it.
  return numeric.test(raw) ? names.amount(raw) : '0'
}

function rewriteExplanation(explanation: ExplanationFacts, names: Pseudonyms): ExplanationFacts {
  const address = (raw: string | null) => (raw === null ? null : names.inText(raw))
  const { amount } = explanation
  return {
    ...explanation,
    amount: amount && {
      ...amount,
      units: names.amount(amount.units),
      asset: { ...amount.asset, jetton: address(amount.asset.jetton) },
    },
    sender: address(explanation.sender),
    recipient: address(explanation.recipient),
    comment: explanation.comment === null ? null : names.words(explanation.comment),
    invoice: explanation.invoice === null ? null : names.id(explanation.invoice),
  }
}
