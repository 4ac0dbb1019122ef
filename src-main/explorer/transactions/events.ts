/** Converts the gateway's events to rows of a history, and adds them to the trace of a transaction. */
import type { AccountEvent, AssetChange } from '../../../src-preload/contract/chain/account.ts'
import type { Asset } from '../../../src-preload/contract/chain/references.ts'
import type {
  ActionView,
  EventView,
  Trace,
} from '../../../src-preload/contract/chain/transaction.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { AccountEventResponse, ActionResponse } from '../../gateway/event-responses.ts'
import { rawAddress } from '../../ton/address.ts'
import { readHash } from '../../ton/hash.ts'
import { describeAction, endsOf, movesOf, partiesOf } from '../../chain/actions.ts'
import { type LabelsOf, type Naming, createNamer } from '../../chain/addresses.ts'
import { type ExplorerContext, unlessRefused } from '../../chain/access.ts'
import type { Dictionaries } from '../contracts/dictionaries.ts'
import type { HistoryEntry } from '../../chain/history-row.ts'
import type { createTransactionReader } from './transactions.ts'

/** A hostile gateway may send any number of actions; the service sends tens. */
const maxActions = 200
const maxTransactions = 200

/** @param account raw address whose history the events belong to */
export function eventEntries(
  events: readonly AccountEventResponse[],
  account: string,
  labelsOf: LabelsOf,
): HistoryEntry[] {
  const parties = partiesOf(events.flatMap(({ actions }) => actions))
  const name = createNamer(parties.named, parties.plain, labelsOf)
  return events.map((event) => ({
    row: eventRow(event, account, name),
    opcodes: [],
    isFirst: false,
  }))
}

function eventRow(event: AccountEventResponse, account: string, name: Naming) {
  const { actions, extra } = event
  const changes = changesOf(actions, account)
  const signs = new Set(changes.map(({ units }) => units.startsWith('-')))
  const failed = actions.filter(({ status }) => status === 'failed').length
  const ends = new Set(actions.flatMap(endsOf).filter((each) => each !== account))
  const [peer] = ends
  const shown: AccountEvent = {
    ...showEvent(event, { name, viewer: account, trace: null }),
    changes,
    extra,
  }
  return {
    hash: shown.id,
    lt: event.lt,
    at: event.timestamp * 1000,
    direction: signs.size !== 1 ? 'other' : signs.has(true) ? 'out' : 'in',
    success: failed === 0,
    peer: peer !== undefined && ends.size === 1 ? name(peer) : null,
    change: changes.length === 1 ? (changes[0] ?? null) : null,
    opcode: null,
    operation: null,
    comment: null,
    // The gateway does not list fees separately: the part of the change that no action explains contains them.
    fees: extra.startsWith('-') ? extra.slice(1) : '0',
    outMessages: 0,
    failure: describeFailures(failed, actions.length),
    event: shown,
  } as const
}

function describeFailures(failed: number, all: number): string | null {
  if (failed === 0) return null
  if (failed === all) return all === 1 ? 'The action failed.' : 'All actions failed.'
  return `${failed} of ${all} actions failed.`
}

/** Sums of an account over all successful actions, in order of appearance; sums of zero are omitted. */
export function changesOf(actions: readonly ActionResponse[], account: string): AssetChange[] {
  const sums = new Map<string, { readonly asset: Asset; units: bigint }>()
  for (const { account: owner, asset, units } of actions.flatMap(movesOf)) {
    if (rawAddress(owner) !== account) continue
    const key = `${rawAddress(asset.jetton ?? '')} ${asset.extraCurrency ?? ''}`
    const sum = sums.get(key) ?? { asset, units: 0n }
    sums.set(key, { asset: sum.asset, units: sum.units + units })
  }
  return [...sums.values()].flatMap(({ asset, units }) =>
    units === 0n ? [] : [{ asset, units: units.toString() }],
  )
}

function showEvent(
  {
    event_id: id,
    is_scam: isScam,
    in_progress: inProgress,
    actions,
  }: Pick<AccountEventResponse, 'event_id' | 'is_scam' | 'in_progress' | 'actions'>,
  view: { readonly name: Naming; readonly viewer: string | null; readonly trace: Trace | null },
): EventView {
  return {
    id,
    isScam,
    inProgress,
    actions: actions.slice(0, maxActions).map((action): ActionView => ({
      kind: action.type.slice(0, 100),
      status: action.status,
      sentence: describeAction(action, view),
      transactions: action.transactions
        .slice(0, maxTransactions)
        .flatMap((hash) => readHash(hash) ?? []),
      isConfirmed: view.trace === null ? null : confirm(action, view.trace),
    })),
  }
}

/**
 * Compares a transfer with the transactions of its trace. Other kinds combine several messages in
 * ways that depend on the contract, so they are not compared.
 */
function confirm({ known, status }: ActionResponse, trace: Trace): boolean | null {
  if (status !== 'ok' || !trace.isComplete) return null
  if (known?.kind === 'TonTransfer') {
    const { sender, recipient, amount } = known.details
    return trace.nodes.some(
      ({ source, account, value }) =>
        source?.address === sender.address &&
        account.address === recipient.address &&
        value === amount,
    )
  }
  if (known?.kind !== 'JettonTransfer') return null
  const moved = trace.nodes.flatMap(({ jetton }) => jetton ?? [])
  const isUnknown = trace.nodes.some(
    ({ jetton, operation }) => jetton === null && operation?.startsWith('jetton_') === true,
  )
  const { amount, jetton } = known.details
  // Wrapped coins move without a message of the jetton standard, so they count as unknown.
  return moved.length === 0 || isUnknown
    ? null
    : moved.some(({ asset, units }) => asset.jetton === jetton.address && units === amount)
}

/** The event from no account's point of view, with its parties named. */
export function viewOfEvent(
  event: Parameters<typeof showEvent>[0],
  labelsOf: LabelsOf,
  trace: Trace | null,
): EventView {
  const { named, plain } = partiesOf(event.actions)
  return showEvent(event, { name: createNamer(named, plain, labelsOf), viewer: null, trace })
}

/** The event is null if the gateway does not know it or does not list events. */
export function createEvents(
  { access, labelsOf }: ExplorerContext,
  reader: ReturnType<typeof createTransactionReader>,
  dictionaries: Pick<Dictionaries, 'nameActions'>,
): Handlers['transaction.event'] {
  return async ({ network, id }) => {
    const signal = access.interest(network)
    const found = await unlessRefused(access.query(network).event(id, { signal }))
    if (found === null || readHash(found.event_id) === null) return { network, event: null }
    const actions = dictionaries.nameActions(network, found.actions)
    const trace = reader.kept(network, id)?.answer.trace ?? null
    const named = (addresses: readonly string[]) => labelsOf(network, addresses)
    return { network, event: viewOfEvent({ ...found, actions }, named, trace) }
  }
}
