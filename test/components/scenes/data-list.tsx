/** A `DataList` over 100,000 wallets that are loaded by window, as from the main process. */
import { useState } from 'react'
import { createHiddenColumns } from '../../../src-renderer/ui/data-columns.ts'
import {
  type DataColumn,
  DataList,
  nextSort,
  type Sort,
} from '../../../src-renderer/ui/data-list.tsx'
import { Button, Menu } from '../../../src-renderer/ui/button.tsx'
import { createLiveList } from '../../../src-renderer/ui/live-list.ts'
import { createRowSource } from '../../../src-renderer/ui/row-source.ts'
import { EmptyState } from '../../../src-renderer/ui/loaded.tsx'
import { Controls, report } from './parts.tsx'

type Wallet = { readonly id: number; readonly name: string; readonly balance: string }
type Order = Sort<'name' | 'balance'>

const options = new URLSearchParams(window.location.search)
const fractions = ['', '.5', '.000000001']
const wallet = (id: number): Wallet => ({
  id,
  name: `wallet-${id}`,
  balance: `${id * id}${fractions[Math.abs(id) % 3]}`,
})
let wallets = Array.from({ length: Number(options.get('count') ?? 100_000) }, (_, id) => wallet(id))
let fails = options.get('state') === 'failed'

const list = createLiveList<Order, Wallet>({
  async load({ descending }, offset, limit) {
    if (options.get('state') === 'loading') await new Promise(() => undefined)
    if (fails) throw new Error('The gateway did not answer.')
    const all = descending ? wallets.toReversed() : wallets
    return { total: all.length, rows: all.slice(offset, offset + limit), extra: null }
  },
  idOf: ({ id }) => id,
  pollMs: 0,
})

const pageSize = 60
const pagedWallets = 100

/** A list whose rows are loaded page by page with a cursor. */
const paged = createRowSource<Wallet>({
  idOf: ({ id }) => id,
  onEnd() {
    const { length } = paged.use.getState().rows
    if (length >= pagedWallets) return
    report(`loads from ${length}`)
    const end = Math.min(pagedWallets, length + pageSize)
    paged.set(wallets.slice(0, end), { rowCount: end < pagedWallets ? null : end })
  },
})
paged.set(wallets.slice(0, pageSize), { rowCount: null })

const columns: readonly DataColumn<Wallet, Order['by']>[] = [
  { name: 'Name', width: 200, grow: 1, sort: 'name', cell: ({ name }) => name },
  { name: 'Balance', width: 120, sort: 'balance', look: 'amount', cell: ({ balance }) => balance },
  { name: 'State', width: 120, gives: 1, cell: () => 'active' },
  { name: 'Note', width: 300, gives: 2, cell: ({ id }) => `note ${id}` },
]
const columnChoice = createHiddenColumns('scene.columns')
const usual: Order = { by: 'name', descending: false }

list.open(usual)

export function DataListScene() {
  const [sort, setSort] = useState(usual)
  const opened = options.get('open')
  const [openId, setOpenId] = useState(opened === null ? null : Number(opened))
  return (
    <>
      <Menu trigger={<Button>Columns</Button>} items={columnChoice.useItems(columns)} />
      <div style={{ height: 500 }}>
        <DataList
          list={options.get('source') === 'paged' ? paged : list}
          columns={columns}
          of="wallets"
          thing="wallet"
          group="Wallets"
          empty={<EmptyState title="No wallets yet" />}
          sort={sort}
          onSort={(by) => {
            const next = nextSort(sort, by, { usual, largeFirst: new Set(['balance'] as const) })
            setSort(next)
            list.open(next, { keep: true, keepSelected: true })
          }}
          openId={openId}
          onOpen={({ id, name }, by) => {
            setOpenId(id)
            report(`${name} by ${by}`)
          }}
          onLeave={() => setOpenId(null)}
          selectable={({ name }) => name}
          hidden={columnChoice.useHidden()}
        />
      </div>
      <Controls
        actions={{
          'Add three': () => {
            const first = wallets[0]?.id ?? 0
            wallets = [wallet(first - 3), wallet(first - 2), wallet(first - 1), ...wallets]
            list.note()
          },
          'Rename the first': () => {
            wallets = wallets.with(0, { ...wallet(wallets[0]?.id ?? 0), name: 'renamed' })
            list.note()
          },
          'Let it fail': () => {
            fails = true
            list.refresh()
          },
          'Let it work': () => void (fails = false),
          'Report the selection': () => {
            const selected = [...list.use.getState().selected.values()]
            report(`selected: ${selected.map(({ name }) => name).join(', ')}`)
          },
        }}
      />
    </>
  )
}
