import { create } from 'zustand'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import type { MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { request } from '../../../app/bridge.ts'
import { navigate } from '../../../app/route.ts'
import { readSpan as readDuration } from '../../../components/time-span.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { createAddressList } from '../../../components/address-list/address-list.ts'
import { type ChosenSpan, printLocal, readSpan } from './check-span.ts'

export type CheckedAccounts = 'all' | 'failing' | 'list'

type NewCheck = {
  readonly accounts: CheckedAccounts
  readonly span: ChosenSpan
  /** As it is typed: "1 min". */
  readonly lateAfter: string
}

/** The check being put together; it stays while one looks at other pages. */
export const useNewCheck = create<NewCheck>(() => ({
  accounts: 'all',
  span: { name: '24h', from: '', to: '' },
  lateAfter: '1 min',
}))

/** The accounts to check, where they are a list. */
export const checkedList = createAddressList()

const hour = 3_600_000
const day = 24 * hour

/** Puts together a check of one account around its failure, for the person to begin. */
export function checkAccount(
  { id, network }: Webhook,
  { account, failedAt }: { readonly account: string; readonly failedAt: number | null },
): void {
  const isRecent = failedAt === null || Date.now() - failedAt < day - hour
  checkedList.feed.clear()
  checkedList.feed.useNetwork(network)
  checkedList.feed.type(account)
  useNewCheck.setState({
    accounts: 'list',
    span: isRecent
      ? { name: '24h', from: '', to: '' }
      : { name: 'free', from: printLocal(failedAt - hour), to: '' },
  })
  navigate({ ...webhookRoute(id, 'missed'), network })
}

/** Milliseconds, or what is wrong with it as a sentence. */
export function readLateness(text: string): number | string {
  const ms = readDuration(text)
  if (ms === null) return 'Type a time such as 30 s or 5 min.'
  if (ms < 1000 || ms > day) return 'From 1 s to 24 h.'
  return ms
}

/** Begins it. @throws AppError also for what was filled in wrongly */
export async function startCheck({ id, network }: Webhook): Promise<MissedCheck> {
  const { accounts, span, lateAfter } = useNewCheck.getState()
  const times = readSpan(span, Date.now())
  const lateAfterMs = readLateness(lateAfter)
  if (typeof times === 'string') throw new AppError('SPAN_INVALID', times)
  if (typeof lateAfterMs === 'string') throw new AppError('LATENESS_INVALID', lateAfterMs)
  const begin = (which: Input<'ledger.start'>['accounts']) =>
    request('ledger.start', { network, webhook: id, accounts: which, ...times, lateAfterMs })
  if (accounts === 'all') return begin({ all: true })
  if (accounts === 'failing') return begin({ failing: true })
  return checkedList.feed.hand((draft) => begin({ draft }))
}
