/** What the window asks of one capture's meaning. */
import type { CaptureMeaning, CaptureTimeline } from '../../../src-preload/contract/meaning.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { InvoiceDetail } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { TransactionAnswer } from '../../../src-preload/contract/chain.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { captureCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Facts, FactsReader } from '../store/index/facts.ts'
import type { CaptureMeanings, StoredMeaning } from '../store/capture-meanings.ts'
import type { Captures, StoredCaptureDetail } from '../store/captures.ts'
import { readAddress } from '../../ton/address.ts'
import type { Requester } from './requester.ts'
import type { NetworkOf } from './network-of.ts'
import type { Paid } from './paid.ts'
import type { LabelsOf, TransactionReader } from './parts.ts'
import { readToldInvoice } from './read-told.ts'
import type { Reconsider } from './reconsider.ts'
import { clueWords, createRefs, meaningOfRow, tellsOfTransaction, unknownNetwork } from './show.ts'
import type { Understand } from './understand.ts'

type MeaningRouteDeps = {
  readonly captures: Pick<Captures, 'get'>
  readonly facts: Pick<FactsReader, 'byIds'>
  readonly meanings: Pick<CaptureMeanings, 'byIds'>
  readonly understand: Pick<Understand, 'rows' | 'text'>
  readonly reconsider: Reconsider
  readonly networkOf: NetworkOf
  readonly reader: Pick<TransactionReader, 'kept'>
  readonly requester: Pick<Requester, 'ask' | 'problem'>
  readonly paid: Pick<Paid, 'look'>
  readonly progress: Handlers['meaning.progress']
  /** @throws AppError NETWORK_UNKNOWN */
  readonly checkNetwork: (network: NetworkId) => unknown
  readonly labelsOf: LabelsOf
  /** Of the local ledger; null where it does not have it. */
  readonly invoice: (network: NetworkId, id: string) => Promise<InvoiceDetail | null>
  /** What others have to say of a capture's way. */
  readonly otherMoments: (capture: number) => Promise<CaptureTimeline>
  readonly signal: AbortSignal
}

type Routes = Pick<Handlers, Extract<keyof Handlers, `meaning.${string}`>>

