import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { Trace, TraceNode } from '../../../src-preload/contract/chain.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import { classes } from '../../ui/classes.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Select } from '../../ui/form.tsx'
import { Note, Row, Stack, Text } from '../../ui/layout.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatAsset, formatUnits } from '../amount.ts'
import { useAccountNames } from '../chain/account-link.tsx'
import { transactionHref } from '../chain/chain-links.ts'
import { symbolOf } from '../chain/chain-text.tsx'
import { useShownNetwork } from '../network-tag.tsx'
import styles from './trace.module.css'
import { describeFailure, operationOf, toVisible } from './tree-text.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

/** More nodes would take seconds to draw; the tree shows all. */
export const maxGraphNodes = 300

/** A value of a filter that excludes nothing. */
const all = 'all'
const native = 'native'

type GraphFilter = { readonly account: string; readonly asset: string }

const assetKey = ({ jetton, value }: Pick<TraceNode, 'jetton' | 'value'>): string | null =>
  jetton === null ? (value === '0' ? null : native) : (jetton.asset.jetton ?? native)

/** The nodes that match the filter, and their ancestors, up to `maxGraphNodes`. */
export function findGraphNodes(
  nodes: readonly Pick<TraceNode, 'parent' | 'account' | 'source' | 'jetton' | 'value'>[],
  { account, asset }: GraphFilter,
) {
  const shown = new Set<number>()
  const matching = new Set<number>()
  let total = 0
  for (const [index, node] of nodes.entries()) {
    const parties = [node.account.address, node.source?.address]
    if (account !== all && !parties.includes(account)) continue
    if (asset !== all && assetKey(node) !== asset) continue
    total += 1
    const added: number[] = []
    for (let at: number | null = index; at !== null && !shown.has(at);) {
      added.push(at)
      at = nodes[at]?.parent ?? null
    }
    if (shown.size + added.length > maxGraphNodes) continue
    for (const each of added) shown.add(each)
    matching.add(index)
  }
  return { shown, matching, total }
}

/** Rows from the top, columns from the left. A parent stands in the middle of its children. */
export function layOutGraph(
  nodes: readonly Pick<TraceNode, 'parent' | 'depth'>[],
  shown: ReadonlySet<number>,
): ReadonlyMap<number, { readonly column: number; readonly row: number }> {
  const order = [...shown].toSorted((a, b) => a - b)
  const children = new Map<number, number[]>()
  for (const index of order) {
    const parent = nodes[index]?.parent ?? null
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []).slice(0, 1), index])
  }
  const rows = new Map<number, number>()
  for (const index of order) if (!children.has(index)) rows.set(index, rows.size)
  for (const index of order.toReversed()) {
    const own = children.get(index)
    if (own === undefined) continue
    const [first = 0, last = 0] = [rows.get(own[0] ?? 0), rows.get(own.at(-1) ?? 0)]
    rows.set(index, (first + last) / 2)
  }
  return new Map(
    order.map((index) => [index, { column: nodes[index]?.depth ?? 0, row: rows.get(index) ?? 0 }]),
  )
}

const [width, height, gapX, gapY, margin] = [190, 58, 44, 12, 12]
const left = (column: number) => margin + column * (width + gapX)
const top = (row: number) => margin + row * (height + gapY)

