import type {
  CaptureExplanation,
  CaptureTimeline,
} from '../../../src-preload/contract/explanation.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { InvoiceDetail } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { TransactionResult } from '../../../src-preload/contract/chain/transaction.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { Facts } from '../store/index/facts.ts'
import type { NetworkHint, StoredExplanation } from '../store/capture-explanations.ts'
import type { StoredCaptureDetail } from '../store/captures.ts'
import type { ExplanationDeps, TransactionRequests } from './requests.ts'
import type { NetworkOf } from './network-of.ts'
import type { PaidInvoices } from './paid-invoice.ts'
import { type CaptureReader, parseInvoiceDelivery, readRawAddress } from './read-capture.ts'
import type { Reconsider } from './reconsider.ts'
import { createRefs, explanationOfRow, isAboutTransaction } from './facts.ts'
import type { ReplaySending } from '../../../src-preload/contract/replay.ts'
import type { ShownResponse } from '../../../src-preload/contract/target.ts'

type ExplanationRouteDeps = ExplanationDeps & {
  readonly captureReader: CaptureReader
  readonly reconsider: Reconsider
  readonly networkOf: NetworkOf
  readonly requests: TransactionRequests
  readonly paidInvoices: PaidInvoices
  readonly progress: Handlers['explanation.progress']
  readonly signal: AbortSignal
}

type Routes = Pick<Handlers, Extract<keyof Handlers, `explanation.${string}`>>

export function createExplanationRoutes(deps: ExplanationRouteDeps): Routes {
  const { captures, meanings, reader } = deps

  const stored = (id: number) => meanings.byIds([id]).get(id)

  async function rowOf(id: number): Promise<StoredExplanation | undefined> {
    const row = stored(id)
    if (row !== undefined) return row
    await deps.reconsider.captures([id])
    return stored(id)
  }

  function storedTransactionOf(row: StoredExplanation | undefined): TransactionResult | null {
    if (row?.network === null || row?.hash === null || row === undefined) return null
    return reader.kept(row.network, row.hash)?.answer ?? null
  }

  /**
   * Returns the stored transaction if it is complete, else the gateway's; with the reason if the
   * request failed.
   */
  async function transactionOf(row: StoredExplanation | undefined, again: boolean) {
    const storedTransaction = storedTransactionOf(row)
    if (row === undefined || row.network === null || row.hash === null) {
      return { transaction: null, problem: null }
    }
    const isWhole = row.facts.state === 'known' && storedTransaction?.trace?.isComplete === true
    if (isWhole && !again) return { transaction: storedTransaction, problem: null }
    try {
      const { answer } = await deps.requests.read(row, deps.signal)
      return { transaction: answer, problem: answer.offline }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { transaction: storedTransaction, problem: error.message }
    }
  }

  /**
   * The account that a delivery names if the transaction belongs to another one, because anyone can
   * send such a delivery.
   */
  function otherAccount(
    network: NetworkId | null,
    account: string | null,
    answer: TransactionResult | null,
  ): string | null {
    const real = answer?.transaction.account
    if (network === null || account === null || !real || real.address === account) return null
    const [named, owner] = [{ address: account }, real].map((ref) => deps.nameAccount(network, ref))
    return `The delivery names ${named}, but the transaction with this hash belongs to ${owner}.`
  }

  async function get(id: number, again: boolean): Promise<CaptureExplanation> {
    const capture = captures.existing(id)
    const captureFacts = deps.facts.byIds([id]).get(id)
    const kind = captureFacts?.kind
    const read = await transactionOf(await rowOf(id), again)
    const before = stored(id)?.network ?? null
    if (before !== null) deps.paidInvoices.refresh(before, id)
    // The request may have changed the row.
    const row = stored(id)
    const { network, by, facts } = explanationOfRow(capture, captureFacts, row, deps.networkOf)
    const { transaction } = read
    const account =
      readRawAddress(captureFacts?.account) ?? transaction?.transaction.account.address ?? null
    const { sender, recipient } = facts
    const refs = createRefs(network, transaction, [account, sender, recipient], deps.labelsOf)
    const body = kind === 'invoice' ? await deps.captureReader.bodyText(id) : null
    const told = parseInvoiceDelivery(body ?? '')?.told ?? null
    const relation = kind === 'invoice' ? 'told' : 'paid'
    const detail =
      facts.invoice === null || network === null ? null : await deps.invoice(network, facts.invoice)
    return {
      capture: id,
      network,
      networkWhy: by === null ? null : clueLabels[by],
      facts,
      account: refs(account),
      sender: refs(sender),
      recipient: refs(recipient),
      transaction,
      invoice: facts.invoice === null ? null : { relation, told, detail, id: facts.invoice },
      problem:
        problemOf(kind ?? null, row, network, detail, read.problem, deps.requests) ??
        (isAboutTransaction(kind ?? null) ? otherAccount(network, account, transaction) : null),
    }
  }

  async function timeline(id: number): Promise<CaptureTimeline> {
    const capture = captures.existing(id)
    const row = stored(id)
    const blockAt = row?.blockAt ?? storedTransactionOf(row)?.transaction.at ?? null
    const others = await deps.otherMoments(id)
    return [
      ...moment(blockAt, 'block', 'The transaction’s block was created (chain time).'),
      ...arrivalMoments(capture),
      ...moment(row?.understoodAt ?? null, 'understood', 'Transaction loaded.'),
      ...others,
    ].toSorted((one, other) => one.at - other.at)
  }

  return {
    'explanation.get': ({ id, again }) => get(id, again),
    'explanation.timeline': ({ id }) => timeline(id),
    async 'explanation.setNetwork'({ ids, network }) {
      if (network !== null) deps.checkNetwork(network)
      await deps.reconsider.setNetwork(ids, network)
      return {}
    },
    'explanation.progress': deps.progress,
    async 'explanation.retry'() {
      await deps.reconsider.unavailable()
      return deps.progress(undefined)
    },
  }
}

