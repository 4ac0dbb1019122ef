import { useEffect, useState } from 'react'
import type { Closing } from '../../../../src-preload/contract/matter.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { useData } from '../../../app/bridge.ts'
import { ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { Button, Choices } from '../../../ui/button.tsx'
import { Note, Pane, Row, Stack, Text } from '../../../ui/layout.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { TextField } from '../../../ui/form.tsx'
import { offerClosing, openExport } from '../export/export-choice.ts'
import { useGatewayNow } from '../../../components/gateway-clock.ts'
import { readNow } from '../list/sync-state.tsx'
import { ZoneField } from '../zone.tsx'
import { ClosingRows } from './closing-rows.tsx'
import {
  type ClosedSpan,
  chooseClosing,
  closingPresets,
  printDays,
  spanOf,
  useClosingChoice,
} from './closing-span.ts'
import { GatewayTotals, Statement } from './statement.tsx'

/** The reconciliation of some days: invoices against the chain, differences first. */
export function ClosingView({ network }: { network: Network }) {
  const choice = useClosingChoice()
  const now = useGatewayNow(network.id) / 1000
  const span = spanOf(choice, now)
  return (
    <Pane>
      <SpanForm problem={typeof span === 'string' ? span : null} />
      {typeof span === 'string' ? (
        <div />
      ) : (
        // Rows of other days never stand below these totals.
        <Reconciliation
          key={`${span.from} ${span.to} ${span.zone}`}
          network={network}
          span={span}
          isOver={span.to <= now}
        />
      )}
    </Pane>
  )
}

function SpanForm({ problem }: { problem: string | null }) {
  const { preset, first, last, zone } = useClosingChoice()
  return (
    <Row wrap pad="m" line="below" role="group" aria-label="Period">
      <Choices
        label="Days"
        value={preset}
        options={closingPresets.map(([value, label]) => ({ value, label }))}
        onChange={(next) => chooseClosing({ preset: next })}
      />
      {preset === 'days' && (
        <>
          <TextField
            label="First day"
            hideLabel
            title="First day"
            type="date"
            value={first}
            onChange={(next) => chooseClosing({ first: next })}
          />
          <TextField
            label="Last day"
            hideLabel
            title="Last day (empty: the first day only)"
            type="date"
            value={last}
            onChange={(next) => chooseClosing({ last: next })}
          />
        </>
      )}
      <ZoneField hideLabel zone={zone} onChange={(next) => chooseClosing({ zone: next })} />
      {problem !== null && (
        <Text as="p" size="s" tone="dim" role="status">
          {problem}
        </Text>
      )}
    </Row>
  )
}

function Reconciliation({
  network,
  span,
  isOver,
}: {
  network: Network
  span: ClosedSpan
  isOver: boolean
}) {
  const { from, to, zone } = span
  const query = useData('closing.read', { network: network.id, from, to, zone })
  const [shown, setShown] = useState<'all' | 'differences'>('all')
  useEffect(() => offerClosing({ from, to, zone }), [from, to, zone])
  return (
    <Loaded query={query} of="the reconciliation" rows={8}>
      {(closing) => (
        <Pane roomy>
          <Stack as="section" pad="m" line="below" aria-label="Reconciliation report">
            <Row wrap align="baseline">
              <Text as="h2" size="l">
                {printDays(span)}
              </Text>
              <Text size="s" tone="dim">
                {zone}
                {!isOver && ', not over yet'}
              </Text>
              <Row last>
                <Button icon="download" onClick={openExport}>
                  Export the report…
                </Button>
              </Row>
            </Row>
            <Completeness network={network} closing={closing} isOver={isOver} />
            <Statement closing={closing} />
            <GatewayTotals network={network} />
          </Stack>
          <Row wrap pad="m" line="below">
            <ChoiceChips
              label="Rows shown"
              value={shown}
              choices={[
                { value: 'all', label: 'All rows' },
                {
                  value: 'differences',
                  label: 'Differences',
                  count: closing.differences,
                  tone: 'bad',
                },
              ]}
              onChange={setShown}
            />
            {closing.differences > 0 && (
              <Text size="s" tone="dim">
                Differences come first.
              </Text>
            )}
          </Row>
          <ClosingRows network={network} span={span} onlyDifferences={shown === 'differences'} />
        </Pane>
      )}
    </Loaded>
  )
}

/** Whether gateway and chain are loaded past the period; if not, the button that syncs. */
function Completeness({
  network,
  closing: { isComplete, problems },
  isOver,
}: {
  network: Network
  closing: Closing
  isOver: boolean
}) {
  const { data: sync } = useData('invoiceSync.state', { network: network.id })
  const [busy, setBusy] = useState(false)
  const isReading = busy || sync?.status === 'reading' || sync?.chain.isReading === true
  const read = async () => {
    setBusy(true)
    await readNow(network)
    setBusy(false)
  }
  if (isComplete && problems.length === 0) {
    return (
      <Text as="p" size="s" tone="ok">
        ✓ Gateway and chain are loaded past this period.
      </Text>
    )
  }
  const open = isOver
    ? 'Gateway and chain are not loaded to the end of this period yet. The totals may change.'
    : 'This period is not over. The totals show what is loaded so far.'
  return (
    <Note tone="warn">
      <Row wrap justify="between" role="status">
        <ul>
          {(problems.length === 0 ? [open] : problems).map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
        {!isComplete && (
          <Button icon="refresh" busy={isReading} onClick={() => void read()}>
            {isReading ? 'Syncing…' : 'Sync now'}
          </Button>
        )}
      </Row>
    </Note>
  )
}
