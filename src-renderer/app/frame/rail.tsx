import { formatNumber } from '../../ui/format.ts'
import { useCurrentNetwork } from '../networks.ts'
import { useData, useDataOf } from '../bridge.ts'
import { type Route, routeHref, useRoute } from '../route.ts'
import { Icon } from '../../ui/icons.tsx'
import { classes } from '../../ui/classes.ts'
import { Text, textClasses } from '../../ui/layout.tsx'
import surface from '../../ui/surface.module.css'
import { pages, railPageOf } from './pages.ts'
import styles from './frame.module.css'

export function Rail() {
  const current = useRoute(({ route }) => railPageOf(route.page))
  const counts = useCounts()
  return (
    <nav className={styles['rail']} aria-label="Pages">
      <div className={styles['brand']}>Tondesk</div>
      <ul className={styles['pages']}>
        {pages.map(({ route, name, icon }) => (
          <li key={name} className={route.page === 'settings' ? styles['railFoot'] : undefined}>
            <a
              href={routeHref(route)}
              className={classes(surface['hover'], surface['navLink'], styles['pageLink'])}
              title={name}
              aria-current={route.page === current ? 'page' : undefined}
            >
              <Icon name={icon} />
              <span className={styles['word']}>{name}</span>
              <Count of={counts[route.page]} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** `what` is counted, for screen readers; `isBad` where it is a failure. */
type Counted = { readonly count: number; readonly what: string; readonly isBad: boolean }

function useCounts(): { readonly [P in Route['page']]?: Counted } {
  const unread = useData('capture.counts').data?.unread ?? 0
  const network = useCurrentNetwork()
  const matters = useDataOf('invoice.counts', network && { network: network.id }).data?.matters ?? 0
  return {
    captures: { count: unread, what: 'unread', isBad: false },
    // Failing deliveries are incidents, which the button in the top bar counts.
    invoices: {
      count: matters,
      what: matters === 1 ? 'needs attention' : 'need attention',
      isBad: true,
    },
  }
}

function Count({ of }: { of: Counted | undefined }) {
  if (of === undefined || of.count === 0) return null
  const { count, what, isBad } = of
  return (
    <span className={classes(styles['count'], textClasses({ tone: isBad ? 'bad' : 'dim' }))}>
      {count > 99_999 ? '99k+' : formatNumber(count)}
      <Text hidden> {what}</Text>
    </span>
  )
}
