import type { LookupJob, LookupRow, RowSort } from '../../../../src-preload/contract/lookup.ts'
import { formatUnits } from '../../../amount.ts'
import { formatNumber, fromMs } from '../../../format.ts'
import { Moment } from '../../../moment.tsx'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { NewsBar } from '../../../ui/news-bar.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import type { Column } from '../../../virtual-grid.tsx'
import { AccountLink } from '../../chain/account-link.tsx'
import { UntrustedText } from '../../inspector/body/untrusted-text.tsx'
import { Cell, WindowGrid } from '../../list/window-grid.tsx'
import { ListStates } from '../../list/list-states.tsx'
import { directionOf } from '../../list/sort.ts'
import { everyRow } from './row-order.ts'
import {
  flagsOf,
  formatDecimal,
  isContract,
  kindOf,
  stateTones,
  stateWords,
  statusTones,
} from './row-words.ts'
import { filterRows, rows, showNews, sortRows, useRows } from './rows.ts'
import styles from './job.module.css'

/** Every line of the list with what is known of its account. */
export function JobRows({ job, onOpen }: { job: LookupJob; onOpen: (row: LookupRow) => void }) {
  const { sort, cursor, hasNews } = useRows()
  const hasChanges = job.comparedTo !== null
  return (
    <ListStates list={rows} of="the rows" empty={<NothingFound />}>
      {(state) => (
        <div className={styles['area']}>
          {hasNews && <NewsBar onShow={showNews}>New answers have come</NewsBar>}
          <div className={styles['table']}>
            <WindowGrid
              label="Accounts looked up"
              className={classes(
                styles['rowColumns'],
                job.currency !== null && styles['withCurrency'],
                hasChanges && styles['withChanges'],
              )}
              columns={columnsOf(job, sort)}
              list={rows}
              state={state}
              cursor={cursor}
              onCursor={(index) => useRows.setState({ cursor: index })}
              onOpen={onOpen}
              onTop={(atTop) => {
                if (useRows.getState().atTop !== atTop) useRows.setState({ atTop })
              }}
              cells={(row) => <RowCells row={row} job={job} />}
            />
          </div>
        </div>
      )}
    </ListStates>
  )
}

function NothingFound() {
  return (
    <EmptyState title="No row is like that" detail="Fewer filters, or other words, show more.">
      <Button onClick={() => filterRows(everyRow)}>Show all rows</Button>
    </EmptyState>
  )
}

function columnsOf({ currency, comparedTo }: LookupJob, sort: RowSort): Column[] {
  const by = (name: string, column: RowSort['by'], end = false): Column => ({
    name,
    end,
    sort: { direction: directionOf(sort, column), onSort: () => sortRows(column) },
  })
  return [
    by('Line', 'index', true),
    { name: 'Address' },
    by('Name', 'name'),
    by('Status', 'status'),
    by('Balance, TON', 'balance', true),
    ...(currency === null ? [] : [by(`In ${currency.toUpperCase()}`, 'inCurrency', true)]),
    ...(comparedTo === null ? [] : [{ name: 'Changed since' }]),
    by('Wallet', 'walletKind'),
    by('Last activity', 'lastActivity'),
  ]
}

function RowCells({ row, job }: { row: LookupRow; job: LookupJob }) {
  return (
    <>
      <Cell className={classes(text['mono'], text['faint'], text['number'])}>
        {formatNumber(row.line)}
      </Cell>
      <AddressCell row={row} />
      {row.state === 'answered' ? <Answer row={row} job={job} /> : <NoAnswer row={row} />}
    </>
  )
}

function AddressCell({ row }: { row: LookupRow }) {
  // One of another network leads nowhere on this one.
  if (row.address === null || row.state === 'wrong-network') {
    return (
      <Cell className={text['mono']} title={row.text}>
        <UntrustedText text={row.text} />
      </Cell>
    )
  }
  return (
    <Cell>
      <AccountLink
        // Names have a column of their own, flags another.
        account={{
          address: row.address,
          name: null,
          label: null,
          isScam: false,
          isWallet: !isContract(row),
        }}
        tabIndex={-1}
      />
    </Cell>
  )
}

function NoAnswer({ row }: { row: LookupRow }) {
  const { state, reason } = row
  return (
    <>
      <Name row={row} />
      <Cell className={styles['rest']} title={reason ?? undefined}>
        <Tag tone={stateTones[state]}>{stateWords[state]}</Tag>
        {reason !== null && <span className={styles['reason']}>{reason}</span>}
      </Cell>
    </>
  )
}

/** The person's own name for it, else the gateway's, and what is to be minded. */
function Name({ row }: { row: LookupRow }) {
  const { label, name } = row
  const shown = label ?? name ?? ''
  return (
    <Cell title={shown} className={styles['name']}>
      <span className={classes(text['cut'], label === null && text['dim'])}>
        <UntrustedText text={shown} />
      </span>
      {flagsOf(row).map(({ word, tone, why }) => (
        <Tag key={word} tone={tone} title={why}>
          {word}
        </Tag>
      ))}
    </Cell>
  )
}

function Answer({ row, job }: { row: LookupRow; job: LookupJob }) {
  const { status, balance, lastActivity, changes } = row
  const kind = kindOf(row)
  const changed = changes.join(', ')
  return (
    <>
      <Name row={row} />
      <Cell>{status !== null && <Tag tone={statusTones[status]}>{status}</Tag>}</Cell>
      <Cell className={classes(text['mono'], text['number'])}>
        {balance !== null && formatUnits(balance, 9)}
      </Cell>
      {job.currency !== null && (
        <Cell className={classes(text['mono'], text['number'])} title={row.inCurrency ?? undefined}>
          {row.inCurrency !== null && formatDecimal(row.inCurrency)}
        </Cell>
      )}
      {job.comparedTo !== null && (
        <Cell title={changed} className={styles['changed']}>
          {changed}
        </Cell>
      )}
      <Cell title={kind} className={text['dim']}>
        <UntrustedText text={kind} />
      </Cell>
      <Cell className={text['dim']}>
        {lastActivity !== null && <Moment at={fromMs(lastActivity)} />}
      </Cell>
    </>
  )
}
