import type { InvoiceEntry } from '../../gateway/invoice-responses.ts'
import type { GatewayInvoice } from '../store/invoice-rows.ts'
import { rawAddress } from '../../ton/address.ts'

/** The comment that a payment must carry, from Tonkeeper's link format (gateway-facts 3.7). */
export function commentOf(paymentLink: string): string | null {
  if (!URL.canParse(paymentLink)) return null
  const text = new URL(paymentLink).searchParams.get('text')?.trim() ?? ''
  return text === '' ? null : text
}

export function fromGateway(entry: InvoiceEntry): GatewayInvoice {
  const { createdAt, changedAt, payTo, paidBy, ...rest } = entry
  return {
    ...rest,
    createdAt,
    // Responses to a creation omit this field, because nothing has changed since.
    changedAt: changedAt ?? createdAt,
    payTo: rawAddress(payTo),
    paidBy: paidBy === null ? null : rawAddress(paidBy),
    comment: commentOf(entry.paymentLink),
  }
}

/**
 * An invoice that only a delivery reported gets no payment link, because anyone could have sent the
 * delivery.
 */
export function toUnconfirmedInvoice(entry: InvoiceEntry): GatewayInvoice {
  const claim = fromGateway(entry)
  return {
    ...claim,
    paymentLink: '',
    comment: null,
    description: claim.description.slice(0, longestClaim),
    payTo: claim.payTo.slice(0, longestClaim),
    paidBy: claim.paidBy?.slice(0, longestClaim) ?? null,
    raw: claim.raw.length <= longestRaw ? claim.raw : '{}',
  }
}

const longestClaim = 1000
const longestRaw = 32 * 1024

/**
 * Static words of the API's paths are at the same place as `{id}` (gateway-facts 3.2), and a
 * delivery's id may be any text.
 */
const words: ReadonlySet<string> = new Set(['app', 'token', 'invoice', 'stats', 'export'])

export const isInvoiceId = (id: string): boolean =>
  /^[A-Za-z0-9_-]{1,64}$/.test(id) && !words.has(id.toLowerCase())
