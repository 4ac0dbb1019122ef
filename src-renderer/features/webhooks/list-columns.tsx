/** The columns of the list of webhooks. */
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { webhookState } from '../../../src-preload/domain/webhook-state.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { Sparkline } from '../../components/charts/sparkline.tsx'
import { Endpoint, StatusTag } from '../../components/webhook.tsx'
import { createHiddenColumns } from '../../ui/data-columns.ts'
import { type DataColumn, dataColumn } from '../../ui/data-list.tsx'
import { formatDuration, formatNumber, fromMs } from '../../ui/format.ts'
import { Tag, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { describeSpark } from './accounts/subscriptions.ts'
import { attemptsOf, describeDelay, describeSuccess, formatSuccess } from './deliveries/health.ts'
import type { ListedWebhook, SortKey } from './webhook-rows.ts'

export const hiddenColumns = createHiddenColumns('tondesk.webhooks-columns')

export const columns: readonly DataColumn<ListedWebhook, SortKey>[] = [
  dataColumn('Status', { width: 84, sort: 'status' }, (webhook) => <StatusTag webhook={webhook} />),
  // The gateway's time is that of its own status, not of the first failure.
  dataColumn(
    'Since',
    { width: 92, gives: 9, look: 'dim' },
    (webhook) =>
      webhook.statusSince !== null &&
      webhookState(webhook) === webhook.status && <Moment at={fromMs(webhook.statusSince)} />,
  ),
  dataColumn('Endpoint', { width: 210, grow: 1, sort: 'endpoint' }, ({ endpoint }) => (
    <Endpoint url={endpoint} mono />
  )),
  dataColumn(
    'Receiver',
    { width: 96, gives: 7, hideName: true },
    ({ isHere }) => isHere && <HereTag />,
  ),
  dataColumn(
    'Success, 24 h',
    {
      width: 88,
      gives: 1,
      sort: 'success',
      look: 'number',
      tone: ({ health }) => ((health?.failed ?? 0) > 0 ? 'warn' : undefined),
      title: ({ health }) => health && describeSuccess(health),
    },
    ({ health }) => health && formatSuccess(health),
  ),
  dataColumn(
    'Attempts, 24 h',
    {
      width: 96,
      gives: 8,
      sort: 'attempts',
      look: 'number',
      title: ({ health }) => health && describeSuccess(health),
    },
    ({ health }) => {
      const attempts = attemptsOf(health)
      if (attempts === null) return health && 'unknown'
      return formatNumber(attempts)
    },
  ),
  delayColumn('p50', 11),
  delayColumn('p95', 2),
  dataColumn(
    'Failures, 24 h',
    { width: 88, gives: 4 },
    ({ health }) =>
      health && <Sparkline values={health.failures} label={describeSpark(health.failures)} />,
  ),
  dataColumn(
    'Last error',
    { width: 150, gives: 6, sort: 'lastError', title: ({ health }) => health?.lastError?.text },
    ({ health }) =>
      health !== undefined &&
      health.lastError !== null && (
        <>
          <Text tone="dim">
            <Moment at={fromMs(health.lastError.at)} />
          </Text>{' '}
          <UntrustedText text={health.lastError.text} />
        </>
      ),
  ),
  countColumn('Accounts', { by: 'accounts', width: 70, gives: 3 }),
  countColumn('Opcodes', { by: 'opcodes', width: 70, gives: 5 }),
  dataColumn('Mempool', { width: 64, gives: 12, look: 'dim' }, ({ mempool }) => onOff(mempool)),
  dataColumn('New contracts', { width: 96, gives: 13, look: 'dim' }, ({ newContracts }) =>
    onOff(newContracts),
  ),
  countColumn('Failed attempts', { by: 'failedAttempts', width: 108, gives: 10, tone: 'warn' }),
  countColumn('Failing', { by: 'failing', width: 58, tone: 'bad' }),
  dataColumn(
    'Last online',
    { width: 94, gives: 14, sort: 'lastOnlineAt', look: 'dim' },
    ({ lastOnlineAt }) => lastOnlineAt !== null && <Moment at={fromMs(lastOnlineAt)} />,
  ),
]

function delayColumn(by: 'p50' | 'p95', gives: number): DataColumn<ListedWebhook, SortKey> {
  return dataColumn(
    `Delay ${by}, 24 h`,
    {
      width: 104,
      gives,
      sort: by,
      look: 'number',
      title: ({ health }) => health && describeDelay(health),
    },
    ({ health }) => {
      const delay = health?.delay?.[by]
      return delay !== undefined && formatDuration(fromMs(delay))
    },
  )
}

export function HereTag() {
  return <Tag title="This webhook delivers to the receiver on this computer.">this receiver</Tag>
}

function countColumn(
  name: string,
  {
    by,
    tone,
    ...room
  }: {
    by: 'accounts' | 'opcodes' | 'failedAttempts' | 'failing'
    /** The tone of the number if it is above zero. */
    tone?: 'warn' | 'bad'
    width: number
    gives?: number
  },
): DataColumn<ListedWebhook, SortKey> {
  return {
    name,
    ...room,
    sort: by,
    look: 'number',
    cell: (webhook) => {
      const count = by === 'failing' ? countFailing(webhook) : webhook[by]
      if (count === null) return null
      return <Text tone={count === 0 ? 'faint' : tone}>{formatNumber(count)}</Text>
    },
  }
}

/**
 * Counts failing accounts. Returns null if the accounts were never loaded, because an empty list
 * proves nothing then.
 */
function countFailing({ failing, accounts, subscriptionsReadAt }: Webhook): number | null {
  return failing > 0 || accounts === 0 || subscriptionsReadAt !== null ? failing : null
}

function onOff(flag: boolean | null): string {
  if (flag === null) return ''
  return flag ? 'on' : 'off'
}
