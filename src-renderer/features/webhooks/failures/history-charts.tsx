import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import { type Series, count, duration } from '../../../components/charts/series.ts'
import { type BandPart, StatusBand } from '../../../components/charts/status-band.tsx'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { Columns, Stack, Text } from '../../../ui/layout.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { type History, describeRange, describeStep, statusSpans, useHistory } from './history.ts'

const attempts: readonly Series[] = [{ key: 'failedAttempts', name: 'failed attempts', colour: 4 }]
const failing: readonly Series[] = [{ key: 'failing', name: 'accounts failing', colour: 3 }]
const usage: readonly Series[] = [
  { key: 'delivered', name: 'delivered', colour: 1 },
  { key: 'failed', name: 'failed', colour: 4 },
]
const received: readonly Series[] = [
  { key: 'received', name: 'received', colour: 2 },
  { key: 'refused', name: 'rejected', colour: 4 },
]
const lag: readonly Series[] = [{ key: 'lag', name: 'lag', colour: 5 }]

const chartWidth = 330

/** The history of a webhook, with the sources of the data. */
export function WebhookCharts({ webhook, range }: { webhook: Webhook; range: HistoryRange }) {
  return (
    <Loaded query={useHistory(webhook, null, range)} of="the history" rows={10}>
      {(history) => <Charts webhook={webhook} history={history} span={describeRange(range)} />}
    </Loaded>
  )
}

function Charts({ webhook, history, span }: { webhook: Webhook; history: History; span: string }) {
  const { points, axis, steps, milliseconds, sources } = history
  const unit = describeStep(milliseconds)
  const total = (key: string) => points.reduce((sum, { values }) => sum + (values[key] ?? 0), 0)
  const totals = (series: readonly Series[]) =>
    series.map(({ key, name }) => `${formatNumber(total(key))} ${name}`).join(', ')
  const peak = (key: string) => Math.max(0, ...points.map(({ values }) => values[key] ?? 0))
  // Nothing of a webhook that delivers elsewhere arrives here.
  const hasReceived = webhook.isHere || total('received') + total('refused') > 0
  const shared = { points, axis, running: points.at(-1)?.startsAt }
  return (
    <Stack gap="none" line="below">
      <Columns least={chartWidth} gap="none">
        <TimeChartPanel
          title="Failed attempts"
          unit={unit}
          name={`Failed attempts ${unit}, ${span}: ${totals(attempts)}`}
          kind="bars"
          series={attempts}
          measure={count}
          {...shared}
        />
        <TimeChartPanel
          title="Failing accounts"
          unit="peak"
          name={`Failing accounts, ${span}: at most ${formatCount(peak('failing'), 'account')}`}
          kind="lines"
          series={failing}
          measure={count}
          {...shared}
        />
        <TimeChartPanel
          title="Delivered and failed"
          unit={unit}
          name={`Delivered and failed ${unit}, ${span}: ${totals(usage)}`}
          kind="bars"
          series={usage}
          measure={count}
          note="Counted by the gateway for all webhooks of this key."
          {...shared}
        />
        {hasReceived && (
          <TimeChartPanel
            title="Received here"
            unit={unit}
            name={`Received here ${unit}, ${span}: ${totals(received)}`}
            kind="bars"
            series={received}
            measure={count}
            note="Deliveries of this webhook that this receiver accepted or rejected."
            {...shared}
          />
        )}
        <TimeChartPanel
          title="Delivery lag"
          unit="peak, worst account"
          name={`Delivery lag, ${span}: at most ${duration.print(peak('lag'))}`}
          kind="lines"
          series={lag}
          measure={duration}
          note="Measured for failing and watched accounts."
          {...shared}
        />
        <StatusBand
          title="Status"
          unit="worst per step"
          name={`Status, ${span}`}
          axis={axis}
          parts={statusSpans(steps, milliseconds).map(({ status, from, to }): BandPart => ({
            look: status ?? 'unknown',
            word: status ?? 'no data',
            from: fromMs(from),
            to: fromMs(to),
          }))}
        />
      </Columns>
      {sources.length > 0 && (
        <Stack as="ul" gap="xs" pad="m" line="above" aria-label="Sources">
          {sources.map((source) => (
            <Text as="li" key={source} size="s" tone="dim">
              {source}
            </Text>
          ))}
        </Stack>
      )}
    </Stack>
  )
}

/** Failed attempts and lag of one account. */
export function AccountCharts({
  webhook,
  account,
  range,
}: {
  webhook: Webhook
  account: string
  range: HistoryRange
}) {
  const span = describeRange(range)
  const query = useHistory(webhook, account, range)
  return (
    <Loaded query={query} of="the history of the account" rows={5}>
      {({ points, axis, milliseconds }) => {
        const unit = describeStep(milliseconds)
        const shared = { points, axis, running: points.at(-1)?.startsAt }
        return (
          <Stack line="below">
            <Columns least={chartWidth} gap="none">
              <TimeChartPanel
                title="Failed attempts"
                unit={unit}
                name={`Failed attempts of this account ${unit}, ${span}`}
                kind="bars"
                series={attempts}
                measure={count}
                {...shared}
              />
              <TimeChartPanel
                title="Delivery lag"
                unit="peak"
                name={`Delivery lag of this account, ${span}`}
                kind="lines"
                series={lag}
                measure={duration}
                {...shared}
              />
            </Columns>
          </Stack>
        )
      }}
    </Loaded>
  )
}
