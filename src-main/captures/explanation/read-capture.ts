/** Extracts a capture's own facts, and the transaction to request for it. */
import type { ExplanationFacts, MovedAmount } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Facts } from '../store/index/facts.ts'
import type { LookedAt, StoredExplanation } from '../store/capture-explanations.ts'
import { readHash, normalizedMessageHash } from '../../ton/hash.ts'
import { decodeBody, headerValue } from '../decode-body.ts'
import { emptyFacts } from './facts.ts'
import { type FoundNetwork, type NetworkOf, isOfSandboxTestnet } from './network-of.ts'
import type { ExplanationDeps } from './requests.ts'
import { z } from 'zod'
import { decimalsOfCurrency } from '../../../src-preload/domain/amount.ts'
import { currencyOfLink } from '../../gateway/invoice-responses.ts'
import { readAddress } from '../../ton/address.ts'
import { parseJson } from '../../ton/lossless-json.ts'
import { type Cell, loadMessageRelaxed } from '@ton/core'
import { parseBoc, readBytes, parseMessage } from '../../ton/boc.ts'
import { readComment } from '../../ton/payload.ts'
import { decodeBody as decodeMessageBody } from '../../ton/decode-body.ts'
import { guessWalletOrders } from '../../ton/wallet.ts'

export type CaptureReader = ReturnType<typeof createCaptureReader>

/** Lower ranks are requested first, because only a few of many messages are about the user. */
const rankOf = { account_tx: 0, opcode_msg: 1, new_contracts: 1, mempool_msg: 2, invoice: 0 }
/** The limit is large because a message may contain a contract's code. */
const maxBytes = 512 * 1024

export function createCaptureReader(
  deps: ExplanationDeps,
  networkOf: NetworkOf,
  isNetwork: (network: NetworkId) => boolean,
) {
  async function bodyText(id: number): Promise<string | null> {
    const capture = deps.captures.get(id)
    const read = capture === null ? null : deps.captures.read(id)
    if (capture === null || read === null || read.change !== null) return null
    const raw = read.body
    if (raw.byteLength > maxBytes) return null
    const encoding = headerValue(capture.headers, 'content-encoding')
    const { bytes, problem } = await decodeBody(raw, encoding, maxBytes)
    return problem === null ? Buffer.from(bytes).toString('utf8') : null
  }

  function findNetwork(source: LookedAt, { kind }: Facts): FoundNetwork | null {
    if (source.word !== null && isNetwork(source.word))
      return { network: source.word, by: 'person' }
    const found = networkOf({ ...source, kind })
    if (found !== null || kind !== 'invoice') return found
    const network = deps.invoices.reportedTo(source.id)
    return network === null ? null : { network, by: 'invoice' }
  }

  async function rowOf(source: LookedAt, facts: Facts): Promise<StoredExplanation | null> {
    const network = findNetwork(source, facts)
    const { kind } = facts
    const row = (fields: Partial<StoredExplanation> & { readonly facts: ExplanationFacts }) => ({
      capture: source.id,
      network: network?.network ?? null,
      by: network?.by ?? null,
      hash: null,
      rank: kind === 'unknown' ? 0 : rankOf[kind],
      tries: 0,
      nextAt: 0,
      problem: null,
      blockAt: null,
      understoodAt: null,
      explanation: null,
      trace: null,
      ...fields,
    })
    const lost = (problem: string | null) => row({ facts: emptyFacts('unavailable'), problem })

    // A test delivery describes no real event.
    if (kind === 'unknown' || source.origin === 'test') {
      return source.word === null ? null : row({ facts: emptyFacts('none') })
    }
    if (kind === 'invoice') {
      const delivery = parseInvoiceDelivery((await bodyText(source.id)) ?? '')
      if (delivery === null) return lost('The invoice in this delivery cannot be read.')
      return row({ facts: delivery.facts, understoodAt: deps.now() })
    }
    const isAskable =
      network !== null && !(network.by === 'token' && isOfSandboxTestnet(source.tokenId))
    const why = network === null || isAskable ? null : noTestnet
    const state = isAskable ? 'waiting' : 'unavailable'
    if (kind === 'mempool_msg') {
      const { data } = mempoolDelivery.safeParse(parseOr((await bodyText(source.id)) ?? ''))
      const message = parseMempoolMessage(data?.boc ?? '')
      if (message === null) return lost('The BOC of this delivery contains no external message.')
      return row({ hash: message.hash, facts: { ...message.facts, state }, problem: why })
    }
    const hash = readHash(facts.txHash ?? '')
    if (hash === null) return lost('The tx_hash of this delivery is not a valid hash.')
    return row({ hash, facts: emptyFacts(state), problem: why })
  }

  return {
    /** The decompressed body; null if it is longer than any delivery of the gateway. */
    bodyText,
    /** Rows of classified deliveries, and of captures whose network the user has set. */
    async rows(ids: readonly number[]): Promise<StoredExplanation[]> {
      const facts = deps.facts.byIds(ids)
      const rows: StoredExplanation[] = []
      for (const source of deps.meanings.lookAt(ids.filter((id) => facts.has(id)))) {
        const captureFacts = facts.get(source.id)
        const row = captureFacts === undefined ? null : await rowOf(source, captureFacts)
        if (row !== null) rows.push(row)
      }
      return rows
    },
  }
}