const clueLabels: Readonly<Record<NetworkHint, string>> = {
  token: 'Identified by the token, which belongs to a webhook of this network.',
  endpoint: 'Identified by the URL: only webhooks of this network deliver to it.',
  invoice: 'Identified by the invoice, which belongs to this network.',
  person: 'You chose this network.',
}

const unknownNetwork =
  'The network of this delivery is unknown: no webhook that Tondesk knows has this token or delivers to this URL. Load the webhooks of the right network, or choose the network here.'

const readLedger = 'Sync the invoices of the right network, or add its invoices API token.'
const unknownInvoice = `The network of this invoice is unknown: no local ledger contains it. ${readLedger}`

const originWords = {
  rebuilt: 'rebuilt from the chain',
  imported: 'imported from a file',
  test: 'a test delivery',
  watched: 'made from a transaction of a watched account',
} as const

function problemOf(
  kind: Facts['kind'] | null,
  row: StoredExplanation | undefined,
  network: NetworkId | null,
  invoice: InvoiceDetail | null,
  readProblem: string | null,
  requests: Pick<TransactionRequests, 'problem'>,
): string | null {
  if (kind === null) return 'Not analyzed yet. This happens moments after the arrival.'
  if (kind === 'unknown')
    return 'This is not a delivery of the gateway. No network data is loaded for this capture.'
  if (kind === 'invoice') {
    if (row !== undefined && row.problem !== null) return row.problem
    if (network === null) return unknownInvoice
    return invoice === null ? `The local ledger does not have this invoice. ${readLedger}` : null
  }
  if (network === null) return unknownNetwork
  if (row?.facts.state === 'known') return readProblem
  return readProblem ?? row?.problem ?? requests.problem(network)
}

function arrivalMoments({
  receivedAt,
  durationUs,
  status,
  origin,
}: StoredCaptureDetail): CaptureTimeline {
  if (origin !== 'received') {
    const text = `Added: ${originWords[origin]}.`
    return [{ at: receivedAt, what: 'arrived', text, ok: true }]
  }
  const at = receivedAt + (durationUs ?? 0)
  const isAccepted = status !== null && status >= 200 && status < 300
  const response =
    status === null
      ? 'No response was sent, because the sender had disconnected or a response rule prevented it.'
      : `Responded ${status}.`
  return [
    { at: receivedAt, what: 'arrived', text: 'First byte received.', ok: true },
    { at, what: 'stored', text: 'The capture was stored on disk.', ok: true },
    { at, what: 'answered', text: response, ok: isAccepted },
  ]
}

const moment = (at: number | null, what: 'block' | 'understood', text: string): CaptureTimeline =>
  at === null ? [] : [{ at: at * 1000, what, text, ok: true }]

export const replayMoments = (sendings: readonly ReplaySending[]): CaptureTimeline =>
  sendings.map(({ at, target, edited, answer }) => ({
    at,
    what: 'replayed',
    text: `${edited ? 'Edited and replayed' : 'Replayed'} to ${target}: ${describeWaiting(answer)}`,
    ok: answer.isDelivered,
  }))

function describeWaiting({ status, problem, isDelivered }: ShownResponse): string {
  if (status === null) return problem ?? (isDelivered ? 'delivered.' : 'no response.')
  return problem === null ? `responded ${status}.` : `responded ${status}; ${problem}`
}
