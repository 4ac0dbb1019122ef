import type { HistoryFilter, JettonBalance } from '../../../../src-preload/contract/chain.ts'
import { emptyFilter } from '../../../app/chain-route.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { navigate } from '../../../app/route.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { Select } from '../../../ui/select.tsx'
import { symbolOf } from '../../../components/chain/amount.tsx'
import { isFiltered } from './history-words.ts'
import type { History } from './history.ts'
import { OpcodeChip } from './opcode-chip.tsx'
import { TimeChip } from './time-chip.tsx'
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
      <Chip
        className={styles['chip']}
        pressed={filter.direction === 'in'}
        onPress={() => towards('in')}
      >
        in
      </Chip>
      <Chip
        className={styles['chip']}
        pressed={filter.direction === 'out'}
        onPress={() => towards('out')}
      >
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