/** The messages of a trace as a graph, with filters by account and asset. `here`: index of the transaction on the page. */
export function TraceGraph({ trace, here }: { trace: Trace; here: number }) {
  const { nodes } = trace
  const network = useShownNetwork().id
  const nameOf = useAccountNames()
  const [filter, setFilter] = useState<GraphFilter>({ account: all, asset: all })
  const [chosen, setChosen] = useState(Math.max(0, here))
  const svg = useRef<SVGSVGElement>(null)
  const { shown, matching, total } = useMemo(() => findGraphNodes(nodes, filter), [nodes, filter])
  const places = useMemo(() => layOutGraph(nodes, shown), [nodes, shown])
  const order = [...places.keys()]
  const current = shown.has(chosen) ? chosen : (order[0] ?? 0)

  const focus = (index: number | undefined) => {
    if (index === undefined) return
    setChosen(index)
    svg.current?.querySelector<SVGElement>(`[data-node="${index}"]`)?.focus()
  }
  const press = (event: KeyboardEvent) => {
    const at = order.indexOf(current)
    const target = lookupTable({
      ArrowRight: () => order.find((index) => nodes[index]?.parent === current),
      ArrowLeft: () => nodes[current]?.parent ?? undefined,
      ArrowDown: () => order[at + 1],
      ArrowUp: () => order[at - 1],
      Home: () => order[0],
      End: () => order.at(-1),
    })[event.key]
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    focus(target())
  }

  const columns = Math.max(0, ...[...places.values()].map(({ column }) => column)) + 1
  const rows = Math.max(0, ...[...places.values()].map(({ row }) => row)) + 1
  return (
    <Stack fill gap="none">
      <Row pad="s" wrap>
        <Select
          label="Account"
          value={filter.account}
          onChange={(account) => setFilter({ ...filter, account })}
          options={[{ value: all, label: 'All accounts' }, ...accountsIn(nodes, nameOf)]}
        />
        <Select
          label="Asset"
          value={filter.asset}
          onChange={(asset) => setFilter({ ...filter, asset })}
          options={[{ value: all, label: 'All assets' }, ...assetsIn(nodes)]}
        />
        <Text tone="faint" size="s" role="status">
          {total < nodes.length &&
            `${formatNumber(total)} of ${formatCount(nodes.length, 'transaction')} match`}
        </Text>
      </Row>
      {matching.size < total && (
        <Note tone="warn">
          The graph shows {formatNumber(matching.size)} of {formatCount(total, 'transaction')}.
          Choose an account or an asset, or use the tree, which shows all.
        </Note>
      )}
      {total === 0 ? (
        <EmptyState
          title="No transaction matches the filters"
          detail="Choose another account or asset."
        />
      ) : (
        <div className={styles['graph']} role="group" aria-label="Trace as a graph">
          <svg ref={svg} width={left(columns)} height={top(rows)} onKeyDown={press}>
            {order.map((index) => {
              const [place, node] = [places.get(index), nodes[index]]
              const parent = places.get(node?.parent ?? -1)
              if (place === undefined || node === undefined || parent === undefined) return null
              const [x, y] = [left(parent.column) + width, top(parent.row) + height / 2]
              const [toX, toY] = [left(place.column), top(place.row) + height / 2]
              const bend = `C ${x + gapX / 2} ${y} ${toX - gapX / 2} ${toY} ${toX} ${toY}`
              return (
                <path
                  key={index}
                  className={classes(styles['edge'], node.bounced && styles['returned'])}
                  d={`M ${x} ${y} ${bend}`}
                />
              )
            })}
            {order.map((index) => {
              const [place, node] = [places.get(index), nodes[index]]
              if (place === undefined || node === undefined) return null
              return (
                <GraphNode
                  key={index}
                  node={node}
                  index={index}
                  account={nameOf(node.account)}
                  x={left(place.column)}
                  y={top(place.row)}
                  href={
                    node.hash === null || index === here
                      ? undefined
                      : transactionHref(node.hash, network)
                  }
                  isHere={index === here}
                  isCurrent={index === current}
                  isMatch={matching.has(index)}
                  onFocus={() => setChosen(index)}
                />
              )
            })}
          </svg>
        </div>
      )}
    </Stack>
  )
}

function GraphNode({
  node,
  index,
  account,
  x,
  y,
  href,
  isHere,
  isCurrent,
  isMatch,
  onFocus,
}: {
  node: TraceNode
  index: number
  account: string
  x: number
  y: number
  href: string | undefined
  isHere: boolean
  isCurrent: boolean
  /** False for an ancestor that the filters exclude. */
  isMatch: boolean
  onFocus: () => void
}) {
  const operation = toVisible(operationOf(node))
  const name = toVisible(account)
  const amount = amountOf(node)
  const failure = node.success ? null : describeFailure(node)
  const words = [
    `${operation} to ${name}`,
    amount,
    node.bounced && 'bounced',
    failure,
    isHere && 'this transaction',
  ]
  const label = words.filter((each) => each !== false && each !== null && each !== '').join('; ')
  return (
    <g transform={`translate(${x} ${y})`}>
      <a
        href={href}
        role={href === undefined ? 'img' : undefined}
        data-node={index}
        tabIndex={isCurrent ? 0 : -1}
        aria-label={label}
        aria-current={isHere ? 'true' : undefined}
        className={classes(
          styles['node'],
          isHere && styles['current'],
          failure !== null && styles['failed'],
          !isMatch && styles['beside'],
        )}
        onFocus={onFocus}
      >
        <title>{label}</title>
        <rect width={width} height={height} rx={6} />
        <text x={10} y={19} className={styles['title']}>
          {cut(operation, 26)}
        </text>
        <text x={10} y={35}>
          {name.length > 26 ? `${name.slice(0, 12)}…${name.slice(-10)}` : name}
        </text>
        <text x={10} y={50} className={styles['amount']}>
          {cut(failure ?? amount, 28)}
        </text>
      </a>
    </g>
  )
}

function amountOf({ jetton, source, value }: TraceNode): string {
  if (jetton !== null) {
    return `${formatAsset(jetton.units, jetton.asset)} ${toVisible(symbolOf(jetton.asset))}`
  }
  return source === null ? '' : `${formatUnits(value, 9)} ${coinName()}`
}

const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

function accountsIn(
  nodes: readonly TraceNode[],
  nameOf: (account: TraceNode['account']) => string,
) {
  const accounts = nodes.flatMap(({ account, source }) => [account, ...(source ? [source] : [])])
  const byAddress = new Map(accounts.map((each) => [each.address, each]))
  return [...byAddress].map(([value, each]) => ({ value, label: toVisible(nameOf(each)) }))
}

function assetsIn(nodes: readonly TraceNode[]) {
  const assets = new Map<string, string>()
  for (const node of nodes) {
    const key = assetKey(node)
    if (key === null) continue
    assets.set(
      key,
      key === native || node.jetton === null ? coinName() : symbolOf(node.jetton.asset),
    )
  }
  return [...assets].map(([value, symbol]) => ({ value, label: toVisible(symbol) }))
}