const noTestnet =
  'Transactions of the sandbox’s test network are not loaded here. See the Sandbox page.'

const mempoolDelivery = z.object({ boc: z.string() })
const name = z.string().min(1).max(100)
const invoice = z.object({
  id: name,
  status: name,
  amount: z.union([z.string().regex(/^\d{1,30}$/), z.number(), z.bigint()]).transform(String),
  currency: z.string().max(20).nullish(),
  pay_to_address: z.string().max(100).nullish(),
  paid_by_address: z.string().max(100).nullish(),
  payment_link: z.string().max(4096).nullish(),
})

/** Returns the sender's claim; null for a body that is no delivery of an invoice. */
export function parseInvoiceDelivery(text: string) {
  const read = invoice.safeParse(parseOr(text))
  if (!read.success || !/^\d+$/.test(read.data.amount)) return null
  const { id, status, amount: units, payment_link: link } = read.data
  const currency = read.data.currency ?? currencyOfLink(link) ?? 'of an unknown currency'
  const scale = decimalsOfCurrency(currency)
  const query = link ? URL.parse(link)?.searchParams : undefined
  const jetton = currency === 'TON' ? null : readRawAddress(query?.get('jetton'))
  return {
    id,
    told: { status, units, currency },
    facts: {
      ...emptyFacts('known'),
      // An unnamed jetton cannot be distinguished from another one with the same symbol.
      amount:
        scale === undefined || (jetton === null && currency !== 'TON')
          ? null
          : {
              units,
              asset: { jetton, symbol: currency, decimals: scale },
              direction: 'in' as const,
            },
      sender: readRawAddress(read.data.paid_by_address),
      recipient: readRawAddress(read.data.pay_to_address),
      comment: query?.get('text') ?? null,
      invoice: id,
    },
  }
}

function parseOr(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

export const readRawAddress = (text: string | null | undefined): string | null =>
  text ? (readAddress(text)?.raw ?? null) : null

/** `boc` is base64 or hex; null if it is not an external message. */
export function parseMempoolMessage(boc: string) {
  try {
    const bytes = readBytes(boc)
    if (bytes === null) return null
    const message = parseMessage(parseBoc(bytes))
    if (message.info.type !== 'external-in') return null
    const account = message.info.dest.toRawString()
    const orders = guessWalletOrders(message.body)?.orders ?? []
    const sent = orders.flatMap((order) => readOrder(order.message) ?? [])
    return {
      /** The transaction can be found by this hash of the message's normalized form, as hex. */
      hash: normalizedMessageHash(message),
      account,
      facts: {
        ...emptyFacts('waiting'),
        amount: sent.length === orders.length ? sumOf(sent) : null,
        sender: sent.length > 0 ? account : null,
        recipient: theOnly(sent.map(({ to }) => to)),
        comment: theOnly(sent.map(({ comment }) => comment)),
      },
    }
  } catch {
    return null
  }
}

type Sent = {
  readonly to: string
  readonly comment: string | null
  /** Null for a jetton order, because only the network knows the jetton. */
  readonly value: bigint | null
}

function readOrder(cell: Cell): Sent | null {
  const { info, body } = loadMessageRelaxed(cell.beginParse())
  if (info.type !== 'internal') return null
  const order = decodeMessageBody(body)
  if (order?.name === 'jetton_transfer' && order.destination !== null) {
    const { content } = order.forwardPayload
    const comment = content.kind === 'comment' ? content.text : null
    return { to: order.destination.toRawString(), comment, value: null }
  }
  return { to: info.dest.toRawString(), comment: readComment(body), value: info.value.coins }
}

function sumOf(sent: readonly Sent[]): MovedAmount | null {
  let units = 0n
  for (const { value } of sent) {
    if (value === null) return null
    units += value
  }
  if (units === 0n) return null
  const asset = { jetton: null, symbol: 'TON', decimals: 9 }
  return { units: units.toString(), asset, direction: 'out' }
}

const theOnly = (values: readonly (string | null)[]): string | null =>
  new Set(values).size === 1 ? (values[0] ?? null) : null
