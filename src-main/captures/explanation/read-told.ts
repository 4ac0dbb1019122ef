/** What a delivery itself says, beyond what the index keeps of it: the sender's claim. Pure. */
import { z } from 'zod'
import type { MeaningFacts } from '../../../src-preload/contract/capture.ts'
import { readAddress } from '../../ton/address.ts'
import { parseJson } from '../../ton/lossless-json.ts'
import { emptyFacts } from './facts.ts'

type GatewayInvoice = {
  readonly id: string
  readonly told: { readonly status: string; readonly units: string; readonly currency: string }
  readonly facts: MeaningFacts
}

const name = z.string().min(1).max(100)
const invoice = z.object({
  id: name,
  status: name,
  amount: z.union([z.string().regex(/^\d{1,30}$/), z.number(), z.bigint()]).transform(String),
  currency: z.string().max(20).default('TON'),
  pay_to_address: z.string().max(100).nullish(),
  paid_by_address: z.string().max(100).nullish(),
  payment_link: z.string().max(4096).nullish(),
})

const decimals: ReadonlyMap<string, number> = new Map([
  ['TON', 9],
  ['USDT', 6],
])

/** Of an invoice's delivery; null for what is none. */
export function readToldInvoice(text: string): GatewayInvoice | null {
  const read = invoice.safeParse(parseOr(text))
  if (!read.success || !/^\d+$/.test(read.data.amount)) return null
  const { id, status, amount: units, currency, payment_link: link } = read.data
  const scale = decimals.get(currency)
  const query = link ? URL.parse(link)?.searchParams : undefined
  const jetton = currency === 'TON' ? null : rawOf(query?.get('jetton'))
  return {
    id,
    told: { status, units, currency },
    facts: {
      ...emptyFacts('known'),
      // A jetton that is not named could not be told from another of the same symbol.
      amount:
        scale === undefined || (jetton === null && currency !== 'TON')
          ? null
          : { units, asset: { jetton, symbol: currency, decimals: scale }, direction: 'in' },
      sender: rawOf(read.data.paid_by_address),
      recipient: rawOf(read.data.pay_to_address),
      comment: query?.get('text') ?? null,
      invoice: id,
    },
  }
}

/** BOC of a mempool delivery's message; null for what is none. */
export function readToldBoc(text: string): string | null {
  return z.object({ boc: z.string() }).safeParse(parseOr(text)).data?.boc ?? null
}

function parseOr(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

function rawOf(text: string | null | undefined): string | null {
  return text ? (readAddress(text)?.raw ?? null) : null
}
