import { Popover } from '@base-ui/react/popover'
import type { ReactNode } from 'react'
import { useState } from 'react'
import type { HistoryFilter, JettonBalance } from '../../../../src-preload/contract/index.ts'
import { formatCount, formatDay, formatNumber, fromMs } from '../../../format.ts'
import { navigate } from '../../../route.ts'
import { useNow } from '../../../moment.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { symbolOf } from '../../chain/amount.tsx'
import { emptyFilter } from '../../../chain-route.ts'
import { isFiltered, printDay, readDay, readOpcode } from './history-words.ts'
import type { History } from './history.ts'
import styles from './account.module.css'

/** Chips: a pressed one narrows the list. They stand in the address, so a link carries them. */
export function HistoryFilters({
  history,
  jettons,
}: {
  history: History
  jettons: readonly JettonBalance[]
}) {
  const { network, address, filter } = history.question
  const change = (part: Partial<HistoryFilter>) =>
    navigate(
      { page: 'transactions', network, view: 'account', address, filter: { ...filter, ...part } },
      { replace: true },
    )
  const towards = (direction: 'in' | 'out') =>
    change({ direction: filter.direction === direction ? null : direction })
  return (
    <div className={styles['filters']} role="group" aria-label="Filters">
      <Chip isOn={filter.direction === 'in'} onPress={() => towards('in')}>
        in
      </Chip>
      <Chip isOn={filter.direction === 'out'} onPress={() => towards('out')}>
        out
      </Chip>
      <Select
        label="Asset"
        value={filter.asset ?? ''}
        onChange={(asset) => change({ asset: asset === '' ? null : asset })}
        options={assetOptions(jettons, filter.asset)}
      />
      <OpcodeChip opcode={filter.opcode} onChange={(opcode) => change({ opcode })} />
      <TimeChip filter={filter} onChange={change} />
      {isFiltered(filter) && (
        <>
          <IconButton icon="close" label="No filters" onClick={() => change(emptyFilter)} />
          <Scanned history={history} />
        </>
      )}
    </div>
  )
}

function Scanned({ history }: { history: History }) {
  const state = history.store()
  if (state.status !== 'ready') return null
  const { rows, scanned } = state.pages
  return (
    <span className={styles['scanned']} role="status">
      {formatNumber(rows.length)} of {formatCount(scanned, 'transaction')} read
    </span>
  )
}

function assetOptions(jettons: readonly JettonBalance[], chosen: string | null) {
  const options = [
    { value: '', label: 'any asset' },
    { value: 'TON', label: 'TON' },
    ...jettons.flatMap(({ asset }) =>
      asset.jetton === null ? [] : [{ value: asset.jetton, label: symbolOf(asset) }],
    ),
  ]
  const isKnown = options.some(({ value }) => value === (chosen ?? ''))
  return isKnown ? options : [...options, { value: chosen ?? '', label: 'another jetton' }]
}

function Chip({
  isOn,
  onPress,
  children,
}: {
  isOn: boolean
  onPress: () => void
  children: ReactNode
}) {
  return (
    <button
      type="button"
      className={classes(styles['chip'], isOn && styles['on'])}
      aria-pressed={isOn}
      onClick={onPress}
    >
      {children}
    </button>
  )
}

/** A chip that opens a small form. */
function FormChip({
  label,
  isOn,
  title,
  children,
}: {
  label: string
  isOn: boolean
  title: string
  children: (close: () => void) => ReactNode
}) {
  const [open, setOpen] = useState(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={classes(styles['chip'], isOn && styles['on'])}>
        {label}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start">
          <Popover.Popup className={styles['popup']} aria-label={title}>
            {children(() => setOpen(false))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function OpcodeChip({
  opcode,
  onChange,
}: {
  opcode: string | null
  onChange: (opcode: string | null) => void
}) {
  return (
    <FormChip
      label={opcode === null ? 'opcode' : `opcode: ${opcode}`}
      isOn={opcode !== null}
      title="Opcode"
    >
      {(close) => (
        <OpcodeForm
          opcode={opcode}
          onDone={(next) => {
            close()
            onChange(next)
          }}
        />
      )}
    </FormChip>
  )
}

function OpcodeForm({
  opcode,
  onDone,
}: {
  opcode: string | null
  onDone: (opcode: string | null) => void
}) {
  const [typed, setTyped] = useState(opcode ?? '')
  const [problem, setProblem] = useState<string | undefined>(undefined)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const next = typed.trim() === '' ? null : readOpcode(typed)
        if (next === null && typed.trim() !== '') setProblem('Such as 0x0f8a7ea5, or a number.')
        else onDone(next)
      }}
      style={{ display: 'contents' }}
    >
      <TextField
        label="Opcode of the message"
        mono
        placeholder="0x0f8a7ea5"
        value={typed}
        onChange={setTyped}
        error={problem}
      />
      <div className={styles['popupButtons']}>
        {opcode !== null && <Button onClick={() => onDone(null)}>Any opcode</Button>}
        <Button kind="main" type="submit">
          Apply
        </Button>
      </div>
    </form>
  )
}

function TimeChip({
  filter: { from, to },
  onChange,
}: {
  filter: HistoryFilter
  onChange: (part: Pick<HistoryFilter, 'from' | 'to'>) => void
}) {
  const now = useNow()
  const day = (at: number) => formatDay(fromMs(at), now)
  const label =
    from !== null && to !== null
      ? `${day(from)} – ${day(to)}`
      : from !== null
        ? `since ${day(from)}`
        : to !== null
          ? `until ${day(to)}`
          : 'time'
  return (
    <FormChip label={label} isOn={from !== null || to !== null} title="Time">
      {(close) => (
        <TimeForm
          from={from}
          to={to}
          onDone={(part) => {
            close()
            onChange(part)
          }}
        />
      )}
    </FormChip>
  )
}

function TimeForm({
  from,
  to,
  onDone,
}: Pick<HistoryFilter, 'from' | 'to'> & {
  onDone: (part: Pick<HistoryFilter, 'from' | 'to'>) => void
}) {
  const [first, setFirst] = useState(printDay(from))
  const [last, setLast] = useState(printDay(to))
  const isWrong = first !== '' && last !== '' && first > last
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isWrong) onDone({ from: readDay(first, 'begin'), to: readDay(last, 'end') })
      }}
      style={{ display: 'contents' }}
    >
      <TextField label="From" type="date" value={first} onChange={setFirst} />
      <TextField
        label="To and with"
        type="date"
        value={last}
        onChange={setLast}
        error={isWrong ? 'It ends before it begins.' : undefined}
      />
      <div className={styles['popupButtons']}>
        {(from !== null || to !== null) && (
          <Button onClick={() => onDone({ from: null, to: null })}>Any time</Button>
        )}
        <Button kind="main" type="submit">
          Apply
        </Button>
      </div>
    </form>
  )
}
