import type { RefObject } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatCount } from '../../../ui/format.ts'
import { type InvoicesQuery, everyInvoice } from '../../../app/invoices-route.ts'
import { useNow } from '../../../ui/moment.tsx'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { useTotal } from '../../../components/list/list-states.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { useGatewayNow } from '../gateway-clock.ts'
import { invoiceCounts } from '../invoices.ts'
import { cancelShown } from './cancel-commands.tsx'
import { optionalColumns } from './columns.ts'
import { toggleColumn, useHiddenColumns } from './hidden-columns.ts'
import { AmountChip, CurrencyChip, MatterChip, PeriodChip, StateChip } from './filter-chips.tsx'
import { changeQuery } from './go.ts'
import { invoices } from './invoice-list.ts'
import { builtInViews, isFiltered, isSameQuery, printWithin } from './invoice-query.ts'
import { ViewsMenu } from './views-menu.tsx'
import styles from './list.module.css'

/** Which invoices are shown: all of it stands in the link. */
export function FilterBar({
  network,
  query,
  field,
}: {
  network: Network
  query: InvoicesQuery
  field: RefObject<HTMLInputElement | null>
}) {
  return (
    <search className={styles['filter']}>
      <BuiltIn network={network} query={query} />
      <ViewsMenu query={query} />
      <span className={styles['line']} aria-hidden="true" />
      <Filters network={network} query={query} />
      <SearchField
        ref={field}
        label="Search the invoices"
        placeholder="type to search"
        value={query.text}
        onSearch={(text) => changeQuery({ text }, true)}
      />
      {isFiltered(query) && (
        <Button kind="quiet" onClick={() => changeQuery({ ...everyInvoice, sort: query.sort })}>
          Clear all
        </Button>
      )}
      <Foot network={network} isFiltered={isFiltered(query)} />
    </search>
  )
}

function BuiltIn({ network, query }: { network: Network; query: InvoicesQuery }) {
  const now = useGatewayNow(network.id) / 1000
  const counts = valueOf(useResource(invoiceCounts(network.id)))
  const views = builtInViews(new Date(now).setHours(0, 0, 0, 0))
  const shown = views.find((view) => isSameQuery(view.query, query))
  const known: Record<string, number | undefined> = {
    All: counts?.total,
    Pending: counts === null ? undefined : (counts.byStatus['pending'] ?? 0),
  }
  return (
    <ChoiceChips<string | null>
      label="Views"
      value={shown?.name ?? null}
      choices={views.map(({ name }) => ({ value: name, label: name, count: known[name] }))}
      onChange={(name) => {
        const view = views.find((each) => each.name === name)
        if (view !== undefined) changeQuery(view.query)
      }}
    />
  )
}

function Filters({ network, query }: { network: Network; query: InvoicesQuery }) {
  const now = useNow() / 1000
  const { paidWithin } = query
  return (
    <div className={styles['filters']} role="group" aria-label="Filters">
      <StateChip network={network} query={query} />
      <CurrencyChip query={query} />
      <PeriodChip query={query} now={now} />
      <AmountChip query={query} />
      <MatterChip query={query} />
      {paidWithin !== null && (
        <Chip
          large
          pressed
          title="Press for those that were paid sooner or later, too"
          onPress={() => changeQuery({ paidWithin: null })}
        >
          {printWithin(paidWithin)}
        </Chip>
      )}
    </div>
  )
}

function Foot({ network, isFiltered: isPart }: { network: Network; isFiltered: boolean }) {
  const total = useTotal(invoices)
  const hidden = useHiddenColumns((state) => state.hidden)
  return (
    <span className={styles['foot']}>
      {/* All there are stands beside the view of that name. */}
      <span className={styles['count']} role="status">
        {isPart && formatCount(total, 'invoice')}
      </span>
      <Menu
        trigger={
          <Button kind="quiet" icon="more" aria-label="More of the list" title="Columns, cancel" />
        }
        items={[
          ...optionalColumns.map(({ id, name }) => ({
            label: name,
            checked: !hidden.has(id),
            onSelect: () => toggleColumn(id),
          })),
          'line',
          {
            label: 'Cancel all that is pending of it…',
            icon: 'trash',
            danger: true,
            disabled: total === 0,
            onSelect: () => void cancelShown(network),
          },
        ]}
      />
    </span>
  )
}
