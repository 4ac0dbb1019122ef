import { useEffect, useRef } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatNumber } from '../../../ui/format.ts'
import { type InvoicesQuery, everyInvoice } from '../../../app/invoices-route.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { useRoute } from '../../../app/route.ts'
import { NewsBar } from '../../../ui/news-bar.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { ListSplitter } from '../../../components/list-splitter.tsx'
import { ListStates } from '../../../components/list/list-states.tsx'
import { Charts } from '../charts/charts.tsx'
import { Figures } from '../charts/figures.tsx'
import { useFigures } from '../charts/live.ts'
import { InvoiceDetail } from '../detail/invoice-detail.tsx'
import { invoiceCounts } from '../invoices.ts'
import { usePeriod } from '../period.ts'
import { fold, useFolded } from './charts-fold.ts'
import { FilterBar } from './filter-bar.tsx'
import { openInvoice } from './go.ts'
import {
  followInvoices,
  indexOf,
  invoices,
  openInvoices,
  showNews,
  useInvoiceList,
} from './invoice-list.ts'
import { isFiltered, keyOf } from './invoice-query.ts'
import { InvoiceRows } from './invoice-rows.tsx'
import { NoInvoices } from './no-invoices.tsx'
import { PeriodBar } from './period-bar.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { SyncProblem } from './sync-state.tsx'
import { useListKeys } from './use-list-keys.ts'
import styles from './list.module.css'

/** What the period came to, and below it the invoices, with the one that is open beside them. */
export function ListView({ network }: { network: Network }) {
  const route = useRoute((state) => state.route)
  const isList = route.page === 'invoices' && route.view === 'list'
  const query = isList ? route.query : everyInvoice
  const openId = isList ? route.id : null
  const key = keyOf(query)
  const field = useRef<HTMLInputElement>(null)
  const { isFolded } = useFolded()
  const total = valueOf(useResource(invoiceCounts(network.id)))?.total
  // Nothing was issued yet: there is nothing to add up, or to filter.
  const isBare = total === 0 && openId === null && !isFiltered(query)

  useEffect(() => openInvoices(network.id, query), [network.id, key]) // eslint-disable-line react-hooks/exhaustive-deps -- by what it shows
  useEffect(followInvoices, [])
  useCursorOn(network, openId)

  return (
    <div className={styles['view']}>
      <div>
        <PeriodBar network={network} isFolded={isBare ? null : isFolded} onFold={fold} />
        <SyncProblem network={network} />
      </div>
      {!isBare && !isFolded && <OfPeriod network={network} />}
      <div className={styles['list']}>
        {!isBare && (
          <>
            <FilterBar network={network} query={query} field={field} />
            <SelectionBar network={network} />
          </>
        )}
        <div className={styles['split']}>
          <ListSplitter
            left={<Rows network={network} query={query} />}
            right={openId === null ? null : <InvoiceDetail network={network} id={openId} />}
          />
        </div>
      </div>
      <Keys network={network} openId={openId} field={field} />
    </div>
  )
}

/** Figures and charts state the same totals: they come from one answer. */
function OfPeriod({ network }: { network: Network }) {
  const period = usePeriod()
  const live = useFigures(network.id, period)
  return (
    <div className={styles['period']}>
      <Figures period={period} live={live} />
      <Charts network={network} period={period} figures={valueOf(live.state)} />
    </div>
  )
}

function Rows({ network, query }: { network: Network; query: InvoicesQuery }) {
  const news = useInvoiceList((state) => state.news)
  const isShown = useInvoiceList((state) => state.network === network.id)
  // Until then it holds those of another network.
  if (!isShown) return <Skeleton rows={10} label="Loading the invoices" />
  return (
    <div className={styles['column']}>
      {news !== null && (
        <NewsBar onShow={showNews}>
          {news > 0 ? `${formatNumber(news)} new` : 'The order has changed'}
        </NewsBar>
      )}
      <div className={styles['rest']}>
        <ListStates
          list={invoices}
          of="the invoices"
          empty={<NoInvoices network={network} query={query} />}
        >
          {(state) => <InvoiceRows network={network} state={state} />}
        </ListStates>
      </div>
    </div>
  )
}

/**
 * One that is opened by its link is the one that keys go on from; and where they go further than rows
 * are there, what they have come to is shown once it is.
 */
function useCursorOn(network: Network, openId: string | null): void {
  const state = invoices.store()
  const cursorId = useInvoiceList((each) => each.cursorId)
  const followed = useRef<string | null>(null)
  useEffect(() => {
    const { cursor, isAwaited } = useInvoiceList.getState()
    const isOther = followed.current !== openId
    if (openId === null || cursorId === openId || state.status !== 'ready') {
      followed.current = openId
      return
    }
    if (cursor !== null && !isOther) {
      if (isAwaited && cursorId !== null) {
        useInvoiceList.setState({ isAwaited: false })
        openInvoice(network, cursorId, true)
      }
      return
    }
    const index = indexOf(state, openId)
    if (index === null) return
    followed.current = openId
    useInvoiceList.setState({ cursor: index, cursorId: openId })
  }, [network, openId, cursorId, state])
}

/** Comes after what stands around it, so that its keys go before theirs. */
function Keys(props: Parameters<typeof useListKeys>[0]) {
  useListKeys(props)
  return null
}
