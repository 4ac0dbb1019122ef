/** The lists of holders and NFTs on the pages of assets. */
import { type ReactNode, useEffect, useMemo } from 'react'
import { create } from 'zustand'
import type { Output } from '../../../src-preload/contract/routes.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { toAppError } from '../../app/bridge.ts'
import { createStored } from '../../app/stored.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { useAddressText } from '../../components/chain/account-link.tsx'
import { Button } from '../../ui/button.tsx'
import { type DataColumn, DataList } from '../../ui/data-list.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Note, Pane, Row, Small, Tag, Section } from '../../ui/layout.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { createRowSource } from '../../ui/row-source.ts'
import { CopyButton } from '../../ui/toast.tsx'
import { Verification } from './account-assets.tsx'
import { StaleNote, useReloadOnceAvailable } from './chain-data.tsx'

type Page<T> = Omit<Output<'asset.holders'>, 'rows'> & { readonly rows: readonly T[] }

const { use: useSuspicious, change: changeSuspicious } = createStored<{ isShown: boolean }>(
  'tondesk.suspicious',
  ({ isShown }) => ({ isShown: isShown === true }),
)

/** Creates a list that loads the next page when the user scrolls to its end. */
function createPages<T>(load: (offset: number) => Promise<Page<T>>, idOf: (row: T) => string) {
  type State = {
    readonly all: readonly T[]
    readonly next: number | null
    readonly unread: readonly string[]
    readonly problem: AppError | null
  }
  const blank: State = { all: [], next: null, unread: [], problem: null }
  const use = create<State>(() => blank)
  let isHidden: (row: T) => boolean = () => false
  /** A new object for each new list, so that responses for an earlier list are ignored. */
  let run: object | null = null
  const list = createRowSource<T>({
    idOf,
    onRefresh: () => void reload(),
    onEnd: () => {
      if (use.getState().problem === null) void loadMore()
    },
  })

  async function loadPage(offset: number, mine: object): Promise<void> {
    const page = await load(offset)
    if (run !== mine) return
    const known = use.getState().all
    const ids = new Set(known.map(idOf))
    // Rows move to a later page if others are added before them, so known ones are skipped.
    const all = [...known, ...page.rows.filter((row) => !ids.has(idOf(row)))]
    const unread = [...use.getState().unread, ...page.unread]
    use.setState({ all, next: page.next, unread, problem: null })
    showRows()
  }

  function showRows(): void {
    const { all, next } = use.getState()
    const rows = all.filter((row) => !isHidden(row))
    list.set(rows, { rowCount: next === null ? rows.length : null })
  }

  function hide(test: (row: T) => boolean): void {
    isHidden = test
    if (list.use.getState().status === 'ready') showRows()
  }

  async function reload(): Promise<void> {
    const mine = (run = {})
    list.clear()
    use.setState(blank)
    try {
      await loadPage(0, mine)
    } catch (error) {
      if (run === mine) list.use.setState({ status: 'failed', error: toAppError(error) })
    }
  }

  async function loadMore(): Promise<void> {
    const { next } = use.getState()
    if (next === null || run === null) return
    const mine = run
    use.setState({ next: null, problem: null })
    try {
      await loadPage(next, mine)
    } catch (error) {
      if (run === mine) use.setState({ next, problem: toAppError(error) })
    }
  }
  return { list, use, reload, loadMore, hide }
}

/** Shows one list of an asset page: its rows, its state, and the number of entries that could not be parsed. */
export function PagedList<T extends object>({
  name,
  of,
  thing,
  load,
  loadKey,
  idOf,
  columns,
  onOpen,
  empty,
  isSuspicious,
}: {
  name: string
  of: string
  thing: string
  load: (offset: number) => Promise<Page<T>>
  /** The list is loaded again when this key changes. */
  loadKey: string
  idOf: (row: T) => string
  columns: DataColumn<T>[]
  onOpen: (row: T) => void
  empty: ReactNode
  /** Returns whether a row stays hidden until the user wants to see it. */
  isSuspicious?: (row: T) => boolean
}) {
  // oxlint-disable-next-line react/exhaustive-deps -- the key names what `load` loads
  const pages = useMemo(() => createPages(load, idOf), [loadKey])
  const { all, unread, problem, next } = pages.use()
  const { isShown } = useSuspicious()
  const suspicious = isSuspicious === undefined ? 0 : all.filter(isSuspicious).length
  const hides = suspicious > 0 && !isShown
  const hasFailed = pages.list.use((state) => state.status === 'failed')
  useEffect(() => {
    pages.hide((row) => !isShown && isSuspicious?.(row) === true)
    // oxlint-disable-next-line react/exhaustive-deps -- the test is the same for all rows of a list
  }, [pages, isShown])
  useEffect(() => void pages.reload(), [pages])
  useReloadOnceAvailable(hasFailed, pages.reload)
  const [first] = unread
  return (
    <Pane role="region" aria-label={name}>
      {first !== undefined && (
        <Note tone="warn" role="status">
          {formatNumber(unread.length)} of the {of} could not be parsed and are not shown:{' '}
          <UntrustedText text={first} />
        </Note>
      )}
      {problem !== null && (
        <StaleNote
          why={`Could not load more ${of}: ${problem.message}`}
          onRetry={() => pages.loadMore()}
        />
      )}
      {suspicious > 0 && (
        <Row pad="m" line="below">
          <Button onClick={() => changeSuspicious({ isShown: !isShown })}>
            {isShown ? 'Hide' : 'Show'} {formatCount(suspicious, `suspicious ${thing}`)}
          </Button>
        </Row>
      )}
      <DataList
        list={pages.list}
        columns={columns}
        of={of}
        thing={thing}
        group="Assets"
        openId={null}
        onOpen={onOpen}
        empty={hides ? <EmptyState title={`All ${of} are suspicious`} /> : empty}
        foot={
          next === null ? null : (
            <Row pad="m">
              <Small>More {of} are loaded at the end of the list.</Small>
              {hides && <Button onClick={() => void pages.loadMore()}>Load more {of}</Button>}
            </Row>
          )
        }
      />
    </Pane>
  )
}

/** The head of the page of a jetton, an NFT or a collection. */
export function AssetHead({
  name,
  trust,
  address,
  children,
}: {
  name: string
  trust: string
  address: string
  children: ReactNode
}) {
  return (
    <Row as="header" wrap pad="m" line="below">
      <UntrustedText as="h2" size="m" over="cut" text={name} />
      {children}
      <Verification verification={trust} />
      {trust === 'whitelist' && <Tag tone="ok">verified</Tag>}
      <Row last>
        <CopyButton text={useAddressText({ address, isWallet: false })} what="Address" />
      </Row>
    </Row>
  )
}

export function Description({ text }: { text: string }) {
  if (text === '') return null
  return (
    <Section title="Description">
      <UntrustedText as="p" over="lines" text={text} />
    </Section>
  )
}
