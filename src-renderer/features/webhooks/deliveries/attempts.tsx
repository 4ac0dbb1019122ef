/** The failed delivery attempts of a webhook: equal ones as one line. */
import type { DeliveryErrors } from '../../../../src-preload/contract/failure.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { queryHref } from '../../../app/route.ts'
import { useCountedData } from '../../../components/charts/counted.ts'
import { queryTerm } from '../../../components/query-term.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Hint, Section, Stack, Tag, Text } from '../../../ui/layout.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Table, column } from '../../../ui/table.tsx'
import { type InRange, currentBounds, describeRange } from './history.tsx'
import { Span, accountColumn } from './outages.tsx'

export function Errors({ webhook, range }: InRange) {
  const { network, id } = webhook
  const load = () => request('failure.errors', { network, webhook: id, ...currentBounds(range) })
  const query = useCountedData('failure.errors', { network, webhook: id, range }, load, 5000)
  return (
    <Section
      title="Errors"
      end={
        webhook.isHere && (
          <a href={queryHref(capturesOf(webhook))}>All deliveries in the Inspector</a>
        )
      }
    >
      <Loaded query={query} of="the errors" rows={6}>
        {(errors) =>
          errors.total === 0 ? (
            <Hint>No failed delivery attempts in {describeRange(range)}.</Hint>
          ) : (
            <ErrorsShown webhook={webhook} range={range} errors={errors} />
          )
        }
      </Loaded>
    </Section>
  )
}

function ErrorsShown({
  webhook,
  range,
  errors: { groups, moreGroups, total, isWhole },
}: InRange & { errors: DeliveryErrors }) {
  return (
    <Stack>
      <Table<DeliveryErrors['groups'][number]>
        scroll
        label="Errors by status and account"
        rows={groups}
        keyOf={({ cause, account }) => `${cause} ${account ?? ''}`}
        columns={[
          column('Error', {}, ({ text }) => <Tag tone="bad">{text}</Tag>),
          accountColumn({ webhook, range }, <Text tone="faint">not in the log</Text>),
          column('Failed attempts', { look: 'number' }, ({ count: attempts }) =>
            formatNumber(attempts),
          ),
          column('Time', {}, ({ firstAt, lastAt }) => <Span from={firstAt} to={lastAt} />),
          column('Source', {}, ({ cause, account, capture }) =>
            capture === null ? (
              <Text tone="faint">gateway’s log</Text>
            ) : (
              <a href={queryHref(capturesOf(webhook, { cause, account }))}>Show captures</a>
            ),
          ),
        ]}
      />
      {moreGroups > 0 && (
        <Hint>{formatCount(moreGroups, 'smaller group')} of errors not shown.</Hint>
      )}
      {!isWhole && <Hint>Only the newest {formatNumber(total)} failed attempts are counted.</Hint>}
    </Stack>
  )
}

/** The query that finds the delivery attempts of a webhook. */
export function capturesOf(
  { network, id }: Pick<Webhook, 'network' | 'id'>,
  { cause = '', account = null }: { cause?: string; account?: string | null } = {},
): string {
  return [
    queryTerm('network', network),
    queryTerm('webhook', id),
    'origin:received',
    /^\d+$/.test(cause) && queryTerm('status', cause),
    cause === 'no-response' && 'status:none',
    account !== null && queryTerm('account', account),
  ]
    .filter((term) => term !== false)
    .join(' ')
}