export function createMeaningRoutes(deps: MeaningRouteDeps): Routes {
  const { meanings, reader } = deps

  function existing(id: number): StoredCaptureDetail {
    const capture = deps.captures.get(id)
    if (capture !== null) return capture
    throw new AppError(
      captureCodes.notFound,
      `Capture ${id} is not there any more: it was deleted, or it was older than the retention allows.`,
    )
  }

  const stored = (id: number) => meanings.byIds([id]).get(id)

  /** Its row, also where it was not come to yet: somebody looks at it now. */
  async function rowOf(id: number): Promise<StoredMeaning | undefined> {
    const row = stored(id)
    if (row !== undefined) return row
    await deps.reconsider.these([id])
    return stored(id)
  }

  function keptOf(row: StoredMeaning | undefined): TransactionAnswer | null {
    if (row?.network === null || row?.hash === null || row === undefined) return null
    return reader.kept(row.network, row.hash)?.answer ?? null
  }

  /** What is stored where it is whole, else what the gateway says; with why that could not be asked. */
  async function transactionOf(row: StoredMeaning | undefined, again: boolean) {
    const kept = keptOf(row)
    if (row === undefined || row.network === null || row.hash === null) {
      return { transaction: null, problem: null }
    }
    const isWhole = row.facts.state === 'known' && kept?.trace?.isComplete === true
    if (isWhole && !again) return { transaction: kept, problem: null }
    try {
      const { answer } = await deps.requester.ask(row, deps.signal)
      return { transaction: answer, problem: answer.offline }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { transaction: kept, problem: error.message }
    }
  }

  async function toldBy(id: number, kind: Facts['kind'] | undefined) {
    return kind === 'invoice' ? readToldInvoice((await deps.understand.text(id)) ?? '') : null
  }

  async function get(id: number, again: boolean): Promise<CaptureMeaning> {
    const capture = existing(id)
    const told = deps.facts.byIds([id]).get(id)
    const asked = await transactionOf(await rowOf(id), again)
    const before = stored(id)?.network ?? null
    if (before !== null) deps.paid.look(before, id)
    // As it is now: the question may have told more.
    const row = stored(id)
    const { network, by, facts } = meaningOfRow(capture, told, row, deps.networkOf)
    const { transaction } = asked
    const account = rawOf(told?.account) ?? transaction?.transaction.account.address ?? null
    const { sender, recipient } = facts
    const refs = createRefs(network, transaction, [account, sender, recipient], deps.labelsOf)
    const claim = await toldBy(id, told?.kind)
    const detail =
      facts.invoice === null || network === null ? null : await deps.invoice(network, facts.invoice)
    return {
      capture: id,
      network,
      networkWhy: by === null ? null : clueWords[by],
      facts,
      account: refs(account),
      sender: refs(sender),
      recipient: refs(recipient),
      transaction,
      invoice:
        facts.invoice === null
          ? null
          : {
              relation: told?.kind === 'invoice' ? 'told' : 'paid',
              told: claim?.told ?? null,
              detail,
              id: facts.invoice,
            },
      problem:
        problemOf(told, row, network, detail, asked.problem) ??
        otherAccount(account, told?.kind, transaction),
    }
  }

  function problemOf(
    told: Facts | undefined,
    row: StoredMeaning | undefined,
    network: NetworkId | null,
    invoice: InvoiceDetail | null,
    askedProblem: string | null,
  ): string | null {
    const kind = told?.kind ?? null
    if (kind === null) return 'It was not looked into yet: that happens moments after its arrival.'
    if (kind === 'unknown')
      return 'It is none of the gateway’s deliveries, so nothing is asked for it.'
    if (kind === 'invoice') {
      if (row !== undefined && row.problem !== null) return row.problem
      if (network === null) return unknownInvoice
      return invoice === null ? `The ledger of invoices does not have it. ${readLedger}` : null
    }
    if (network === null) return unknownNetwork
    if (row?.facts.state === 'known') return askedProblem
    return askedProblem ?? row?.problem ?? deps.requester.problem(network)
  }

  async function timeline(id: number): Promise<CaptureTimeline> {
    const { receivedAt, durationUs, status, origin } = existing(id)
    const row = stored(id)
    const kept = keptOf(row)
    const blockAt = row?.blockAt ?? kept?.transaction.at ?? null
    const isReceived = origin === 'received'
    const storedAt = receivedAt + durationUs
    const moments: CaptureTimeline = [
      ...moment(blockAt, 'block', 'The transaction’s block, as the chain dates it.'),
      {
        at: receivedAt,
        what: 'arrived',
        text: isReceived ? 'Its first byte arrived.' : `Put here: ${originWords[origin]}.`,
        ok: true,
      },
      ...(isReceived
        ? ([
            { at: storedAt, what: 'stored', text: 'On disk.', ok: true },
            {
              at: storedAt,
              what: 'answered',
              text:
                status === null
                  ? 'Nothing was answered: nobody was there any more, or a rule wanted it so.'
                  : `Answered ${status}.`,
              ok: status !== null && status >= 200 && status < 300,
            },
          ] as const)
        : []),
      ...moment(row?.understoodAt ?? null, 'understood', 'Its transaction was read.'),
      ...(await deps.otherMoments(id)),
    ]
    // In the order given where two are of one moment.
    return moments.toSorted((one, other) => one.at - other.at)
  }

  return {
    'meaning.get': ({ id, again }) => get(id, again),
    'meaning.timeline': ({ id }) => timeline(id),
    async 'meaning.setNetwork'({ ids, network }) {
      if (network !== null) deps.checkNetwork(network)
      await deps.reconsider.say(ids, network)
      return {}
    },
    'meaning.progress': deps.progress,
    async 'meaning.retry'() {
      await deps.reconsider.unavailable()
      return deps.progress(undefined)
    },
  }
}

const readLedger = 'Read the invoices of its network, or add the token for them.'
const unknownInvoice = `Nothing tells whose invoice this is: no ledger here has taken it. ${readLedger}`

const originWords = {
  received: 'received',
  rebuilt: 'rebuilt from the chain',
  imported: 'imported from a file',
  test: 'a test delivery',
} as const

function moment(at: number | null, what: 'block' | 'understood', text: string): CaptureTimeline {
  return at === null ? [] : [{ at: at * 1000, what, text, ok: true }]
}

/** A delivery can say what it likes. */
function otherAccount(
  account: string | null,
  kind: Facts['kind'] | undefined,
  answer: TransactionAnswer | null,
): string | null {
  if (answer === null || account === null || !tellsOfTransaction(kind ?? null)) return null
  const real = answer.transaction.account.address
  return real === account
    ? null
    : `The delivery names ${account}, but the transaction with this hash is of ${real}.`
}

function rawOf(text: string | null | undefined): string | null {
  return text ? (readAddress(text)?.raw ?? null) : null
}
