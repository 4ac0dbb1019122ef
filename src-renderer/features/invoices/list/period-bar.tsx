import { useEffect } from 'react'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { reload, useData, useDataOf } from '../../../app/bridge.ts'
import { currencyChoices } from '../../../components/amount.ts'
import { useClockOffset } from '../../../components/gateway-clock.ts'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Button, Chip, Choices } from '../../../ui/button.tsx'
import { DaySpanForm, FormChip } from '../../../ui/form-chip.tsx'
import { Row, useNow } from '../../../ui/layout.tsx'
import {
  chooseDays,
  choosePeriod,
  choosePeriodCurrencies,
  fitPeriod,
  periodPresets,
  formatPeriod,
  renewPeriod,
  usePeriod,
} from '../period.ts'
import { SyncState } from './sync-state.tsx'

/** The period of figures and charts, whether they are shown, and how current the data is. */
export function PeriodBar({
  isFolded,
  onFold,
}: {
  /** Null where there is nothing to fold. */
  isFolded: boolean | null
  onFold: (isFolded: boolean) => void
}) {
  const currencies = usePeriod((state) => state.currencies)
  return (
    <Row wrap pad="m" line="below">
      {isFolded !== null && (
        <>
          <Button
            kind="quiet"
            icon={isFolded ? 'right' : 'down'}
            aria-expanded={!isFolded}
            onClick={() => onFold(!isFolded)}
          >
            {isFolded ? 'Show charts' : 'Hide charts'}
          </Button>
          {!isFolded && (
            <>
              <PeriodChip />
              <Choices<InvoiceCurrency | null>
                label="Currencies of the charts"
                value={currencies.length === 1 ? (currencies[0] ?? null) : null}
                options={[{ value: null, label: 'All currencies' }, ...currencyChoices]}
                onChange={(currency) => choosePeriodCurrencies(currency === null ? [] : [currency])}
              />
            </>
          )}
        </>
      )}
      <SyncState />
    </Row>
  )
}

function PeriodChip() {
  const { id } = useShownNetwork()
  const period = usePeriod()
  const offset = useClockOffset(id)
  const now = useNow() / 1000 + offset
  const day = new Date(now).toDateString()
  useEffect(() => renewPeriod(offset), [day, offset])
  useFittingPeriod(id)
  return (
    <FormChip label={`Charts: ${formatPeriod(period, now)} ▾`} isOn={false} title="Period">
      {(close) => (
        <DaySpanForm
          required
          from={period.from}
          to={period.to - 1}
          onDone={({ from, to }) => {
            if (from !== null && to !== null) chooseDays(from, to)
            close()
          }}
        >
          <Row wrap gap="s" role="group" aria-label="Period">
            {periodPresets.map(({ value, label }) => (
              <Chip
                key={value}
                pressed={value === period.preset}
                onPress={() => {
                  choosePeriod(value)
                  close()
                }}
              >
                {label}
              </Chip>
            ))}
          </Row>
        </DaySpanForm>
      )}
    </FormChip>
  )
}

/** Until the user chooses a period, it is the smallest that holds all invoices. */
function useFittingPeriod(id: NetworkId): void {
  const total = useData('invoice.counts', { network: id }).data?.total ?? 0
  const fullAt = useData('invoiceSync.state', { network: id }).data?.fullAt
  const first = { network: id, sort: { by: 'created', descending: false }, limit: 1 } as const
  const oldest = useDataOf('invoice.page', total > 0 ? first : null).data?.invoices[0]
  // A full sync may bring older invoices.
  useEffect(() => reload('invoice.page', { network: id }), [id, fullAt])
  const createdAt = oldest?.network === id ? oldest.createdAt : null
  useEffect(() => {
    if (createdAt !== null) fitPeriod(createdAt)
  }, [createdAt])
}
